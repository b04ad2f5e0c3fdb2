"""Drops the indexes on the user alone: every key begins with it."""

from typing import ClassVar

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('accounts', '0002_protection'),
    ]

    operations: ClassVar = [
        migrations.AlterField(
            model_name='apitoken',
            name='user',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
    ]
