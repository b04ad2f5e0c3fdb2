"""Recall has one depth, so it is no longer a setting. Insights are found when they are read, so only
decisions about them are stored. Summaries have no drafts and no earlier versions; plans that wait are made
again."""

from typing import ClassVar

from django.db import migrations, models

STALE = """
DELETE FROM memory_insight WHERE dismissed_at IS NULL;
DELETE FROM memory_summary WHERE shown_at IS NULL OR retired_at IS NOT NULL;
DELETE FROM memory_changeset WHERE made_at IS NULL;
DELETE FROM memory_consolidationrun WHERE state = 'planned';
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0012_duplicates_history_and_recency")]
    operations: ClassVar = [
        migrations.RemoveField("memorypreferences", "recipe"),
        migrations.DeleteModel("InsightSource"),
        migrations.RunSQL(STALE, ""),
        migrations.RemoveIndex("insight", "insight_by_time"),
        migrations.RemoveField("insight", "rule"),
        migrations.RemoveField("insight", "found_at"),
        migrations.RemoveIndex("summary", "summary_of_place"),
        migrations.RemoveField("summary", "shown_at"),
        migrations.RemoveField("summary", "retired_at"),
        migrations.AddIndex(
            "summary", models.Index(fields=["user", "subject_id"], name="summary_of_place")
        ),
    ]
