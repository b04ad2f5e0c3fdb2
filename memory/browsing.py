"""Reads the palace for its pages: wings, rooms, closets and drawers as plain values.

Every list comes a page at a time and goes on after the last row shown, so that a long list costs
as little as a short one. Only what holds a drawer outside the trash is listed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Left

from memory.aaak import Pointer
from memory.cursors import Page, after_moment, after_number, moment_and_id, number_and_id
from memory.models import Closet, Drawer, Room, Wing

WINGS_A_PAGE = 100
PAGE = 50
EXCERPT = 320

_LINE = (
    *("id", "pointer_wing", "pointer_room", "pointer_drawer", "role", "speaker", "said_at"),
    *("beginning", "source_sequence", "closet_id", "closet__name", "pinned", "sensitive"),
)


class NoSuchPlace(Exception):
    """This person has no such wing, room or closet, or it lies elsewhere."""


@dataclass(frozen=True, slots=True)
class WingItem:
    """A wing with the number of its rooms and drawers; dates are None when it holds none."""

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


@dataclass(frozen=True, slots=True)
class DrawerItem:
    """The beginning of a drawer's words; `is_whole` when that is all of them."""

    id: UUID
    pointer: Pointer
    role: str
    speaker: str
    said_at: datetime
    excerpt: str
    is_whole: bool
    closet_id: UUID
    closet: str
    pinned: bool
    sensitive: bool


def wings(user_id: UUID, after: str = "") -> Page[WingItem]:
    """Wings, the one most lately spoken of first. Raises CursorUnreadable."""
    by_wing = (
        _rooms(user_id)
        .values("wing_id")
        .annotate(rooms=Count("id"), first=Min("started_at"), last=Max("ended_at"))
    )
    if after:
        moment, last_id = moment_and_id(after)
        by_wing = by_wing.filter(Q(last__lt=moment) | Q(last=moment, wing_id__gt=last_id))
    rows, more = _cut(by_wing.order_by("-last", "wing_id"), WINGS_A_PAGE)
    ids = [row["wing_id"] for row in rows]
    known = {wing.id: wing for wing in Wing.objects.filter(user_id=user_id, id__in=ids)}
    drawers = _counts(Drawer.objects.filter(user_id=user_id, wing_id__in=ids), "wing_id")
    items = tuple(_wing(known[row["wing_id"]], row, drawers) for row in rows)
    return Page(items, after_moment(rows[-1]["last"], items[-1].id) if more else "")


def wing(user_id: UUID, wing_id: UUID) -> WingItem:
    """One wing; raises NoSuchPlace."""
    found = Wing.objects.filter(user_id=user_id, id=wing_id).first()
    if found is None:
        raise NoSuchPlace
    summary = (
        _rooms(user_id)
        .filter(wing_id=wing_id)
        .aggregate(rooms=Count("id"), first=Min("started_at"), last=Max("ended_at"))
    )
    drawers = _counts(Drawer.objects.filter(user_id=user_id, wing_id=wing_id), "wing_id")
    return _wing(found, summary, drawers)


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
    found = Closet.objects.filter(Exists(live), user_id=user_id, room_id=room_id)
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


def drawers_of_room(user_id: UUID, room_id: UUID, after: str = "") -> Page[DrawerItem]:
    """The drawers of a room as they were said. Raises CursorUnreadable."""
    return _drawers(Drawer.objects.live().filter(user_id=user_id, room_id=room_id), after)


def drawers_of_closet(user_id: UUID, closet_id: UUID, after: str = "") -> Page[DrawerItem]:
    """The drawers of a closet as they were said. Raises CursorUnreadable."""
    return _drawers(Drawer.objects.live().filter(user_id=user_id, closet_id=closet_id), after)


def beside(drawer: Drawer) -> tuple[DrawerItem | None, DrawerItem | None]:
    """What was said just before and just after a drawer in its room."""
    live = Drawer.objects.live().filter(user_id=drawer.user_id, room_id=drawer.room_id)
    here = {"source_sequence": drawer.source_sequence}
    earlier = live.filter(
        Q(source_sequence__lt=drawer.source_sequence) | Q(id__lt=drawer.id, **here)
    )
    later = live.filter(Q(source_sequence__gt=drawer.source_sequence) | Q(id__gt=drawer.id, **here))
    before = _read(earlier.order_by("-source_sequence", "-id")[:1])
    following = _read(later.order_by("source_sequence", "id")[:1])
    return (before[0] if before else None, following[0] if following else None)


def _rooms(user_id: UUID) -> QuerySet[Room]:
    live = Drawer.objects.live().filter(
        user_id=OuterRef("user_id"), wing_id=OuterRef("wing_id"), room_id=OuterRef("id")
    )
    return Room.objects.filter(Exists(live), user_id=user_id)


def _cut(rows: QuerySet[Any, Any], most: int) -> tuple[list[Any], bool]:
    found = list(rows[: most + 1])
    return found[:most], len(found) > most


def _counts(drawers: QuerySet[Drawer], field: str) -> dict[UUID, int]:
    grouped = drawers.filter(deleted_at=None).values_list(field).annotate(number=Count("*"))
    return dict(grouped.order_by())


def _wing(wing: Wing, summary: dict[str, Any], drawers: dict[UUID, int]) -> WingItem:
    return WingItem(
        id=wing.id,
        name=wing.name,
        kind=wing.kind,
        ordinal=wing.ordinal,
        rooms=summary["rooms"],
        drawers=drawers.get(wing.id, 0),
        first=summary["first"],
        last=summary["last"],
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


def _drawers(found: QuerySet[Drawer], after: str) -> Page[DrawerItem]:
    if after:
        sequence, last_id = number_and_id(after)
        found = found.filter(
            Q(source_sequence__gt=sequence) | Q(source_sequence=sequence, id__gt=last_id),
            source_sequence__gte=sequence,
        )
    rows, more = _cut(_lines(found.order_by("source_sequence", "id")), PAGE)
    last = rows[-1] if more else None
    after = after_number(last["source_sequence"], last["id"]) if last else ""
    return Page(tuple(_drawer(row) for row in rows), after)


def _read(found: QuerySet[Drawer]) -> list[DrawerItem]:
    return [_drawer(row) for row in _lines(found)]


def _lines(found: QuerySet[Drawer]) -> QuerySet[Drawer, Any]:
    """Only the beginning of each text leaves the database."""
    begun = found.annotate(beginning=Left("content", EXCERPT + 1))
    lines: QuerySet[Drawer, Any] = begun.values(*_LINE)
    return lines


def _drawer(row: dict[str, Any]) -> DrawerItem:
    return DrawerItem(
        id=row["id"],
        pointer=Pointer(row["pointer_wing"], row["pointer_room"], row["pointer_drawer"]),
        role=row["role"],
        speaker=row["speaker"],
        said_at=row["said_at"],
        excerpt=row["beginning"][:EXCERPT],
        is_whole=len(row["beginning"]) <= EXCERPT,
        closet_id=row["closet_id"],
        closet=row["closet__name"],
        pinned=row["pinned"],
        sensitive=row["sensitive"],
    )
