"""Reads what lies in the trash: one entry a deletion."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Q
from django.db.models.functions import Left

from memory.cursors import Page, after_moment, moment_and_id
from memory.models import ActivityEvent, Drawer

KEPT = timedelta(days=30)
PAGE = 50
EXCERPT = 160


@dataclass(frozen=True, slots=True)
class Thrown:
    """What went into the trash together. `beginning` shows the first of its words,
    all of the first drawer's when `is_whole`; `scope` says
    what was deleted (drawer, closet, room, wing, source or event) and may be empty."""

    deletion_id: UUID
    deleted_at: datetime
    final_at: datetime
    drawers: int
    scope: str
    beginning: str
    is_whole: bool
    drawer_id: UUID


def deletions(user_id: UUID, after: str = "", most: int = PAGE) -> Page[Thrown]:
    """The deletions that can be undone, newest first. Raises CursorUnreadable."""
    found = _by_deletion(user_id)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(at__lt=moment) | Q(at=moment, deletion_id__gt=last_id))
    rows = list(found.order_by("-at", "deletion_id")[: most + 1])
    items = _read(user_id, rows[:most])
    more = len(rows) > most
    return Page(items, after_moment(items[-1].deleted_at, items[-1].deletion_id) if more else "")


def deletion(user_id: UUID, deletion_id: UUID) -> Thrown | None:
    """One deletion, or None when nothing of it is in the trash."""
    items = _read(user_id, list(_by_deletion(user_id).filter(deletion_id=deletion_id)))
    return items[0] if items else None


def _by_deletion(user_id: UUID) -> Any:
    """A queryset of groups, which has no type of its own."""
    thrown = Drawer.objects.filter(user_id=user_id, deletion_id__isnull=False)
    return thrown.values("deletion_id").annotate(at=Max("deleted_at"), drawers=Count("*"))


def _read(user_id: UUID, rows: list[dict[str, Any]]) -> tuple[Thrown, ...]:
    ids = [row["deletion_id"] for row in rows]
    firsts = (
        Drawer.objects.filter(user_id=user_id, deletion_id__in=ids)
        .order_by("deletion_id", "id")
        .distinct("deletion_id")
        .values_list("deletion_id", "id", Left("content", EXCERPT + 1))
    )
    beginnings = {deletion_id: (drawer_id, text) for deletion_id, drawer_id, text in firsts}
    scopes = _scopes(user_id, [row["at"] for row in rows])
    return tuple(_thrown(row, beginnings, scopes) for row in rows)


def _scopes(user_id: UUID, moments: list[datetime]) -> dict[str, str]:
    """Deletion and event were written at the same instant, which is indexed."""
    events = ActivityEvent.objects.filter(
        user_id=user_id, at__in=moments, kind=ActivityEvent.Kind.DELETED
    )
    return {
        details.get("deletion", ""): details.get("scope", "")
        for details in events.values_list("details", flat=True)
    }


def _thrown(
    row: dict[str, Any], beginnings: dict[UUID | None, tuple[UUID, str]], scopes: dict[str, str]
) -> Thrown:
    drawer_id, beginning = beginnings[row["deletion_id"]]
    return Thrown(
        deletion_id=row["deletion_id"],
        deleted_at=row["at"],
        final_at=row["at"] + KEPT,
        drawers=row["drawers"],
        scope=scopes.get(str(row["deletion_id"]), ""),
        beginning=beginning[:EXCERPT],
        is_whole=len(beginning) <= EXCERPT,
        drawer_id=drawer_id,
    )
