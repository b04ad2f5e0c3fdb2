"""The progress and failures of mining, and what must never be mined again."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.owned import Operational, Owned


class MiningProgress(Operational):
    """One row per conversation: how far it is mined, and the state of its job.

    It contains only ids and counts, so that operators can see, retry and discard failed jobs. `attempts`
    counts failures of the next window, `claims` how often it was started: a window that kills its worker has
    claims without failures. `source_deleted_at` is when the conversation itself was deleted or expired.
    `scanned_through` is how far an open chat was checked for topic shifts, `topic_shift_after` the last
    message before one.
    """

    class State(models.TextChoices):
        READY = "ready", _("Ready")
        RETRYING = "retrying", _("Will be tried again")
        DEAD = "dead", _("Gave up")
        DISCARDED = "discarded", _("Discarded")

    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    mined_through = models.PositiveIntegerField(default=0)
    scanned_through = models.PositiveIntegerField(default=0)
    topic_shift_after = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State, default=State.READY)
    attempts = models.PositiveSmallIntegerField(default=0)
    claims = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True)
    updated_at = models.DateTimeField(default=timezone.now)
    source_deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "mining job"
        verbose_name_plural = "mining jobs"
        constraints = (
            models.UniqueConstraint(fields=("user", "source_kind", "source_id"), name="progress_per_source"),
        )

    def __str__(self) -> str:
        return f"mining of {self.source_id}"


class MinedWindow(Owned):
    """A span of messages that was mined in one transaction, and by which method.

    `reason` is why the built-in reader read it; those in `TEMPORARY` pass, and a model then re-extracts the
    window. `requested_at` is set when its owner requests that. `attempts` counts how often re-extraction was
    started.
    """

    class Reason(models.TextChoices):
        NO_ENDPOINT = "no_endpoint", _("No model was set up")
        UNAVAILABLE = "unavailable", _("The model could not be reached")
        BUDGET = "budget", _("The budget was spent")
        DECLINED = "declined", _("The model declined")
        UNREADABLE = "unreadable", _("The model's answer could not be read")
        UNDONE = "undone", _("Its re-extraction was undone")
        GAVE_UP = "gave_up", _("Its re-extraction failed too often")
        NOTHING = "nothing", _("There is nothing to read")

    TEMPORARY = (Reason.UNAVAILABLE, Reason.BUDGET)

    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    first_sequence = models.PositiveIntegerField()
    last_sequence = models.PositiveIntegerField()
    method = models.CharField(max_length=10)
    mined_at = models.DateTimeField(default=timezone.now)
    reason = models.CharField(max_length=12, choices=Reason, blank=True)
    requested_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "source_kind", "source_id", "first_sequence"),
                name="window_once",
            ),
        )
        indexes = (
            models.Index(
                fields=("user",),
                condition=Q(method="reader")
                & (Q(requested_at__isnull=False) | Q(reason__in=("unavailable", "budget"))),
                name="window_to_reextract",
            ),
        )


class Tombstone(Owned):
    """The digest of something that must not return: a message or conversation by id, or the text of a
    message.

    Digests of texts also recognise re-imports. Other kinds cover deleted facts and agents, and names that
    were removed from an entity.
    """

    class Kind(models.TextChoices):
        MESSAGE = "message", _("Message")
        TEXT = "text", _("Text")
        CONVERSATION = "conversation", _("Conversation")
        FACT = "fact", _("Fact")
        AGENT = "agent", _("Agent")
        NAME = "name", _("Name")

    kind = models.CharField(max_length=12, choices=Kind)
    digest = models.BinaryField(max_length=32)
    deletion_id = models.UUIDField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "kind", "digest", "deletion_id"), name="tombstone_once"),
        )
        indexes = (models.Index(fields=("created_at",), name="tombstone_by_time"),)
