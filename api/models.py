"""What the API keeps: for a day answers to requests that may be sent twice; responses by their id."""

from django.db import models
from django.utils import timezone

from accounts.owned import Operational, Owned, owned_reference


class KeptAnswer(Operational):
    """The answer to a write, by the idempotency key that its sender gave. It holds ids and counts,
    never a word of anybody's. Without a `status` the request is being worked on until
    `claimed_until`; whoever comes after that takes it over.

    `key` and `fingerprint` are SHA-256 digests: of the key, and of all that was asked.
    """

    key = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=64)
    claim = models.UUIDField()
    claimed_until = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    kept_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "key"), name="answer_once_per_key"),)
        indexes = (models.Index(fields=("user", "kept_at"), name="answer_by_time"),)

    def __str__(self) -> str:
        return f"answer {self.id}"


class StoredResponse(Owned):
    """A response that a program can continue by its id: the last message of the conversation that
    it came to. What was said is in the ledger only, and goes with it."""

    conversation_id = models.UUIDField()
    conversation = owned_reference("chat.Conversation", "conversation_id")
    sequence = models.PositiveIntegerField()
    model = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"response {self.id}"
