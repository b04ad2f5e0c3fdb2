"""Indexes by which the profile finds what its insights compare: single values, and what the user dislikes."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0018_fact_indexes")]
    operations: ClassVar = [
        migrations.AddIndex(
            "fact",
            models.Index(
                fields=["user", "key"],
                condition=models.Q(single_valued=True, deleted_at=None),
                name="fact_with_single_value",
            ),
        ),
        migrations.AddIndex(
            "fact",
            models.Index(
                fields=["user"],
                condition=models.Q(predicate="dislikes", deleted_at=None),
                name="fact_of_dislike",
            ),
        ),
    ]
