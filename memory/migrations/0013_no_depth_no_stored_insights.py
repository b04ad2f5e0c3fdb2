"""Recall has one depth, so it is no longer a setting. Insights are found when they are read, so only the owner's
decisions about them are stored."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0012_duplicates_history_and_recency")]
    operations: ClassVar = [
        migrations.RemoveField("memorypreferences", "recipe"),
        migrations.DeleteModel("InsightSource"),
        migrations.RunSQL("DELETE FROM memory_insight WHERE dismissed_at IS NULL", ""),
        migrations.RemoveIndex("insight", "insight_by_time"),
        migrations.RemoveField("insight", "rule"),
        migrations.RemoveField("insight", "found_at"),
    ]
