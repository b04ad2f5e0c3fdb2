"""The chats of an import, to choose from, and what becomes of tool output."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Index, UniqueConstraint

from accounts.schema import owned, reference, run_script

TOOLS = [("keep", "Keep as evidence"), ("short", "Keep the first 500 characters"), ("none", "Leave out")]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("transfer", "0001_initial")]

    operations: ClassVar = [
        migrations.AddField(
            "ImportRun", "tools", models.CharField(choices=TOOLS, default="keep", max_length=10)
        ),
        migrations.CreateModel(
            name="ImportedChat",
            fields=[
                *owned(),
                ("run_id", models.UUIDField()),
                reference("run", "transfer.importrun", related_name="chats"),
                ("external_id", models.CharField(max_length=200)),
                ("title", models.CharField(max_length=300, blank=True)),
                ("last_said_at", models.DateTimeField(null=True)),
                ("messages", models.PositiveIntegerField(default=0)),
                ("characters", models.PositiveBigIntegerField(default=0)),
                ("tool_results", models.PositiveIntegerField(default=0)),
                ("tool_excess", models.PositiveBigIntegerField(default=0)),
                ("known", models.PositiveIntegerField(default=0)),
                ("is_deleted", models.BooleanField(default=False)),
                ("chosen", models.BooleanField(default=True)),
                ("outcome", models.CharField(max_length=20, blank=True)),
                ("conversation_id", models.UUIDField(null=True)),
            ],
            options={
                "db_table": "chat_importedchat",
                "indexes": [
                    Index(fields=["user", "run_id", "-last_said_at"], name="imported_chat_by_time"),
                    Index(fields=["user", "conversation_id"], name="imported_chat_by_chat"),
                ],
                "constraints": [
                    UniqueConstraint(fields=["user", "run_id", "external_id"], name="imported_chat_once")
                ],
            },
        ),
        run_script(__file__),
    ]
