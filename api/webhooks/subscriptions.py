"""Adds, resumes and removes webhooks."""

import secrets
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from api.models import Webhook, WebhookDelivery
from llm.addresses import AddressRefused, resolve

MAX_WEBHOOKS = 10
MAX_SHOWN = 20
DUPLICATE = "You already have a webhook with this URL."
TOO_MANY = f"You can have at most {MAX_WEBHOOKS} webhooks."


def webhooks_of(user_id: UUID) -> QuerySet[Webhook]:
    """A user's webhooks, oldest first."""
    return Webhook.objects.filter(user_id=user_id).order_by("created_at", "id")


def webhook_of(user_id: UUID, webhook_id: UUID) -> Webhook:
    """A webhook of the user. Raises Http404."""
    return get_object_or_404(webhooks_of(user_id), id=webhook_id)


def deliveries_of(webhook: Webhook) -> QuerySet[WebhookDelivery]:
    """The latest deliveries of a webhook, newest first."""
    found = WebhookDelivery.objects.filter(user_id=webhook.user_id, webhook_id=webhook.id)
    ordered = found.order_by("-occurred_at", "-id")
    return ordered.filter(id__in=ordered.values("id")[:MAX_SHOWN])


def add_webhook(user_id: UUID, url: str, events: list[str], now: datetime) -> Webhook:
    """Create a webhook. Raises AddressRefused if the URL is not allowed, is a duplicate, or one too many."""
    resolve(url, private=settings.WEBHOOKS_PRIVATE)
    if webhooks_of(user_id).count() >= MAX_WEBHOOKS:
        raise AddressRefused(TOO_MANY)
    salt = secrets.token_hex(16)
    webhook = Webhook(user_id=user_id, url=url, events=events, salt=salt, since=now, created_at=now)
    try:
        with transaction.atomic():
            webhook.save(force_insert=True)
    except IntegrityError as error:
        raise AddressRefused(DUPLICATE) from error
    return webhook


def resume(webhook: Webhook, now: datetime) -> None:
    """Send pending messages, and events from now on. Does nothing if the webhook is not paused."""
    if webhook.paused_at is None:
        return
    webhook.paused_at, webhook.paused_because, webhook.since = None, "", now
    with transaction.atomic():
        webhook.save(update_fields=("paused_at", "paused_because", "since"))
        waiting = WebhookDelivery.objects.filter(
            user_id=webhook.user_id, webhook_id=webhook.id, next_at__isnull=False
        )
        waiting.update(next_at=now, attempts=0)


def remove_webhook(webhook: Webhook) -> None:
    """Delete a webhook and its deliveries."""
    with transaction.atomic():
        WebhookDelivery.objects.filter(user_id=webhook.user_id, webhook_id=webhook.id).delete()
        Webhook.objects.filter(user_id=webhook.user_id, id=webhook.id).delete()
