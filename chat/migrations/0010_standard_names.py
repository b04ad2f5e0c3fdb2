"""Chats have the switches that agents have, and some tables and columns standard names."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies: ClassVar = [("chat", "0009_no_hints_between_replies")]
    operations: ClassVar = [
        migrations.RemoveConstraint("knownhistory", "history_told_once"),
        migrations.RenameModel("KnownHistory", "ThreadDigest"),
        migrations.RenameField("threaddigest", "told_at", "seen_at"),
        migrations.AddConstraint(
            "threaddigest",
            models.UniqueConstraint(
                fields=("user", "digest", "conversation_id"), name="thread_digest_once"
            ),
        ),
        migrations.RemoveIndex("conversation", "conversation_to_mine"),
        migrations.RenameField("conversation", "learn", "mine"),
        migrations.RenameField("conversation", "use_memory", "recall_memory"),
        migrations.AddIndex(
            "conversation",
            models.Index(
                fields=("user",),
                name="conversation_to_mine",
                condition=Q(
                    last_sequence__gt=F("settled_through"), deleted_at=None, incognito=False, mine=True
                ),
            ),
        ),
        migrations.RenameField("generation", "watched_at", "last_polled_at"),
        migrations.RenameField("generation", "asked_at", "requested_at"),
    ]
