"""Indexes by which pages and recall count facts by status and kind, and find the first one, those of this
month and those of the profile."""

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
        migrations.AddIndex(
            "fact",
            models.Index(
                fields=["user", "-single_valued", "-times_seen", "-valid_from", "id"],
                condition=models.Q(memory_type="semantic", archived_at=None, deleted_at=None),
                name="fact_in_profile",
            ),
        ),
    ]
