"""Tables and columns have the field's standard names, also in the images of changed rows."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q

COLUMNS = (
    ("memory.factlink", "likeness", "similarity"),
    ("chat.conversation", "learn", "mine"),
    ("chat.conversation", "use_memory", "recall_memory"),
)


def _rename_in_images(table: str, before: str, after: str) -> str:
    images = (
        f"{image} = replace({image}::text, '\"{before}\":', '\"{after}\":')::jsonb"
        for image in ("before", "after")
    )
    return f"UPDATE memory_rowchange SET {', '.join(images)} WHERE \"table\" = '{table}'"


FORWARDS = [_rename_in_images(*each) for each in COLUMNS]
BACKWARDS = [_rename_in_images(table, after, before) for table, before, after in COLUMNS]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0015_standard_values")]
    operations: ClassVar = [
        migrations.RunSQL(FORWARDS, BACKWARDS),
        migrations.RenameField("factlink", "likeness", "similarity"),
        migrations.RenameField("miningprogress", "looked_through", "scanned_through"),
        migrations.RenameField("miningprogress", "drifted_after", "topic_shift_after"),
        migrations.RenameField("miningprogress", "gone_at", "source_deleted_at"),
        migrations.RenameField("palace", "answering", "active_space"),
        migrations.RenameField("palace", "answering_since", "active_since"),
        migrations.RemoveConstraint("ownwords", "own_words_once"),
        migrations.RenameModel("OwnWords", "ProfileText"),
        migrations.AddConstraint(
            "profiletext",
            models.UniqueConstraint(fields=("user",), name="profile_text_once", condition=Q(ended_at=None)),
        ),
        migrations.RenameIndex("profiletext", "profile_text_by_time", "own_words_by_time"),
        migrations.RenameModel("ProjectionMark", "ProjectionWatermark"),
        migrations.RenameField("projectionwatermark", "looked_at", "checked_at"),
    ]
