"""The ledger: agents, conversations, messages, imports and exports."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Index, Q, UniqueConstraint
from django.utils.timezone import now

from accounts.schema import operational, owned, reference, run_script

REPLACED = """
0002_protection 0003_smaller_keys 0004_retention 0005_known_histories
0006_incognito_states_and_tools 0007_stopped_imports 0008_transfers 0009_deleted_agents 0010_edits
0011_tools_and_states
"""


# The models of these tables belong to the app `transfer`, whose first migration adds their state.
TABLES_OF_TRANSFER = [
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
        options={"indexes": [Index(fields=["user", "-started_at"], name="import_by_time")]},
    ),
    migrations.CreateModel(
        name="RefusedEntry",
        fields=[
            *owned(),
            ("run_id", models.UUIDField()),
            reference("run", "chat.importrun", related_name="refused_entries"),
            ("where", models.CharField(max_length=300)),
            ("reason", models.CharField(max_length=300)),
        ],
        options={
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
        options={"indexes": [Index(fields=["user", "-asked_at"], name="transfer_by_time")]},
    ),
]


class Migration(migrations.Migration):
    initial = True
    replaces: ClassVar = [("chat", name) for name in REPLACED.split()]
    dependencies: ClassVar = [("accounts", "0001_initial")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Agent",
            fields=[
                *operational(),
                ("name", models.CharField(max_length=120)),
                ("instructions", models.TextField(blank=True)),
                ("model", models.CharField(blank=True, max_length=120)),
                ("recall_memory", models.BooleanField(default=True)),
                ("mine", models.BooleanField(default=True)),
                ("is_default", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=now)),
                ("deleted_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    UniqueConstraint(
                        condition=Q(("is_default", True)), fields=("user",), name="one_default_agent"
                    )
                ]
            },
        ),
        migrations.CreateModel(
            name="Conversation",
            fields=[
                *owned(),
                ("title", models.CharField(blank=True, max_length=300)),
                ("agent_id", models.UUIDField(null=True)),
                reference("agent", "chat.agent", null=True),
                (
                    "source",
                    models.CharField(
                        choices=[("chat", "Chat"), ("import", "Import"), ("api", "API")],
                        default="chat",
                        max_length=10,
                    ),
                ),
                ("external_id", models.CharField(max_length=200, null=True)),
                ("project", models.CharField(blank=True, max_length=200)),
                ("model", models.CharField(blank=True, max_length=120)),
                ("use_memory", models.BooleanField(default=True)),
                ("learn", models.BooleanField(default=True)),
                ("incognito", models.BooleanField(default=False)),
                ("is_demo", models.BooleanField(default=False)),
                ("last_sequence", models.PositiveIntegerField(default=0)),
                ("head_sequence", models.PositiveIntegerField(default=0)),
                ("mine_requested_at", models.DateTimeField(null=True)),
                ("closed_at", models.DateTimeField(null=True)),
                ("deleted_at", models.DateTimeField(null=True)),
                ("expired_at", models.DateTimeField(null=True)),
                ("started_at", models.DateTimeField(default=now)),
                ("last_message_at", models.DateTimeField(default=now)),
            ],
            options={
                "indexes": [Index(fields=["user", "-last_message_at"], name="conversation_by_time")],
                "constraints": [
                    UniqueConstraint(
                        fields=("user", "source", "external_id"), name="conversation_external_id"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Edit",
            fields=[
                *owned(),
                ("conversation_id", models.UUIDField(null=True)),
                reference("conversation", "chat.conversation", null=True),
                ("agent_id", models.UUIDField(null=True)),
                reference("agent", "chat.agent", null=True),
                ("before", models.JSONField()),
                ("after", models.JSONField()),
                ("undone_at", models.DateTimeField(null=True)),
                ("at", models.DateTimeField()),
            ],
            options={"indexes": [Index(fields=["user", "at"], name="edit_by_time")]},
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                *owned(),
                ("conversation_id", models.UUIDField()),
                reference("conversation", "chat.conversation", related_name="messages"),
                ("sequence", models.PositiveIntegerField()),
                ("parent_sequence", models.PositiveIntegerField(null=True)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("user", "You"),
                            ("assistant", "Assistant"),
                            ("tool", "Tool"),
                            ("system", "System"),
                        ],
                        max_length=10,
                    ),
                ),
                ("content", models.TextField(blank=True)),
                (
                    "status",
                    models.CharField(
                        choices=[("complete", "Complete"), ("stopped", "Stopped"), ("failed", "Failed")],
                        default="complete",
                        max_length=10,
                    ),
                ),
                ("notice", models.CharField(blank=True, max_length=300)),
                ("tool_name", models.CharField(blank=True, max_length=200)),
                ("tool_arguments", models.TextField(blank=True)),
                ("call_id", models.CharField(blank=True, max_length=200)),
                ("model", models.CharField(blank=True, max_length=120)),
                ("input_tokens", models.PositiveIntegerField(null=True)),
                ("output_tokens", models.PositiveIntegerField(null=True)),
                ("cost_usd", models.DecimalField(decimal_places=10, max_digits=18, null=True)),
                ("external_id", models.CharField(blank=True, max_length=200)),
                ("trace_id", models.UUIDField(null=True)),
                ("said_at", models.DateTimeField(default=now)),
                ("created_at", models.DateTimeField(default=now)),
            ],
            options={
                "indexes": [
                    Index(fields=["user", "conversation_id", "parent_sequence"], name="message_by_parent")
                ],
                "constraints": [
                    UniqueConstraint(fields=("user", "conversation_id", "sequence"), name="message_sequence")
                ],
            },
        ),
        migrations.CreateModel(
            name="KnownHistory",
            fields=[
                *owned(),
                ("digest", models.BinaryField(max_length=32)),
                ("conversation_id", models.UUIDField()),
                ("sequence", models.PositiveIntegerField()),
                ("told_at", models.DateTimeField(default=now)),
            ],
            options={
                "constraints": [
                    UniqueConstraint(fields=("user", "digest", "conversation_id"), name="history_told_once")
                ]
            },
        ),
        migrations.CreateModel(
            name="Generation",
            fields=[
                *owned(),
                ("conversation_id", models.UUIDField()),
                reference("conversation", "chat.conversation"),
                ("parent_sequence", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("running", "Running")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("text", models.TextField(blank=True)),
                ("tools", models.JSONField(default=dict)),
                ("trace_id", models.UUIDField(null=True)),
                ("stop_requested", models.BooleanField(default=False)),
                ("asked_at", models.DateTimeField(default=now)),
                ("alive_until", models.DateTimeField(null=True)),
                ("watched_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    UniqueConstraint(fields=("user", "conversation_id"), name="one_reply_at_a_time")
                ]
            },
        ),
        migrations.CreateModel(
            name="OpenIncognito",
            fields=[
                *owned(),
                ("conversation_id", models.UUIDField()),
                reference("conversation", "chat.conversation"),
                ("session", models.CharField(max_length=64)),
                ("seen_at", models.DateTimeField()),
                ("left_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    UniqueConstraint(fields=("user", "conversation_id"), name="incognito_open_once")
                ]
            },
        ),
        migrations.CreateModel(
            name="ChatState",
            fields=[
                *owned(),
                ("conversation_id", models.UUIDField()),
                reference("conversation", "chat.conversation"),
                ("through_sequence", models.PositiveIntegerField()),
                ("method", models.CharField(max_length=10)),
                ("state", models.JSONField()),
                ("left_out", models.JSONField(default=list)),
                ("made_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    UniqueConstraint(
                        fields=("user", "conversation_id", "through_sequence", "method"),
                        name="state_of_a_chat_once",
                    )
                ]
            },
        ),
        migrations.CreateModel(
            name="ToolRefusal",
            fields=[
                *operational(),
                ("model", models.CharField(max_length=120)),
                ("refused_at", models.DateTimeField()),
            ],
            options={"constraints": [UniqueConstraint(fields=("user", "model"), name="tools_refused_once")]},
        ),
        migrations.SeparateDatabaseAndState(database_operations=TABLES_OF_TRANSFER),
        run_script(__file__),
    ]
