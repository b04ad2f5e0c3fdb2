"""The list of chats to import counts the output of tools."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("transfer", "0006_requested_at")]
    operations: ClassVar = [
        migrations.AddField("importedchat", "tool_results", models.PositiveIntegerField(default=0)),
    ]
