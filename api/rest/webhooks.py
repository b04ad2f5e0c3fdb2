"""Webhook endpoints: their events, secrets and deliveries."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Router, Schema, Status
from pydantic import Field

from accounts.http import BearerRequest
from api import models
from api.auth import WRITE
from api.rest.schemas import Id, Paged, PageQuery, StrictSchema, paged
from api.webhooks import subscriptions
from api.webhooks.delivery import send_test
from api.webhooks.http import secret_of
from llm.addresses import MAX_URL_LENGTH
from memory.paging import paginate

router = Router(tags=["Webhooks"])
Events = Annotated[list[Literal["mined", "reviewed", "forgotten"]], Field(min_length=1, max_length=3)]


class NewWebhook(StrictSchema):
    """A URL to notify, and the events to notify it of."""

    url: Annotated[str, Field(min_length=1, max_length=MAX_URL_LENGTH)]
    events: Events = ["mined", "reviewed", "forgotten"]


class Webhook(Schema):
    """A webhook endpoint. While it is paused, `pause_reason` is `gone` or `failing`, or `owner` if you
    paused it in an earlier version."""

    id: UUID
    url: str
    events: list[str]
    created_at: datetime
    paused_at: datetime | None
    pause_reason: str = Field(validation_alias="paused_because")
    last_success_at: datetime | None = Field(validation_alias="worked_at")


class WebhookSecret(Schema):
    """The signing secret, in the format of standardwebhooks.com."""

    secret: str


class WebhookDelivery(Schema):
    """A message to a webhook. `next_attempt_at` is null once it was delivered or given up; `status` is the
    last HTTP status, 0 without a response; `error` names the reason of a failure."""

    id: UUID
    event: str = Field(validation_alias="kind")
    occurred_at: datetime = Field(validation_alias="happened_at")
    attempts: int
    next_attempt_at: datetime | None = Field(validation_alias="next_at")
    status: int
    error: str = Field(validation_alias="failure")
    delivered_at: datetime | None


@router.get("webhooks", response=Paged[Webhook])
def list_webhooks(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List webhooks, oldest first."""
    found = subscriptions.webhooks_of(request.user.id)
    return paged(paginate(found, "created_at", "id", query.after, query.limit))


@router.post("webhooks", response={201: Id}, auth=WRITE)
def create_webhook(request: BearerRequest, new: NewWebhook) -> Any:
    """Create a webhook.

    Messages hold ids and counts, never text."""
    events: list[str] = sorted({*new.events})
    return Status(201, subscriptions.add_webhook(request.user.id, new.url.strip(), events, timezone.now()))


@router.get("webhooks/{uuid:webhook_id}", response=Webhook)
def get_webhook(request: BearerRequest, webhook_id: UUID) -> Any:
    """Get a webhook."""
    return _found(request, webhook_id)


@router.delete("webhooks/{uuid:webhook_id}", response=Id, auth=WRITE)
def delete_webhook(request: BearerRequest, webhook_id: UUID) -> Any:
    """Delete a webhook and its pending messages."""
    subscriptions.remove_webhook(_found(request, webhook_id))
    return {"id": webhook_id}


@router.get("webhooks/{uuid:webhook_id}/secret", response=WebhookSecret, auth=WRITE)
def get_webhook_secret(request: BearerRequest, webhook_id: UUID) -> Any:
    """Get the signing secret of a webhook."""
    return {"secret": secret_of(_found(request, webhook_id))}


@router.post("webhooks/{uuid:webhook_id}/resume", response=Id, auth=WRITE)
def resume_webhook(request: BearerRequest, webhook_id: UUID) -> Any:
    """Resume a paused webhook and send its pending messages."""
    subscriptions.resume(_found(request, webhook_id), timezone.now())
    return {"id": webhook_id}


@router.post("webhooks/{uuid:webhook_id}/test", response={202: Id}, auth=WRITE)
def send_test_message(request: BearerRequest, webhook_id: UUID) -> Any:
    """Send a test message.

    It is sent within a few seconds; `GET …/deliveries` shows the result."""
    send_test(_found(request, webhook_id), timezone.now())
    return Status(202, {"id": webhook_id})


@router.get("webhooks/{uuid:webhook_id}/deliveries", response=Paged[WebhookDelivery])
def list_webhook_deliveries(request: BearerRequest, webhook_id: UUID, query: Query[PageQuery]) -> Any:
    """List the last twenty messages of a webhook, newest first."""
    found = subscriptions.deliveries_of(_found(request, webhook_id))
    return paged(paginate(found, "-happened_at", "-id", query.after, query.limit))


def _found(request: BearerRequest, webhook_id: UUID) -> models.Webhook:
    return get_object_or_404(subscriptions.webhooks_of(request.user.id), id=webhook_id)
