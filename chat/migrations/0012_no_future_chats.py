"""Cap the last activity of chats at now, so that those with messages dated in the future are mined."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0011_entered_windows")]
    operations: ClassVar = [
        migrations.RunSQL(
            "UPDATE chat_conversation SET last_message_at = now() WHERE last_message_at > now()",
            migrations.RunSQL.noop,
        )
    ]
