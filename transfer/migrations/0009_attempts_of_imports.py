"""Imports that are interrupted again and again fail, like exports and restores."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("transfer", "0008_one_kind_of_job")]
    operations: ClassVar = [
        migrations.AddField("importrun", "attempts", models.PositiveSmallIntegerField(default=0)),
    ]
