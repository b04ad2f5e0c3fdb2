"""Reads drawers for pages: the beginning of each, a page at a time, none from the trash."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Left

from memory.aaak import Pointer
from memory.cursors import Page, after_moment, moment_and_id
from memory.models import Drawer

PAGE = 20
EXCERPT = 320

_LINE = (
    *("id", "pointer_wing", "pointer_room", "pointer_drawer", "role", "speaker", "said_at"),
    *("beginning", "closet_id", "closet__name", "pinned", "sensitive"),
)


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


def drawers_of_room(
    user_id: UUID, room_id: UUID, after: str = "", most: int = PAGE
) -> Page[DrawerItem]:
    """The drawers of a room as they were said. Raises CursorUnreadable."""
    return _drawers(Drawer.objects.live().filter(user_id=user_id, room_id=room_id), after, most)


def drawers_of_closet(
    user_id: UUID, closet_id: UUID, after: str = "", most: int = PAGE
) -> Page[DrawerItem]:
    """The drawers of a closet as they were said. Raises CursorUnreadable."""
    return _drawers(Drawer.objects.live().filter(user_id=user_id, closet_id=closet_id), after, most)


def drawers_between(
    user_id: UUID, start: datetime, end: datetime, after: str = "", most: int = PAGE
) -> Page[DrawerItem]:
    """The drawers said from one instant to another, both included, as they were said. Raises
    CursorUnreadable."""
    found = Drawer.objects.live().filter(user_id=user_id, said_at__range=(start, end))
    return _drawers(found, after, most)


def beside(drawer: Drawer) -> tuple[DrawerItem | None, DrawerItem | None]:
    """What was said just before and just after a drawer in its room."""
    live = Drawer.objects.live().filter(user_id=drawer.user_id, room_id=drawer.room_id)
    here = {"said_at": drawer.said_at}
    earlier = live.filter(
        Q(said_at__lt=drawer.said_at) | Q(id__lt=drawer.id, **here),
        said_at__lte=drawer.said_at,  # where the index begins
    )
    later = live.filter(
        Q(said_at__gt=drawer.said_at) | Q(id__gt=drawer.id, **here),
        said_at__gte=drawer.said_at,
    )
    before = _read(earlier.order_by("-said_at", "-id")[:1])
    following = _read(later.order_by("said_at", "id")[:1])
    return (before[0] if before else None, following[0] if following else None)


def _drawers(found: QuerySet[Drawer], after: str, most: int) -> Page[DrawerItem]:
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(
            Q(said_at__gt=moment) | Q(said_at=moment, id__gt=last_id), said_at__gte=moment
        )
    found_rows = list(_lines(found.order_by("said_at", "id"))[: most + 1])
    rows = found_rows[:most]
    last = rows[-1] if len(found_rows) > most else None
    after = after_moment(last["said_at"], last["id"]) if last else ""
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
