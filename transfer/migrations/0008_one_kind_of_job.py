"""Imports and transfers name their file and their times alike, and deleted exports are not kept."""

from typing import ClassVar

from django.db import migrations, models

from accounts.schema import run_script

STATES = [
    ("checking", "Checking"),
    ("ready", "Ready"),
    ("waiting", "Waiting"),
    ("running", "Running"),
    ("done", "Done"),
    ("failed", "Failed"),
    ("cancelled", "Stopped"),
]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("transfer", "0007_tool_results")]
    operations: ClassVar = [
        migrations.RemoveIndex("importrun", "import_by_time"),
        migrations.RenameField("importrun", "started_at", "requested_at"),
        migrations.AddIndex("importrun", models.Index(fields=("user", "-requested_at"), name="import_by_time")),
        migrations.RemoveIndex("transfer", "transfer_with_file"),
        migrations.RenameField("transfer", "name", "path"),
        migrations.AlterField("transfer", "path", models.CharField(blank=True, max_length=300)),
        run_script(__file__, reverse="UPDATE chat_transfer SET path = regexp_replace(path, '.*/', '');"),
        migrations.RemoveField("transfer", "dropped_at"),
        migrations.AddIndex(
            "transfer",
            models.Index(fields=("user",), name="transfer_with_file", condition=~models.Q(path="")),
        ),
        *(
            migrations.AlterField(
                name, "state", models.CharField(choices=STATES, default="waiting", max_length=10)
            )
            for name in ("importrun", "transfer")
        ),
    ]
