"""A reply in the making tells which tools it uses, a state which turns it leaves out."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('chat', '0010_edits'),
    ]

    operations: ClassVar = [
        migrations.AddField(
            model_name='generation',
            name='tools',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='chatstate',
            name='left_out',
            field=models.JSONField(default=list),
        ),
    ]
