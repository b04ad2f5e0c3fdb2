"""How far mining has come, what failed, and what must never be mined again."""

from django.db import models
from django.utils import timezone

from accounts.owned import Operational, Owned


class MiningProgress(Operational):
    """One row a conversation: the pointer up to which it is mined, and the state of its job.

    It holds ids and counts only, so that operators can see failed jobs, retry and discard them.
    `attempts` counts failures of the window that is next, `claims` how often it was begun: a
    window that kills its worker has claims without failures.
    """

    class State(models.TextChoices):
        READY = "ready", "Ready"
        RETRYING = "retrying", "Will be tried again"
        DEAD = "dead", "Gave up"
        DISCARDED = "discarded", "Discarded"

    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    mined_through = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=10, choices=State, default=State.READY)
    attempts = models.PositiveSmallIntegerField(default=0)
    claims = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "mining job"
        verbose_name_plural = "mining jobs"
        constraints = (
            models.UniqueConstraint(
                fields=("user", "source_kind", "source_id"), name="progress_per_source"
            ),
        )

    def __str__(self) -> str:
        return f"mining of {self.source_id}"


class MinedWindow(Owned):
    """A span of messages that was mined in one transaction, and by which method."""

    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    first_sequence = models.PositiveIntegerField()
    last_sequence = models.PositiveIntegerField()
    method = models.CharField(max_length=10)
    mined_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "source_kind", "source_id", "first_sequence"),
                name="window_once",
            ),
        )


class Tombstone(Owned):
    """Words that must not return: a message or a whole conversation, by id or by the digest of
    its text, so that a re-import is recognised too."""

    class Kind(models.TextChoices):
        MESSAGE = "message", "Message"
        TEXT = "text", "Text"
        CONVERSATION = "conversation", "Conversation"

    kind = models.CharField(max_length=12, choices=Kind)
    digest = models.BinaryField(max_length=32)
    deletion_id = models.UUIDField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "kind", "digest", "deletion_id"), name="tombstone_once"
            ),
        )
