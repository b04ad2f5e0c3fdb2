"""Agents, conversations and the messages of the ledger."""

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.owned import Operational, Owned, owned_reference

MEMORY_ONLY = "memory"
"""The `model` of a reply made from recalled drawers alone, without a language model."""


class Agent(Operational):
    """A persona to chat with: a name, instructions, a model, and two memory switches."""

    name = models.CharField(max_length=120)
    instructions = models.TextField(blank=True)
    model = models.CharField(max_length=120, blank=True)
    recall_memory = models.BooleanField(default=True)
    mine = models.BooleanField(default=True)
    is_default = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user",), condition=Q(is_default=True), name="one_default_agent"),
        )
        indexes = (
            models.Index(fields=("deleted_at",), name="agent_deleted", condition=Q(deleted_at__isnull=False)),
        )

    def __str__(self) -> str:
        return f"agent {self.id}"


class ConversationQuerySet(models.QuerySet["Conversation"]):
    """Queries for conversations."""

    def learnable(self) -> "ConversationQuerySet":
        """Those that may be mined, whatever their agent's switch says."""
        return self.filter(deleted_at=None, incognito=False, mine=True)

    def to_mine(self) -> "ConversationQuerySet":
        """Those that may be mined."""
        silent = Agent.objects.filter(user_id=OuterRef("user_id"), id=OuterRef("agent_id"), mine=False)
        return self.learnable().filter(~Exists(silent))


class Conversation(Owned):
    """A chat.

    `last_sequence` counts its messages; `head_sequence` is the newest message of the selected branch;
    `settled_through` is how many are known to be mined: the search for due work skips a settled chat, and
    recall looks for unfiled messages only if a chat that is not settled is to be mined.
    `model` is empty for its agent's model. An emptied chat keeps a row without text since `expired_at`, so
    that an import recognises it.
    """

    class Source(models.TextChoices):
        CHAT = "chat", _("Chat")
        IMPORT = "import", _("Import")
        API = "api", _("API")

    title = models.CharField(max_length=300, blank=True)
    agent_id = models.UUIDField(null=True)
    agent = owned_reference("chat.Agent", "agent_id", null=True)
    source = models.CharField(max_length=10, choices=Source, default=Source.CHAT)
    external_id = models.CharField(max_length=200, null=True)  # noqa: DJ001 - NULLs are distinct
    project = models.CharField(max_length=200, blank=True)
    model = models.CharField(max_length=120, blank=True)
    recall_memory = models.BooleanField(default=True)
    mine = models.BooleanField(default=True)
    incognito = models.BooleanField(default=False)
    last_sequence = models.PositiveIntegerField(default=0)
    head_sequence = models.PositiveIntegerField(default=0)
    settled_through = models.PositiveIntegerField(default=0, db_default=0)
    mine_requested_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    pinned_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    expired_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(default=timezone.now)
    last_message_at = models.DateTimeField(default=timezone.now)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "source", "external_id"), name="conversation_external_id"
            ),
        )
        indexes = (
            models.Index(fields=("user", "-last_message_at"), name="conversation_by_time"),
            models.Index(
                fields=("user",),
                name="conversation_to_mine",
                condition=Q(
                    last_sequence__gt=F("settled_through"), deleted_at=None, incognito=False, mine=True
                ),
            ),
            models.Index(
                fields=("user", "last_message_at"),
                name="conversation_to_expire",
                condition=Q(deleted_at=None),
            ),
            models.Index(
                fields=("deleted_at",),
                name="conversation_to_empty",
                condition=Q(deleted_at__isnull=False, expired_at=None),
            ),
            models.Index(fields=("user",), name="conversation_incognito", condition=Q(incognito=True)),
        )


class Message(Owned):
    """One entry of the append-only ledger. `parent_sequence` makes branches: replies to one message."""

    class Role(models.TextChoices):
        USER = "user", _("You")
        ASSISTANT = "assistant", _("Assistant")
        TOOL = "tool", _("Tool")
        SYSTEM = "system", _("System")

    class Status(models.TextChoices):
        COMPLETE = "complete", _("Complete")
        STOPPED = "stopped", _("Stopped")
        FAILED = "failed", _("Failed")

    conversation_id = models.UUIDField()
    conversation = owned_reference("chat.Conversation", "conversation_id", related_name="messages")
    sequence = models.PositiveIntegerField()
    parent_sequence = models.PositiveIntegerField(null=True)
    role = models.CharField(max_length=10, choices=Role)
    content = models.TextField(blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.COMPLETE)
    notice = models.CharField(max_length=300, blank=True)
    tool_name = models.CharField(max_length=200, blank=True)
    tool_arguments = models.TextField(blank=True)
    call_id = models.CharField(max_length=200, blank=True)
    model = models.CharField(max_length=120, blank=True)
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    cost_usd = models.DecimalField(max_digits=18, decimal_places=10, null=True)
    external_id = models.CharField(max_length=200, blank=True)
    trace_id = models.UUIDField(null=True)
    said_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "conversation_id", "sequence"), name="message_sequence"),
        )
        indexes = (
            models.Index(fields=("user", "conversation_id", "parent_sequence"), name="message_by_parent"),
        )


class ThreadDigest(Owned):
    """The beginning of a conversation sent by another program, up to the message `sequence`.

    `digest` covers everything said up to there. The row outlives the conversation and therefore only names
    it: a deleted conversation is recognised, and not stored again, when the program sends it once more.
    """

    digest = models.BinaryField(max_length=32)
    conversation_id = models.UUIDField()
    sequence = models.PositiveIntegerField()
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "digest", "conversation_id"), name="thread_digest_once"),
        )


class Generation(Owned):
    """A reply in progress: the answer to the message `parent_sequence`, until it is in the ledger.

    Whoever changes its state from waiting to running writes the reply. `text` is what there is so far;
    `tools` names those `used` and those it is `using`; `alive_until` is the deadline for the writer's next
    heartbeat; `last_polled_at` is when a page last followed it.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Running")

    conversation_id = models.UUIDField()
    conversation = owned_reference("chat.Conversation", "conversation_id")
    parent_sequence = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    text = models.TextField(blank=True)
    tools = models.JSONField(default=dict)
    trace_id = models.UUIDField(null=True)
    stop_requested = models.BooleanField(default=False)
    requested_at = models.DateTimeField(default=timezone.now)
    alive_until = models.DateTimeField(null=True)
    last_polled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "conversation_id"), name="one_reply_at_a_time"),
        )


class OpenIncognito(Owned):
    """Marks an incognito chat as open; without this row it has to be erased.

    `session` is a digest of the key of its sign-in session. `seen_at` is when a page last showed it,
    `left_at` when the last page that did was closed.
    """

    conversation_id = models.UUIDField()
    conversation = owned_reference("chat.Conversation", "conversation_id")
    session = models.CharField(max_length=64)
    seen_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "conversation_id"), name="incognito_open_once"),
        )


class ModelEndpoint(models.Model):
    """A user's own model endpoint, with the models it `offered` at `tested_at`: the context window of each by
    name, as the endpoint states it or its owner entered it (`entered_windows`).

    `secret` is its key, encrypted (`chat.endpoints`).
    """

    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, primary_key=True, related_name="+")
    base_url = models.CharField(max_length=500)
    secret = models.BinaryField()
    chat_model = models.CharField(max_length=120, blank=True)
    offered = models.JSONField(default=dict)
    entered_windows = models.JSONField(default=dict)
    tested_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"model endpoint of {self.user_id}"
