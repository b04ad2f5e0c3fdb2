"""Reads the palace for its pages: wings, rooms and closets as plain values.

Every list comes a page at a time and goes on after the last row shown, so that a long list costs
as little as a short one. Only what holds a drawer outside the trash is listed, and what it holds
is read from the counts that the database keeps.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, Q, QuerySet, Subquery

from memory.cursors import Page, after_moment, moment_and_id
from memory.models import Closet, Drawer, Room, Wing

WINGS_A_PAGE = 40
PAGE = 30


class NoSuchPlace(Exception):
    """This person has no such wing, room or closet, or it lies elsewhere."""


@dataclass(frozen=True, slots=True)
class WingItem:
    """A wing with the number of its rooms and drawers, and when the first and the last of its
    rooms began; None when it holds none."""

    id: UUID
    name: str
    kind: str
    ordinal: int
    rooms: int
    drawers: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class RoomItem:
    """A room with the number of its closets and drawers, and where it came from."""

    id: UUID
    wing_id: UUID
    title: str
    closets: int
    drawers: int
    first: datetime
    last: datetime
    source_kind: str
    source_id: UUID


@dataclass(frozen=True, slots=True)
class ClosetItem:
    """A closet with the number of its drawers and the dates between which they were said."""

    id: UUID
    room_id: UUID
    name: str
    drawers: int
    first: datetime | None
    last: datetime | None


def wings(user_id: UUID, after: str = "", most: int = WINGS_A_PAGE) -> Page[WingItem]:
    """Wings, the one most lately spoken of first. Raises CursorUnreadable."""
    found = Wing.objects.filter(user_id=user_id, last_at__isnull=False)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(
            Q(last_at__lt=moment) | Q(last_at=moment, id__gt=last_id),
            last_at__lte=moment,  # where the index begins
        )
    rows, more = _cut(found.order_by("-last_at", "id"), most)
    items = tuple(_wing(row) for row in rows)
    return Page(items, after_moment(rows[-1].last_at, rows[-1].id) if more else "")


def wing(user_id: UUID, wing_id: UUID) -> WingItem:
    """One wing; raises NoSuchPlace."""
    return _wing(_one(Wing.objects.filter(user_id=user_id, id=wing_id)))


def rooms(user_id: UUID, wing_id: UUID, after: str = "", most: int = PAGE) -> Page[RoomItem]:
    """The rooms of a wing, newest first. Raises CursorUnreadable."""
    found = Room.objects.filter(user_id=user_id, wing_id=wing_id, drawers_held__gt=0)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(
            Q(started_at__lt=moment) | Q(started_at=moment, id__gt=last_id),
            started_at__lte=moment,  # where the index begins
        )
    rows, more = _cut(found.order_by("-started_at", "id"), most)
    items = tuple(_room(row) for row in rows)
    return Page(items, after_moment(items[-1].first, items[-1].id) if more else "")


def room(user_id: UUID, wing_id: UUID, room_id: UUID) -> RoomItem:
    """One room of a wing; raises NoSuchPlace."""
    return _room(_one(Room.objects.filter(user_id=user_id, wing_id=wing_id, id=room_id)))


def found_room(user_id: UUID, room_id: UUID) -> RoomItem:
    """One room, whichever wing it lies in; raises NoSuchPlace."""
    return _room(_one(Room.objects.filter(user_id=user_id, id=room_id)))


def closets(user_id: UUID, room_id: UUID, after: str = "", most: int = PAGE) -> Page[ClosetItem]:
    """The closets of a room in the order they were made. Raises CursorUnreadable."""
    found = Closet.objects.filter(user_id=user_id, room_id=room_id, drawers_held__gt=0)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(created_at__gt=moment) | Q(created_at=moment, id__gt=last_id))
    rows, more = _cut(_dated(found).order_by("created_at", "id"), most)
    items = tuple(_closet(row) for row in rows)
    return Page(items, after_moment(rows[-1].created_at, rows[-1].id) if more else "")


def closet(user_id: UUID, room_id: UUID, closet_id: UUID) -> ClosetItem:
    """One closet of a room; raises NoSuchPlace."""
    found = Closet.objects.filter(user_id=user_id, room_id=room_id, id=closet_id)
    return _closet(_one(_dated(found)))


def found_closet(user_id: UUID, closet_id: UUID) -> ClosetItem:
    """One closet, whichever room it lies in; raises NoSuchPlace."""
    return _closet(_one(_dated(Closet.objects.filter(user_id=user_id, id=closet_id))))


def _one(found: QuerySet[Any]) -> Any:
    place = found.filter(merged_into_id=None).first()
    if place is None:
        raise NoSuchPlace
    return place


def _dated(closets: QuerySet[Any]) -> Any:
    """Closets with when their first and last drawer outside the trash was said."""
    live = Drawer.objects.live().filter(user_id=OuterRef("user_id"), closet_id=OuterRef("id"))
    said = live.values("said_at")
    return closets.annotate(
        first=Subquery(said.order_by("said_at")[:1]), last=Subquery(said.order_by("-said_at")[:1])
    )


def _cut(rows: QuerySet[Any, Any], most: int) -> tuple[list[Any], bool]:
    found = list(rows[: most + 1])
    return found[:most], len(found) > most


def _wing(wing: Wing) -> WingItem:
    return WingItem(
        id=wing.id,
        name=wing.name,
        kind=wing.kind,
        ordinal=wing.ordinal,
        rooms=wing.rooms_held,
        drawers=wing.drawers_held,
        first=wing.first_at,
        last=wing.last_at,
    )


def _room(room: Room) -> RoomItem:
    return RoomItem(
        id=room.id,
        wing_id=room.wing_id,
        title=room.title,
        closets=room.closets_held,
        drawers=room.drawers_held,
        first=room.started_at,
        last=room.ended_at,
        source_kind=room.source_kind,
        source_id=room.source_id,
    )


def _closet(closet: Any) -> ClosetItem:
    return ClosetItem(
        id=closet.id,
        room_id=closet.room_id,
        name=closet.name,
        drawers=closet.drawers_held,
        first=closet.first,
        last=closet.last,
    )
