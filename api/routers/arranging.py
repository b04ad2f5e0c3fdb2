"""Merging and moving wings, rooms, closets and drawers, and taking it back."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Router

from accounts.http import BearerRequest
from api.doors import WRITE
from api.schemas import palace as told
from memory.arranging import merging, moving, undoing
from memory.arranging.places import Target
from memory.models import PalaceEdit

router = Router(tags=["Palace"])


@router.post("wings/{uuid:wing_id}/merge", response=told.Changed, auth=WRITE, summary="Merge wings")
def merge_wings(request: BearerRequest, wing_id: UUID, given: told.Other) -> Any:
    """Take another wing for the same as this one, which keeps its name."""
    return _merged(request, "wing", wing_id, given.other)


@router.post("rooms/{uuid:room_id}/merge", response=told.Changed, auth=WRITE, summary="Merge rooms")
def merge_rooms(request: BearerRequest, room_id: UUID, given: told.Other) -> Any:
    """Take another room for the same as this one, which keeps its title."""
    return _merged(request, "room", room_id, given.other)


@router.post(
    "closets/{uuid:closet_id}/merge", response=told.Changed, auth=WRITE, summary="Merge closets"
)
def merge_closets(request: BearerRequest, closet_id: UUID, given: told.Other) -> Any:
    """Take another closet of the same room for the same as this one, which keeps its name."""
    return _merged(request, "closet", closet_id, given.other)


@router.post("rooms/{uuid:room_id}/move", response=told.Changed, auth=WRITE, summary="Move a room")
def move_room(request: BearerRequest, room_id: UUID, given: told.Into) -> Any:
    """Put a room into another wing. Pointers stay as they are."""
    target = Target("room", room_id)
    return _made(moving.move(request.user.id, target, given.into, timezone.now()))


@router.post(
    "closets/{uuid:closet_id}/move", response=told.Changed, auth=WRITE, summary="Move a closet"
)
def move_closet(request: BearerRequest, closet_id: UUID, given: told.Into) -> Any:
    """Put a closet into another room. Pointers stay as they are."""
    target = Target("closet", closet_id)
    return _made(moving.move(request.user.id, target, given.into, timezone.now()))


@router.post("drawers/move", response=told.Changed, auth=WRITE, summary="Move drawers")
def move_drawers(request: BearerRequest, given: told.MovedDrawers) -> Any:
    """Put drawers under another subject. Pointers stay as they are."""
    to = moving.Destination(given.wing, given.closet)
    outcome = moving.move_drawers(request.user.id, given.drawers, to, timezone.now())
    changes = [outcome.edit.batch_id] if outcome.edit else []
    return {"changes": changes, "left": list(outcome.left)}


@router.post(
    "changes/{uuid:change_id}/undo", response=told.Undone, auth=WRITE, summary="Take a change back"
)
def undo_change(request: BearerRequest, change_id: UUID) -> Any:
    """Take back what was renamed, merged, moved or marked at once."""
    return {"changes": len(undoing.undo(request.user.id, change_id, timezone.now()))}


def _merged(request: BearerRequest, scope: str, kept: UUID, other: UUID) -> dict[str, Any]:
    targets = Target(scope, kept), Target(scope, other)
    return _made(merging.merge(request.user.id, *targets, timezone.now()))


def _made(edit: PalaceEdit) -> dict[str, Any]:
    return {"changes": [edit.batch_id]}
