"""Reads the palace for its pages: wings, rooms and closets as plain values.

Every list comes a page at a time and goes on after the last row shown, so that a long list costs
as little as a short one. Only what holds a drawer outside the trash is listed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Min, OuterRef, Q, QuerySet, Subquery

from memory.cursors import Page, after_moment, moment_and_id
from memory.models import Closet, Drawer, Room, Wing

WINGS_A_PAGE = 100
PAGE = 50


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


def wings(user_id: UUID, after: str = "") -> Page[WingItem]:
    """Wings, the one most lately spoken of first. Raises CursorUnreadable."""
    found = _dated_wings(user_id).filter(last__isnull=False)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(last__lt=moment) | Q(last=moment, id__gt=last_id))
    rows, more = _cut(found.order_by("-last", "id"), WINGS_A_PAGE)
    items = _wing_items(user_id, rows)
    return Page(items, after_moment(rows[-1].last, rows[-1].id) if more else "")


def wing(user_id: UUID, wing_id: UUID) -> WingItem:
    """One wing; raises NoSuchPlace."""
    found = _dated_wings(user_id).filter(id=wing_id).first()
    if found is None:
        raise NoSuchPlace
    return _wing_items(user_id, [found])[0]


def rooms(user_id: UUID, wing_id: UUID, after: str = "") -> Page[RoomItem]:
    """The rooms of a wing, newest first. Raises CursorUnreadable."""
    found = _rooms(user_id).filter(wing_id=wing_id)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(
            Q(started_at__lt=moment) | Q(started_at=moment, id__gt=last_id),
            started_at__lte=moment,  # where the index begins
        )
    rows, more = _cut(found.order_by("-started_at", "id"), PAGE)
    items = _room_items(user_id, rows)
    return Page(items, after_moment(items[-1].first, items[-1].id) if more else "")


def room(user_id: UUID, wing_id: UUID, room_id: UUID) -> RoomItem:
    """One room of a wing; raises NoSuchPlace."""
    found = Room.objects.filter(user_id=user_id, wing_id=wing_id, id=room_id).first()
    if found is None:
        raise NoSuchPlace
    return _room_items(user_id, [found])[0]


def closets(user_id: UUID, room_id: UUID, after: str = "") -> Page[ClosetItem]:
    """The closets of a room in the order they were made. Raises CursorUnreadable."""
    live = Drawer.objects.live().filter(user_id=OuterRef("user_id"), closet_id=OuterRef("id"))
    found = _holding(Closet.objects.filter(user_id=user_id, room_id=room_id), live)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(created_at__gt=moment) | Q(created_at=moment, id__gt=last_id))
    rows, more = _cut(found.order_by("created_at", "id"), PAGE)
    items = _closet_items(user_id, rows)
    return Page(items, after_moment(rows[-1].created_at, rows[-1].id) if more else "")


def closet(user_id: UUID, room_id: UUID, closet_id: UUID) -> ClosetItem:
    """One closet of a room; raises NoSuchPlace."""
    found = Closet.objects.filter(user_id=user_id, room_id=room_id, id=closet_id).first()
    if found is None:
        raise NoSuchPlace
    return _closet_items(user_id, [found])[0]


def _dated_wings(user_id: UUID) -> Any:
    """A queryset of wings with when their first and last room that holds a drawer began, None
    without one."""
    inside = _rooms(user_id).filter(wing_id=OuterRef("id")).values("started_at")
    return Wing.objects.filter(user_id=user_id).annotate(
        first=Subquery(inside.order_by("started_at")[:1]),
        last=Subquery(inside.order_by("-started_at")[:1]),
    )


def _rooms(user_id: UUID) -> Any:
    """A queryset of the person's rooms that hold a drawer."""
    live = Drawer.objects.live().filter(
        user_id=OuterRef("user_id"), wing_id=OuterRef("wing_id"), room_id=OuterRef("id")
    )
    return _holding(Room.objects.filter(user_id=user_id), live)


def _holding(places: QuerySet[Any], live: QuerySet[Drawer]) -> Any:
    """Places with a drawer outside the trash. A subquery with a limit is looked up by index for
    each place; an EXISTS would be joined, ruinously so before a big import has been analysed."""
    drawer = Subquery(live.values("id")[:1])
    return places.alias(a_drawer=drawer).filter(a_drawer__isnull=False)


def _cut(rows: QuerySet[Any, Any], most: int) -> tuple[list[Any], bool]:
    found = list(rows[: most + 1])
    return found[:most], len(found) > most


def _wing_items(user_id: UUID, found: Sequence[Any]) -> tuple[WingItem, ...]:
    live = Drawer.objects.live().filter(user_id=user_id, wing_id__in=[wing.id for wing in found])
    counted = live.values("wing_id").annotate(
        drawers=Count("*"), rooms=Count("room_id", distinct=True)
    )
    counts: dict[UUID, Mapping[str, Any]] = {row["wing_id"]: row for row in counted.order_by()}
    return tuple(_wing(wing, counts.get(wing.id, {"drawers": 0, "rooms": 0})) for wing in found)


def _wing(wing: Any, counts: Mapping[str, Any]) -> WingItem:
    return WingItem(
        id=wing.id,
        name=wing.name,
        kind=wing.kind,
        ordinal=wing.ordinal,
        rooms=counts["rooms"],
        drawers=counts["drawers"],
        first=wing.first,
        last=wing.last,
    )


def _room_items(user_id: UUID, found: Sequence[Room]) -> tuple[RoomItem, ...]:
    live = Drawer.objects.live().filter(user_id=user_id, room_id__in=[room.id for room in found])
    counted = live.values("room_id").annotate(
        drawers=Count("*"), closets=Count("closet_id", distinct=True)
    )
    counts: dict[UUID, Mapping[str, Any]] = {row["room_id"]: row for row in counted.order_by()}
    return tuple(_room(room, counts.get(room.id, {"drawers": 0, "closets": 0})) for room in found)


def _room(room: Room, counts: Mapping[str, Any]) -> RoomItem:
    return RoomItem(
        id=room.id,
        wing_id=room.wing_id,
        title=room.title,
        closets=counts["closets"],
        drawers=counts["drawers"],
        first=room.started_at,
        last=room.ended_at,
        source_kind=room.source_kind,
        source_id=room.source_id,
    )


def _closet_items(user_id: UUID, found: Sequence[Closet]) -> tuple[ClosetItem, ...]:
    live = Drawer.objects.live().filter(user_id=user_id, closet_id__in=[each.id for each in found])
    counted = live.values("closet_id").annotate(
        drawers=Count("*"), first=Min("said_at"), last=Max("said_at")
    )
    counts: dict[UUID, Mapping[str, Any]] = {row["closet_id"]: row for row in counted.order_by()}
    nothing = {"drawers": 0, "first": None, "last": None}
    return tuple(_closet(each, counts.get(each.id, nothing)) for each in found)


def _closet(closet: Closet, counts: Mapping[str, Any]) -> ClosetItem:
    return ClosetItem(
        id=closet.id,
        room_id=closet.room_id,
        name=closet.name,
        drawers=counts["drawers"],
        first=counts["first"],
        last=counts["last"],
    )
