"""Reads a user's activity, as a list or by day, and their model usage."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, Sum

from memory.changes.log import undoable
from memory.facts.queries import with_words
from memory.models import ActivityEvent, Drawer, Fact, Room, Usage
from memory.paging import Page, after_moment, moment_and_id

Kind = ActivityEvent.Kind

PAGE = 40
MOST_FACTS = 8
LEARNED = (Kind.MINED, Kind.READ_AGAIN, Kind.NOTE_SAVED, Kind.IMPORTED, Kind.SKILLS_PROPOSED)
FORGOT = (Kind.DELETED, Kind.EXPIRED, Kind.PURGED)


@dataclass(frozen=True, slots=True)
class Event:
    """An activity event.

    `facts` are learned statements that still hold, `told` the same in sentences to their owner.
    `can_be_undone` is the id to undo: a deletion, a consolidation run, or, for a mined chat, the
    event itself.
    """

    id: UUID
    kind: str
    label: str
    at: datetime
    subject_id: UUID | None
    details: dict[str, Any]
    facts: tuple[str, ...]
    told: tuple[str, ...]
    undone_at: datetime | None
    can_be_undone: UUID | None


@dataclass(frozen=True, slots=True)
class UsageSum:
    """Model calls for one purpose; the cost is None if no price is known."""

    label: str
    calls: int
    tokens: int
    cost_usd: Decimal | None


@dataclass(frozen=True, slots=True)
class Place:
    """The room that holds something of a chat."""

    wing_id: UUID
    room_id: UUID
    title: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the diary; `place` is a room to read on in, if there still is one.

    Mining events of one chat are combined: `parts` are its windows if there are several, each with its own
    undo.
    """

    event: Event
    place: Place | None
    parts: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Day:
    """The events of a day in the owner's time zone, newest first."""

    day: date
    learned: tuple[Entry, ...]
    changed: tuple[Entry, ...]
    forgot: tuple[Entry, ...]


def events(user_id: UUID, after: str = "", most: int = PAGE) -> Page[Event]:
    """Events, newest first. Raises CursorUnreadable."""
    found = ActivityEvent.objects.filter(user_id=user_id)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(at__lt=moment) | Q(at=moment, id__lt=last_id), at__lte=moment)
    rows = list(found.order_by("-at", "-id")[: most + 1])
    shown, more = rows[:most], len(rows) > most
    facts = _facts(user_id, shown)
    trash = _in_trash(user_id, shown)
    alive = _still_kept(user_id, shown) | _undoable(user_id, shown)
    for row in shown:
        _hide_reasons(row, alive)
    items = tuple(_event(row, facts, _undoes(row, trash, alive)) for row in shown)
    return Page(items, after_moment(shown[-1].at, shown[-1].id) if more else "")


def days(user_id: UUID, zone: tzinfo, after: str = "", most: int = PAGE) -> Page[Day]:
    """The diary, newest day first. A long day may continue on the next page. Raises CursorUnreadable."""
    page = events(user_id, after, most)
    told = [event for event in page.items if _says_something(event)]
    places = _places(user_id, told)
    by_day: defaultdict[date, list[Entry]] = defaultdict(list)
    for event in told:
        entry = Entry(event, places.get(event.subject_id) if event.subject_id else None)
        by_day[event.at.astimezone(zone).date()].append(entry)
    return Page(tuple(_day(day, entries) for day, entries in by_day.items()), page.after)


def usage_since(user_id: UUID, start: datetime) -> tuple[UsageSum, ...]:
    """Model usage since a moment, by purpose."""
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


def _event(row: ActivityEvent, facts: dict[str, Fact], undoes: UUID | None) -> Event:
    known = [facts[each] for each in _ids(row, "facts") if each in facts][:MOST_FACTS]
    return Event(
        id=row.id,
        kind=row.kind,
        label=row.get_kind_display(),
        at=row.at,
        subject_id=row.subject_id,
        details=row.details,
        facts=tuple(fact.statement for fact in known),
        told=tuple(fact.told for fact in known),
        undone_at=row.undone_at,
        can_be_undone=undoes,
    )


def _hide_reasons(row: ActivityEvent, alive: set[UUID]) -> None:
    """Hide refusals unless some of the words they refer to are still there."""
    drawers = _ids(row, "drawers")
    if row.kind == Kind.MINED and drawers and alive.isdisjoint(map(UUID, drawers)):
        row.details["refused"] = []


def _facts(user_id: UUID, rows: list[ActivityEvent]) -> dict[str, Fact]:
    ids = [each for row in rows for each in _ids(row, "facts")]
    facts = Fact.objects.filter(user_id=user_id, id__in=ids, deleted_at=None)
    return {str(fact.id): fact for fact in with_words(user_id, facts)}


