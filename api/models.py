"""Idempotency keys, stored responses, and webhooks with their deliveries."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from accounts.owned import Operational, Owned, owned_reference


class IdempotencyRecord(Operational):
    """The response to a write by its idempotency key. It holds ids and counts, never text. Without a `status`
    the request is running; its claim expires at `claimed_until`.

    `key` and `fingerprint` are SHA-256 digests of the key and of the request.
    """

    key = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=64)
    claim = models.UUIDField()
    claimed_until = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    stored_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "key"), name="idempotency_record_once"),)
        indexes = (models.Index(fields=("user", "stored_at"), name="idempotency_record_by_time"),)

    def __str__(self) -> str:
        return f"idempotency record {self.id}"


class StoredResponse(Owned):
    """A response that can be continued by its id: the last message of its conversation. Its text is only
    stored in the conversation, and deleted with it. `previous_id` is the response it continued, which may
    be deleted."""

    conversation_id = models.UUIDField()
    conversation = owned_reference("chat.Conversation", "conversation_id")
    sequence = models.PositiveIntegerField()
    previous_id = models.UUIDField(null=True)
    model = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"response {self.id}"


class Webhook(Owned):
    """A URL that is notified of changes to its owner's memory.

    The signing secret is derived from `salt` and the SECRET_KEY. Events before `since` are not sent.
    """

    url = models.CharField(max_length=500)
    events = ArrayField(models.CharField(max_length=20))
    salt = models.CharField(max_length=32)
    since = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now)
    last_success_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "url"), name="webhook_once_per_url"),)

    def __str__(self) -> str:
        return f"webhook {self.id}"


class WebhookDelivery(Owned):
    """The delivery of an event to a webhook. The message is built for each attempt, so nothing forgotten
    is sent late.

    `next_at` is the time of the next attempt, None once it was delivered or given up. `status` is the last
    HTTP status, 0 without a response.
    """

    webhook_id = models.UUIDField()
    webhook = owned_reference("api.Webhook", "webhook_id", related_name="deliveries")
    kind = models.CharField(max_length=20)
    subject_id = models.UUIDField()
    occurred_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(default=0)
    failure = models.CharField(max_length=20, blank=True)
    delivered_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "webhook_id", "kind", "subject_id"), name="told_once_per_webhook"
            ),
        )
        indexes = (
            models.Index(
                fields=("user", "next_at"),
                name="delivery_that_waits",
                condition=models.Q(next_at__isnull=False),
            ),
            models.Index(fields=("occurred_at",), name="delivery_finished", condition=models.Q(next_at=None)),
        )

    def __str__(self) -> str:
        return f"delivery {self.id}"
