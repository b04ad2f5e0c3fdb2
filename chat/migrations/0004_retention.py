"""Chats that are kept for a number of days only."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('chat', '0003_smaller_keys'),
    ]

    operations = [
        migrations.AddField(
            model_name='conversation',
            name='expired_at',
            field=models.DateTimeField(null=True),
        ),
    ]
