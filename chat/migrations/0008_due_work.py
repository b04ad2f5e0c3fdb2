"""Indexes by which the sweep finds due work."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0007_no_mixed_demo"),
        ("memory", "0011_due_work"),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="settled_through",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.RunSQL(
            "UPDATE chat_conversation c SET settled_through = c.last_sequence FROM memory_miningprogress p "
            "WHERE p.user_id = c.user_id AND p.source_kind = 'conversation' AND p.source_id = c.id "
            "AND p.mined_through >= c.last_sequence AND c.last_sequence > 0",
            migrations.RunSQL.noop,
        ),
        migrations.AddIndex(
            model_name="agent",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", False)), fields=["deleted_at"], name="agent_deleted"
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(
                    ("deleted_at", None),
                    ("incognito", False),
                    ("last_sequence__gt", models.F("settled_through")),
                    ("learn", True),
                ),
                fields=["user"],
                name="conversation_to_mine",
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("deleted_at", None)),
                fields=["user", "last_message_at"],
                name="conversation_to_expire",
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", False), ("expired_at", None)),
                fields=["deleted_at"],
                name="conversation_to_empty",
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                condition=models.Q(("incognito", True)), fields=["user"], name="conversation_incognito"
            ),
        ),
    ]
