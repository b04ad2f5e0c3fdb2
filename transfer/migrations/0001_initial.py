"""The state of imports, exports and restores; the first migration of `chat` makes their tables."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Index
from django.utils.timezone import now

from accounts.schema import operational, owned, reference

STATE = [
    migrations.CreateModel(
        name="ImportRun",
        fields=[
            *operational(),
            ("format", models.CharField(blank=True, max_length=20)),
            ("path", models.CharField(blank=True, max_length=300)),
            ("digest", models.CharField(blank=True, max_length=64)),
            (
                "state",
                models.CharField(
                    choices=[
                        ("checking", "Checking"),
                        ("ready", "Ready to import"),
                        ("waiting", "Waiting"),
                        ("running", "Running"),
                        ("done", "Done"),
                        ("failed", "Failed"),
                        ("cancelled", "Stopped"),
                    ],
                    default="waiting",
                    max_length=10,
                ),
            ),
            ("preview", models.JSONField(blank=True, default=dict)),
            ("position", models.PositiveIntegerField(default=0)),
            ("conversations", models.PositiveIntegerField(default=0)),
            ("grown", models.PositiveIntegerField(default=0)),
            ("messages", models.PositiveIntegerField(default=0)),
            ("duplicates", models.PositiveIntegerField(default=0)),
            ("empty", models.PositiveIntegerField(default=0)),
            ("refused", models.PositiveIntegerField(default=0)),
            ("started_at", models.DateTimeField(default=now)),
            ("active_at", models.DateTimeField(default=now)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
            ("error", models.CharField(blank=True, max_length=300)),
        ],
        options={
            "db_table": "chat_importrun",
            "indexes": [Index(fields=["user", "-started_at"], name="import_by_time")],
        },
    ),
    migrations.CreateModel(
        name="RefusedEntry",
        fields=[
            *owned(),
            ("run_id", models.UUIDField()),
            reference("run", "transfer.importrun", related_name="refused_entries"),
            ("where", models.CharField(max_length=300)),
            ("reason", models.CharField(max_length=300)),
        ],
        options={
            "db_table": "chat_refusedentry",
            "verbose_name_plural": "refused entries",
            "indexes": [Index(fields=["user", "run_id"], name="refused_by_run")],
        },
    ),
    migrations.CreateModel(
        name="Transfer",
        fields=[
            *operational(),
            (
                "direction",
                models.CharField(choices=[("export", "Export"), ("restore", "Restore")], max_length=10),
            ),
            (
                "state",
                models.CharField(
                    choices=[
                        ("checking", "Checking"),
                        ("ready", "Ready to restore"),
                        ("waiting", "Waiting"),
                        ("running", "Running"),
                        ("done", "Done"),
                        ("failed", "Failed"),
                    ],
                    default="waiting",
                    max_length=10,
                ),
            ),
            ("wing_id", models.UUIDField(blank=True, null=True)),
            ("name", models.CharField(blank=True, max_length=60)),
            ("size", models.PositiveBigIntegerField(default=0)),
            ("done", models.PositiveIntegerField(default=0)),
            ("total", models.PositiveIntegerField(default=0)),
            ("forgettings", models.PositiveIntegerField(default=0)),
            ("attempts", models.PositiveSmallIntegerField(default=0)),
            ("counts", models.JSONField(blank=True, default=dict)),
            ("error", models.CharField(blank=True, max_length=300)),
            ("asked_at", models.DateTimeField(default=now)),
            ("active_at", models.DateTimeField(default=now)),
            ("finished_at", models.DateTimeField(blank=True, null=True)),
            ("expires_at", models.DateTimeField()),
            ("dropped_at", models.DateTimeField(blank=True, null=True)),
        ],
        options={
            "db_table": "chat_transfer",
            "indexes": [Index(fields=["user", "-asked_at"], name="transfer_by_time")],
        },
    ),
]


class Migration(migrations.Migration):
    initial = True
    dependencies: ClassVar = [("chat", "0001_initial")]
    operations: ClassVar = [migrations.SeparateDatabaseAndState(state_operations=STATE)]
