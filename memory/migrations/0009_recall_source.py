"""Who asked for a recall."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0008_account_events")]
    operations: ClassVar = [
        migrations.AddField(
            "recalltrace",
            "source",
            models.CharField(
                choices=[
                    ("chat", "Chat"),
                    ("openai", "/v1 client"),
                    ("mcp", "MCP"),
                    ("rest", "REST"),
                ],
                db_default="chat",
                default="chat",
                max_length=10,
            ),
        )
    ]
