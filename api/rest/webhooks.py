"""Addresses that are told what happens to one's memory."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.http import BearerRequest
from api.auth import WRITE
from api.models import Webhook
from api.problems import Refused
from api.rest import account as told
from api.rest.paging import Asked, Paged, paged, part_of
from api.rest.values import Made
from api.webhooks import subscriptions
from api.webhooks.addresses import AddressRefused
from api.webhooks.delivery import try_now
from api.webhooks.http import secret_of

router = Router(tags=["Webhooks"])


@router.get("webhooks", response=Paged[told.Webhook], summary="Webhooks, oldest first")
def webhooks(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Every address that is told, and whether it works."""
    found = subscriptions.webhooks_of(request.user.id)
    return paged(part_of(found, "created_at", asked, newest_first=False))


@router.post("webhooks", response={201: Made}, auth=WRITE, summary="Add a webhook")
def add_webhook(request: BearerRequest, new: told.NewWebhook) -> Any:
    """Tell an address from now on, in ids and numbers and never in words."""
    events: list[str] = sorted({*new.events})
    try:
        made = subscriptions.add_webhook(request.user.id, new.url.strip(), events, timezone.now())
    except AddressRefused as error:
        raise Refused(422, str(error)) from error
    return Status(201, {"id": made.id})


@router.get("webhooks/{uuid:webhook_id}", response=told.Webhook, summary="One webhook")
def webhook(request: BearerRequest, webhook_id: UUID) -> Any:
    """An address, and whether it works."""
    return _found(request, webhook_id)


@router.delete("webhooks/{uuid:webhook_id}", response=Made, auth=WRITE, summary="Remove it")
def remove_webhook(request: BearerRequest, webhook_id: UUID) -> Any:
    """Tell the address nothing any more; what was on its way is not sent."""
    subscriptions.remove_webhook(_found(request, webhook_id))
    return {"id": webhook_id}


@router.get("webhooks/{uuid:webhook_id}/secret", response=told.Secret, auth=WRITE, summary="Its secret")
def webhook_secret(request: BearerRequest, webhook_id: UUID) -> Any:
    """What its messages are signed with."""
    return {"secret": secret_of(_found(request, webhook_id))}


@router.post("webhooks/{uuid:webhook_id}/secret", response=Made, auth=WRITE, summary="Make another secret")
def renew_secret(request: BearerRequest, webhook_id: UUID) -> Any:
    """Sign with another secret from now on."""
    subscriptions.renew_secret(_found(request, webhook_id))
    return {"id": webhook_id}


@router.post("webhooks/{uuid:webhook_id}/pause", response=Made, auth=WRITE, summary="Pause it")
def pause_webhook(request: BearerRequest, webhook_id: UUID) -> Any:
    """Tell nothing until it is resumed. One that is paused stays so."""
    found = _found(request, webhook_id)
    if found.paused_at is None:
        subscriptions.pause(found, timezone.now())
    return {"id": webhook_id}


@router.post("webhooks/{uuid:webhook_id}/resume", response=Made, auth=WRITE, summary="Resume it")
def resume_webhook(request: BearerRequest, webhook_id: UUID) -> Any:
    """Tell what waits, and what happens from now on. One that is not paused goes on as it does."""
    found = _found(request, webhook_id)
    if found.paused_at is not None:
        subscriptions.resume(found, timezone.now())
    return {"id": webhook_id}


@router.post("webhooks/{uuid:webhook_id}/test", response={202: Made}, auth=WRITE, summary="Send a test")
def try_webhook(request: BearerRequest, webhook_id: UUID) -> Any:
    """A test message is sent within a few seconds; `deliveries` says how that went."""
    try_now(_found(request, webhook_id), timezone.now())
    return Status(202, {"id": webhook_id})


@router.get(
    "webhooks/{uuid:webhook_id}/deliveries",
    response=Paged[told.Delivery],
    summary="What it was told",
)
def webhook_deliveries(request: BearerRequest, webhook_id: UUID, asked: Query[Asked]) -> Any:
    """The last twenty messages to this address, newest first."""
    return paged(part_of(subscriptions.deliveries_of(_found(request, webhook_id)), "happened_at", asked))


def _found(request: BearerRequest, webhook_id: UUID) -> Webhook:
    return get_object_or_404(subscriptions.webhooks_of(request.user.id), id=webhook_id)
