"""Indexes by which pages count facts by status and kind, and find the first one and those of this month."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0017_sign_in_events")]
    operations: ClassVar = [
        migrations.AddIndex(
            "fact",
            models.Index(
                fields=["user", "status", "kind"],
                include=("merged_into_id",),
                condition=models.Q(deleted_at=None),
                name="fact_by_kind",
            ),
        ),
        migrations.AddIndex("fact", models.Index(fields=["user", "recorded_at"], name="fact_by_time")),
    ]