def _in_trash(user_id: UUID, rows: list[ActivityEvent]) -> set[str]:
    ids = [row.details["deletion"] for row in rows if "deletion" in row.details]
    thrown = Drawer.objects.filter(user_id=user_id, deletion_id__in=ids)
    return {str(each) for each in thrown.values_list("deletion_id", flat=True).distinct()}


def _still_kept(user_id: UUID, rows: list[ActivityEvent]) -> set[UUID]:
    ids = [each for row in rows for each in _ids(row, "drawers")]
    kept = Drawer.objects.live().filter(user_id=user_id, id__in=ids)
    return set(kept.values_list("id", flat=True))


def _undoable(user_id: UUID, rows: list[ActivityEvent]) -> set[UUID]:
    """The batches of the change log that these events refer to and that can be undone."""
    batches = [batch_id for row in rows if (batch_id := _batch_of(row))]
    found = undoable(user_id, batch_id__in=batches)
    return set(found.values_list("batch_id", flat=True).distinct())


def _batch_of(row: ActivityEvent) -> UUID | None:
    if row.kind == Kind.DECIDED:
        return row.id
    if row.kind == Kind.CONSOLIDATED:
        return row.subject_id
    batch = row.details.get("batch") if row.kind in (Kind.GRAPH_EDITED, Kind.ARRANGED) else None
    return UUID(batch) if batch else None


def _undoes(row: ActivityEvent, trash: set[str], alive: set[UUID]) -> UUID | None:
    if row.undone_at is not None:
        return None
    batch_id = _batch_of(row)
    if batch_id is not None:
        return batch_id if batch_id in alive else None
    if row.kind == Kind.READ_AGAIN:
        return row.id
    if row.kind == Kind.SETTINGS:
        return row.id if "before" in row.details else None
    if row.kind == Kind.MINED:
        return row.id if alive.intersection(map(UUID, _ids(row, "drawers"))) else None
    deletion = row.details.get("deletion", "")
    return UUID(deletion) if row.kind == Kind.DELETED and deletion in trash else None


def _ids(row: ActivityEvent, name: str) -> list[str]:
    """The ids in an event; other kinds of event store a count under the same name."""
    found = row.details.get(name)
    return found if isinstance(found, list) else []


def _says_something(event: Event) -> bool:
    """False for a mined chat in which there was nothing to store."""
    return event.kind != Kind.MINED or bool(event.details.get("drawers"))


def _day(day: date, entries: Sequence[Entry]) -> Day:
    learned = _together([entry for entry in entries if entry.event.kind in LEARNED])
    forgot = tuple(entry for entry in entries if entry.event.kind in FORGOT)
    others = (*LEARNED, *FORGOT)
    changed = tuple(entry for entry in entries if entry.event.kind not in others)
    return Day(day, learned, changed, forgot)


def _together(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The same entries, with the mining events of one chat that were not undone combined."""
    groups: defaultdict[object, list[Entry]] = defaultdict(list)
    for entry in entries:
        event = entry.event
        stands = event.kind == Kind.MINED and event.undone_at is None
        groups[event.subject_id if stands and event.subject_id else event.id].append(entry)
    return tuple(_as_one(group) for group in groups.values())


def _as_one(entries: Sequence[Entry]) -> Entry:
    if len(entries) == 1:
        return entries[0]
    parts = tuple(entry.event for entry in entries)
    details = {
        name: [each for part in parts for each in part.details.get(name, ())] for name in ("drawers", "facts")
    }
    statements = tuple(statement for part in parts for statement in part.facts)
    told = tuple(dict.fromkeys(each for part in parts for each in part.told))
    event = replace(
        parts[0], details=details, facts=statements[:MOST_FACTS], told=told[:MOST_FACTS], can_be_undone=None
    )
    return Entry(event, entries[0].place, parts)


def _places(user_id: UUID, told: Iterable[Event]) -> dict[UUID, Place]:
    """The rooms of chats that still hold a drawer, by the chat's id."""
    mined = (event for event in told if event.kind in (Kind.MINED, Kind.READ_AGAIN))
    chats = {event.subject_id for event in mined if event.subject_id}
    held = Drawer.objects.live().filter(user_id=user_id, room_id=OuterRef("id"))
    rooms = Room.objects.filter(Exists(held), user_id=user_id, source_id__in=chats)
    ordered = rooms.order_by("-created_at", "-id")
    return {room.source_id: Place(room.wing_id, room.id, room.title) for room in ordered}
