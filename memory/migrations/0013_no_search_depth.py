"""Recall has one depth, so it is no longer a setting."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0012_duplicates_history_and_recency")]
    operations: ClassVar = [migrations.RemoveField("memorypreferences", "recipe")]
