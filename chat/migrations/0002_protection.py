"""The ledger belongs to its user: keys, references and row-level security."""

from typing import ClassVar

from django.db import migrations

from accounts.schema import references, row_security, user_in_key

CONTENT = ("chat_conversation", "chat_message", "chat_generation", "chat_refusedentry")


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0001_initial"), ("accounts", "0002_protection")]

    operations: ClassVar = [
        user_in_key("chat_agent"),
        user_in_key("chat_importrun"),
        references("chat_conversation", "agent_id", "chat_agent", on_delete="NO ACTION"),
        references("chat_message", "conversation_id", "chat_conversation"),
        references("chat_generation", "conversation_id", "chat_conversation"),
        references("chat_refusedentry", "run_id", "chat_importrun"),
        *(row_security(table) for table in CONTENT),
        row_security("chat_agent", operators=True),
        row_security("chat_importrun", operators=True),
    ]
