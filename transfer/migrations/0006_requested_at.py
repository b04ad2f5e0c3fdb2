"""The time of a transfer has the name that REST uses."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("transfer", "0005_no_choice_of_tool_output")]
    operations: ClassVar = [
        migrations.RemoveIndex("transfer", "transfer_by_time"),
        migrations.RenameField("transfer", "asked_at", "requested_at"),
        migrations.AddIndex(
            "transfer", models.Index(fields=("user", "-requested_at"), name="transfer_by_time")
        ),
    ]
