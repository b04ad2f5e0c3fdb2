"""One change log in place of three undo stores.

Changes of the palace and of people and things that were made before can no longer be undone.
"""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from accounts.schema import owned, reference, run_script

AREAS = [
    ("palace", "Palace"),
    ("graph", "People and things"),
    ("facts", "Facts"),
    ("consolidation", "Consolidation"),
    ("chat", "Chat"),
]
KINDS = [
    ("renamed", "Renamed"),
    ("rekinded", "Kind changed"),
    ("merged", "Merged"),
    ("moved", "Moved"),
    ("annotated", "Remark changed"),
    ("pinned", "Pinned"),
    ("unpinned", "Unpinned"),
    ("hidden", "Marked as sensitive"),
    ("shown", "No longer sensitive"),
    ("detailed", "Detail changed"),
    ("named", "Another name"),
    ("unnamed", "Name removed"),
    ("split", "Split"),
    ("decided", "Decision about facts"),
    ("edited", "Edited"),
    ("closed", "Replaced facts closed"),
    ("archived", "Facts archived"),
    ("summarised", "Summaries written"),
    ("removed", "Empty places removed"),
]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0001_initial")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="ChangeSet",
            fields=[
                *owned(),
                ("area", models.CharField(choices=AREAS, max_length=15)),
                ("kind", models.CharField(choices=KINDS, max_length=10)),
                ("subject", models.CharField(max_length=12)),
                ("subject_id", models.UUIDField()),
                ("others", ArrayField(base_field=models.UUIDField(), default=list)),
                ("batch_id", models.UUIDField()),
                ("details", models.JSONField(default=dict)),
                ("made_at", models.DateTimeField(null=True)),
                ("undone_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["user", "batch_id", "id"], name="change_set_batch"),
                    models.Index(fields=["user", "subject_id"], name="change_set_subject"),
                    models.Index(fields=["user", "made_at"], name="change_set_by_time"),
                ],
            },
        ),
        migrations.CreateModel(
            name="RowChange",
            fields=[
                *owned(),
                ("change_set_id", models.UUIDField()),
                reference("change_set", "memory.changeset", related_name="rows"),
                ("position", models.PositiveIntegerField()),
                ("table", models.CharField(max_length=60)),
                ("row_id", models.UUIDField()),
                ("before", models.JSONField(null=True)),
                ("after", models.JSONField(null=True)),
                ("added", models.JSONField(default=dict)),
            ],
            options={
                "indexes": [models.Index(fields=["user", "row_id"], name="row_change_of_row")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("user", "change_set_id", "position"), name="row_change_once"
                    )
                ],
            },
        ),
        run_script(__file__),
        migrations.DeleteModel(name="ConsolidationChange"),
        migrations.DeleteModel(name="GraphEdit"),
        migrations.DeleteModel(name="PalaceEdit"),
    ]
