"""Forgetting by every scope: looking first, into the trash or at once, with a receipt."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Router, Status

from accounts.http import BearerRequest
from api.auth import WRITE
from api.problems import Refused
from api.rest import memory as told
from memory.forgetting import requests, trash
from memory.forgetting.receipts import receipt_of
from memory.forgetting.scopes import ForgetRequest

router = Router(tags=["Forgetting"])


@router.post("forget/preview", response=told.Preview, summary="What would be forgotten")
def preview(request: BearerRequest, wish: told.Wish) -> Any:
    """Counts by store and the first of the words. Nothing is changed."""
    return requests.preview(request.user.id, _wanted(wish))


@router.post("forget", response={201: told.Receipt}, auth=WRITE, summary="Forget")
def forget(request: BearerRequest, wish: told.Forget) -> Any:
    """Put it into the trash, from which it can be taken back for 30 days, or erase it at once."""
    if wish.kind == "everything" and not wish.confirmed:
        raise Refused(422, "Forgetting everything has to be confirmed: send `confirmed`.")
    act = requests.forget_now if wish.now else requests.forget
    return Status(201, act(request.user.id, _wanted(wish), timezone.now()))


@router.post("trash/{uuid:deletion_id}/erase", response=told.Receipt, auth=WRITE, summary="Erase it now")
def erase_now(request: BearerRequest, deletion_id: UUID) -> Any:
    """Make final what lies in the trash, and search every table for what is left of its words."""
    return requests.erase_now(request.user.id, deletion_id, timezone.now())


@router.post("trash/{uuid:deletion_id}/undo", response=told.Receipt, auth=WRITE, summary="Take it back")
def undo_deletion(request: BearerRequest, deletion_id: UUID) -> Any:
    """Take a deletion back: memory as it was, and the chats that were hidden with it."""
    trash.undo(request.user.id, deletion_id, timezone.now())
    return receipt_of(request.user.id, deletion_id)


@router.get("receipts/{uuid:deletion_id}", response=told.Receipt, summary="A receipt")
def receipt(request: BearerRequest, deletion_id: UUID) -> Any:
    """What was forgotten, in numbers, readable long after the words are gone."""
    return receipt_of(request.user.id, deletion_id)


def _wanted(wish: told.Wish) -> ForgetRequest:
    return ForgetRequest(
        kind=wish.kind,
        object_id=wish.id,
        name=wish.project,
        since=wish.since,
        until=wish.until,
        with_chats=wish.chats,
    )
