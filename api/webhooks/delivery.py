"""Delivers events to webhooks. Nothing is queued when an event happens: each sweep compares the events since
a webhook was added with its deliveries, so lost jobs and killed workers only cause a delay."""

import json
from datetime import datetime, timedelta
from http import HTTPStatus
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from api.models import Webhook, WebhookDelivery
from api.webhooks.events import TEST, events_since, payload_of
from api.webhooks.http import NoResponse, post, signed
from llm.addresses import AddressRefused, resolve

LOOKBACK = timedelta(days=7)
KEEP_DELIVERIES = timedelta(days=30)
LEASE = timedelta(minutes=2)
RETRY_DELAYS = tuple(
    timedelta(seconds=seconds)
    for seconds in (30, 120, 600, 3_600, 3 * 3_600, 8 * 3_600, 24 * 3_600, 24 * 3_600, 24 * 3_600)
)
REFUSED, NO_DATA = "refused", "nothing"

log = structlog.get_logger(__name__)


def enqueue_deliveries(user_id: UUID, now: datetime) -> bool:
    """Create deliveries for new events; returns whether any delivery is due."""
    for webhook in Webhook.objects.filter(user_id=user_id):
        since = max(webhook.since, now - LOOKBACK)
        made = WebhookDelivery.objects.filter(user_id=user_id, webhook_id=webhook.id, occurred_at__gte=since)
        known = set(made.values_list("kind", "subject_id"))
        WebhookDelivery.objects.bulk_create(
            (
                _delivery(webhook, each.kind, each.subject_id, each.at)
                for each in events_since(user_id, tuple(webhook.events), since)
                if (each.kind, each.subject_id) not in known
            ),
            ignore_conflicts=True,
        )
    return _due(user_id, now).exists()


def deliver_next(user_id: UUID, now: datetime) -> bool:
    """Attempt one due delivery; returns whether there was one.

    The claim is committed before anything is sent. When a worker dies, another one retries after the claim
    expired, so a message may arrive twice with the same id.
    """
    claimed = _claim(user_id, now)
    if claimed is None:
        return False
    claimed.status, claimed.failure = _sent(claimed, now)
    _record(claimed, now)
    return True


def send_test(webhook: Webhook, now: datetime) -> WebhookDelivery:
    """Create the delivery of a test message."""
    delivery = _delivery(webhook, TEST, webhook.id, now)
    tests = WebhookDelivery.objects.filter(user_id=webhook.user_id, webhook_id=webhook.id)
    tests.filter(kind=TEST).delete()
    delivery.save(force_insert=True)
    return delivery


def delete_old_deliveries(user_id: UUID, now: datetime) -> int:
    """Delete finished deliveries older than a month; returns how many."""
    old = WebhookDelivery.objects.filter(user_id=user_id, next_at=None, occurred_at__lt=now - KEEP_DELIVERIES)
    return old.delete()[0]


def _delivery(webhook: Webhook, kind: str, subject_id: UUID, at: datetime) -> WebhookDelivery:
    return WebhookDelivery(
        user_id=webhook.user_id,
        webhook_id=webhook.id,
        kind=kind,
        subject_id=subject_id,
        occurred_at=at,
        next_at=at,
    )


def _due(user_id: UUID, now: datetime) -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.filter(user_id=user_id, next_at__lte=now)


def _claim(user_id: UUID, now: datetime) -> WebhookDelivery | None:
    with transaction.atomic():
        waiting = _due(user_id, now).order_by("next_at", "id")
        delivery = waiting.select_for_update(skip_locked=True, of=("self",)).first()
        if delivery is None:
            return None
        delivery.attempts += 1
        delivery.next_at = now + LEASE
        delivery.save(update_fields=("attempts", "next_at"))
    return delivery


def _sent(delivery: WebhookDelivery, now: datetime) -> tuple[int, str]:
    """The status of the response, or 0 and the reason why there was none."""
    webhook = Webhook.objects.get(user_id=delivery.user_id, id=delivery.webhook_id)
    data = payload_of(delivery.user_id, delivery.kind, delivery.subject_id)
    if data is None:
        return 0, NO_DATA
    message = {"type": f"memory.{delivery.kind}", "timestamp": delivery.occurred_at.isoformat(), "data": data}
    body = json.dumps(message).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Palace",
        **signed(webhook, f"msg_{delivery.id.hex}", body, now),
    }
    try:
        return post(resolve(webhook.url, private=settings.WEBHOOKS_PRIVATE), body, headers), ""
    except AddressRefused:
        return 0, REFUSED
    except NoResponse as error:
        return 0, error.reason


def _record(delivery: WebhookDelivery, now: datetime) -> None:
    is_delivered = HTTPStatus.OK <= delivery.status < HTTPStatus.MULTIPLE_CHOICES
    delivery.next_at = None
    with transaction.atomic():
        if is_delivered:
            delivery.delivered_at = now
            webhook = Webhook.objects.filter(user_id=delivery.user_id, id=delivery.webhook_id)
            webhook.update(last_success_at=now)
        elif delivery.failure != NO_DATA and delivery.attempts <= len(RETRY_DELAYS):
            delivery.next_at = now + RETRY_DELAYS[delivery.attempts - 1]
        delivery.save(update_fields=("status", "failure", "next_at", "delivered_at"))
    if not is_delivered:
        log.info("webhook failed", status=delivery.status, failure=delivery.failure)
