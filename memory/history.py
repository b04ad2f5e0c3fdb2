"""Reads what happened to a person's memory, and what models were used for."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Q, Sum

from memory.cursors import Page, after_moment, moment_and_id
from memory.models import (
    ActivityEvent,
    ConsolidationChange,
    ConsolidationRun,
    Drawer,
    Fact,
    GraphEdit,
    PalaceEdit,
    Usage,
)

PAGE = 40
MOST_FACTS = 8


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened; `facts` holds statements that were learned and still stand, and
    `can_be_undone` the id of what undoes it: a deletion, a run of tidying up, or for a mined chat
    the event itself."""

    id: UUID
    kind: str
    label: str
    at: datetime
    subject_id: UUID | None
    details: dict[str, Any]
    facts: tuple[str, ...]
    undone_at: datetime | None
    can_be_undone: UUID | None


@dataclass(frozen=True, slots=True)
class UsageSum:
    """Calls to models for one purpose; the cost is None when no price is known."""

    label: str
    calls: int
    tokens: int
    cost_usd: Decimal | None


def events(user_id: UUID, after: str = "", most: int = PAGE) -> Page[Event]:
    """Events, newest first. Raises CursorUnreadable."""
    found = ActivityEvent.objects.filter(user_id=user_id)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(at__lt=moment) | Q(at=moment, id__lt=last_id), at__lte=moment)
    rows = list(found.order_by("-at", "-id")[: most + 1])
    shown, more = rows[:most], len(rows) > most
    statements = _statements(user_id, shown)
    trash = _in_trash(user_id, shown)
    alive = _still_kept(user_id, shown) | _undoable_runs(user_id, shown)
    alive |= _standing_edits(user_id, shown) | _standing_changes(user_id, shown)
    for row in shown:
        _hide_reasons(row, alive)
    items = tuple(_event(row, statements, _undoes(row, trash, alive)) for row in shown)
    return Page(items, after_moment(shown[-1].at, shown[-1].id) if more else "")


def usage_since(user_id: UUID, start: datetime) -> tuple[UsageSum, ...]:
    """What models were used for since a moment, by purpose."""
    rows = (
        Usage.objects.filter(user_id=user_id, at__gte=start)
        .values("source")
        .annotate(
            calls=Sum("calls"),
            tokens=Sum("input_tokens") + Sum("output_tokens"),
            cost=Sum("cost_usd"),
        )
        .order_by("source")
    )
    return tuple(
        UsageSum(str(Usage.Source(row["source"]).label), row["calls"], row["tokens"], row["cost"])
        for row in rows
    )


def _event(row: ActivityEvent, statements: dict[str, str], undoes: UUID | None) -> Event:
    known = [statements[each] for each in _ids(row, "facts") if each in statements]
    return Event(
        id=row.id,
        kind=row.kind,
        label=row.get_kind_display(),
        at=row.at,
        subject_id=row.subject_id,
        details=row.details,
        facts=tuple(known[:MOST_FACTS]),
        undone_at=row.undone_at,
        can_be_undone=undoes,
    )


def _hide_reasons(row: ActivityEvent, alive: set[UUID]) -> None:
    """What was refused of words is told as long as any of them is kept."""
    drawers = _ids(row, "drawers")
    if row.kind == ActivityEvent.Kind.MINED and drawers and alive.isdisjoint(map(UUID, drawers)):
        row.details["refused"] = []


def _statements(user_id: UUID, rows: list[ActivityEvent]) -> dict[str, str]:
    ids = [each for row in rows for each in _ids(row, "facts")]
    facts = Fact.objects.filter(user_id=user_id, id__in=ids, deleted_at=None)
    return {str(fact_id): statement for fact_id, statement in facts.values_list("id", "statement")}


def _in_trash(user_id: UUID, rows: list[ActivityEvent]) -> set[str]:
    ids = [row.details["deletion"] for row in rows if "deletion" in row.details]
    thrown = Drawer.objects.filter(user_id=user_id, deletion_id__in=ids)
    return {str(each) for each in thrown.values_list("deletion_id", flat=True).distinct()}


def _still_kept(user_id: UUID, rows: list[ActivityEvent]) -> set[UUID]:
    ids = [each for row in rows for each in _ids(row, "drawers")]
    kept = Drawer.objects.live().filter(user_id=user_id, id__in=ids)
    return set(kept.values_list("id", flat=True))


def _undoable_runs(user_id: UUID, rows: list[ActivityEvent]) -> set[UUID]:
    """The runs of tidying up of which anything can still be taken back."""
    told = [row for row in rows if row.kind == ActivityEvent.Kind.CONSOLIDATED]
    ids = [row.subject_id for row in told if row.subject_id]
    changes = ConsolidationChange.objects.filter(user_id=user_id, run_id__in=ids, undone_at=None)
    standing = changes.filter(run__state=ConsolidationRun.State.APPLIED).exclude(rows=[])
    return set(standing.values_list("run_id", flat=True).distinct())


def _standing_edits(user_id: UUID, rows: list[ActivityEvent]) -> set[UUID]:
    """Changes of people and things that were neither taken back nor erased with them."""
    ids = [row.details["edit"] for row in rows if row.kind == ActivityEvent.Kind.GRAPH_EDITED]
    edits = GraphEdit.objects.filter(user_id=user_id, id__in=ids, undone_at=None)
    return set(edits.values_list("id", flat=True))


def _standing_changes(user_id: UUID, rows: list[ActivityEvent]) -> set[UUID]:
    """Changes of the palace that were neither taken back nor erased with what they concern."""
    told = [row for row in rows if row.kind == ActivityEvent.Kind.ARRANGED]
    ids = [row.details["batch"] for row in told if "batch" in row.details]
    edits = PalaceEdit.objects.filter(user_id=user_id, batch_id__in=ids, undone_at=None)
    return set(edits.values_list("batch_id", flat=True))


def _undoes(row: ActivityEvent, trash: set[str], alive: set[UUID]) -> UUID | None:
    if row.undone_at is not None:
        return None
    if row.kind in (ActivityEvent.Kind.READ_AGAIN, ActivityEvent.Kind.DECIDED):
        return row.id
    if row.kind == ActivityEvent.Kind.SETTINGS:
        return row.id if "before" in row.details else None
    if row.kind == ActivityEvent.Kind.MINED:
        return row.id if alive.intersection(map(UUID, _ids(row, "drawers"))) else None
    if row.kind in (ActivityEvent.Kind.GRAPH_EDITED, ActivityEvent.Kind.ARRANGED):
        edit = row.details.get("edit") or row.details.get("batch")
        return UUID(edit) if edit and UUID(edit) in alive else None
    if row.kind == ActivityEvent.Kind.CONSOLIDATED:
        return row.subject_id if row.subject_id in alive else None
    deletion = row.details.get("deletion", "")
    is_deletion = row.kind == ActivityEvent.Kind.DELETED
    return UUID(deletion) if is_deletion and deletion in trash else None


def _ids(row: ActivityEvent, name: str) -> list[str]:
    """The ids an event names; other kinds of event keep a count under the same name."""
    found = row.details.get(name)
    return found if isinstance(found, list) else []
