"""Wings, rooms and closets: reading and naming them, and putting them into the trash."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router

from accounts.http import BearerRequest
from api.arranging import change_wing as changed
from api.doors import WRITE
from api.paging import Asked, Paged, paged
from api.schemas import palace as told
from api.schemas.values import Deleted
from memory import browsing, drawer_lists, erasure
from memory.arranging.naming import rename
from memory.arranging.places import Target, place_of
from memory.summaries import summary_of

router = Router(tags=["Palace"])


@router.get("wings", response=Paged[told.Wing], summary="Wings, the latest spoken of first")
def wings(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Every subject that holds a drawer."""
    return paged(browsing.wings(request.user.id, asked.after, asked.limit))


@router.get("wings/{uuid:wing_id}", response=told.Wing, summary="One wing")
def wing(request: BearerRequest, wing_id: UUID) -> Any:
    """A subject with the number of its rooms and drawers."""
    return browsing.wing(request.user.id, wing_id)


@router.delete("wings/{uuid:wing_id}", response=Deleted, auth=WRITE, summary="Delete a wing")
def delete_wing(request: BearerRequest, wing_id: UUID) -> Any:
    """Put every drawer of a wing, and what is known from them alone, into the trash."""
    return erasure.delete(request.user.id, "wing", wing_id, timezone.now())


@router.get("wings/{uuid:wing_id}/rooms", response=Paged[told.Room], summary="Rooms of a wing")
def rooms(request: BearerRequest, wing_id: UUID, asked: Query[Asked]) -> Any:
    """The rooms of a wing, newest first."""
    browsing.wing(request.user.id, wing_id)
    return paged(browsing.rooms(request.user.id, wing_id, asked.after, asked.limit))


@router.get("rooms/{uuid:room_id}", response=told.Room, summary="One room")
def room(request: BearerRequest, room_id: UUID) -> Any:
    """A slice of time in a wing."""
    return browsing.found_room(request.user.id, room_id)


@router.delete("rooms/{uuid:room_id}", response=Deleted, auth=WRITE, summary="Delete a room")
def delete_room(request: BearerRequest, room_id: UUID) -> Any:
    """Put every drawer of a room, and what is known from them alone, into the trash."""
    return erasure.delete(request.user.id, "room", room_id, timezone.now())


@router.get(
    "rooms/{uuid:room_id}/closets", response=Paged[told.Closet], summary="Closets of a room"
)
def closets(request: BearerRequest, room_id: UUID, asked: Query[Asked]) -> Any:
    """The topics of a room in the order they were made."""
    browsing.found_room(request.user.id, room_id)
    return paged(browsing.closets(request.user.id, room_id, asked.after, asked.limit))


@router.get(
    "rooms/{uuid:room_id}/drawers", response=Paged[told.DrawerItem], summary="Drawers of a room"
)
def drawers_of_room(request: BearerRequest, room_id: UUID, asked: Query[Asked]) -> Any:
    """The drawers of a room as they were said."""
    browsing.found_room(request.user.id, room_id)
    found = drawer_lists.drawers_of_room(request.user.id, room_id, asked.after, asked.limit)
    return paged(found)


@router.get("rooms/{uuid:room_id}/summary", response=told.Summary, summary="What a room is about")
def summary_of_room(request: BearerRequest, room_id: UUID) -> Any:
    """A few sentences by the machine; empty when there are none yet."""
    browsing.found_room(request.user.id, room_id)
    return told.Summary.of(summary_of(request.user.id, room_id))


@router.get("closets/{uuid:closet_id}", response=told.Closet, summary="One closet")
def closet(request: BearerRequest, closet_id: UUID) -> Any:
    """A topic of a room."""
    return browsing.found_closet(request.user.id, closet_id)


@router.delete("closets/{uuid:closet_id}", response=Deleted, auth=WRITE, summary="Delete a closet")
def delete_closet(request: BearerRequest, closet_id: UUID) -> Any:
    """Put every drawer of a closet, and what is known from them alone, into the trash."""
    return erasure.delete(request.user.id, "closet", closet_id, timezone.now())


@router.get(
    "closets/{uuid:closet_id}/drawers",
    response=Paged[told.DrawerItem],
    summary="Drawers of a closet",
)
def drawers_of_closet(request: BearerRequest, closet_id: UUID, asked: Query[Asked]) -> Any:
    """The drawers of a closet as they were said."""
    browsing.found_closet(request.user.id, closet_id)
    found = drawer_lists.drawers_of_closet(request.user.id, closet_id, asked.after, asked.limit)
    return paged(found)


@router.get(
    "closets/{uuid:closet_id}/summary", response=told.Summary, summary="What a closet is about"
)
def summary_of_closet(request: BearerRequest, closet_id: UUID) -> Any:
    """A few sentences by the machine; empty when there are none yet."""
    browsing.found_closet(request.user.id, closet_id)
    return told.Summary.of(summary_of(request.user.id, closet_id))


@router.patch("wings/{uuid:wing_id}", response=told.Changed, auth=WRITE, summary="Rename a wing")
def change_wing(request: BearerRequest, wing_id: UUID, change: told.WingChange) -> Any:
    """Give a wing another name or kind; its old name still finds it."""
    place_of(request.user.id, "wing", wing_id)
    return {"changes": changed(request.user.id, wing_id, change, timezone.now())}


@router.patch("rooms/{uuid:room_id}", response=told.Changed, auth=WRITE, summary="Rename a room")
def rename_room(request: BearerRequest, room_id: UUID, new: told.NewName) -> Any:
    """Give a room another title."""
    target = Target("room", room_id)
    edit = rename(request.user.id, target, new.name, timezone.now())
    return {"changes": [edit.batch_id]}


@router.patch(
    "closets/{uuid:closet_id}", response=told.Changed, auth=WRITE, summary="Rename a closet"
)
def rename_closet(request: BearerRequest, closet_id: UUID, new: told.NewName) -> Any:
    """Give a closet another name; its old name still finds it."""
    target = Target("closet", closet_id)
    edit = rename(request.user.id, target, new.name, timezone.now())
    return {"changes": [edit.batch_id]}
