"""Tells what a memory learned, changed and forgot, day by day, in words that still stand."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from uuid import UUID

from django.db.models import Exists, OuterRef

from memory.cursors import Page
from memory.history import MOST_FACTS, PAGE, Event, events
from memory.models import ActivityEvent, Drawer, Room

Kind = ActivityEvent.Kind

LEARNED = (Kind.MINED, Kind.READ_AGAIN, Kind.NOTE_SAVED, Kind.IMPORTED, Kind.SKILLS_PROPOSED)
FORGOT = (Kind.DELETED, Kind.EXPIRED, Kind.PURGED)


@dataclass(frozen=True, slots=True)
class Place:
    """The room where something of a chat is kept."""

    wing_id: UUID
    room_id: UUID
    title: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened; `place` is where to read on, if anything of it is kept. What was
    mined of one chat is told together: `parts` are its windows when there are several, each to be
    taken back by itself."""

    event: Event
    place: Place | None
    parts: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Day:
    """What happened on one day of the owner's, newest first."""

    day: date
    learned: tuple[Entry, ...]
    changed: tuple[Entry, ...]
    forgot: tuple[Entry, ...]


def days(user_id: UUID, zone: tzinfo, after: str = "", most: int = PAGE) -> Page[Day]:
    """The diary, newest day first. A long day goes on on the next page. Raises CursorUnreadable."""
    page = events(user_id, after, most)
    told = [event for event in page.items if _says_something(event)]
    places = _places(user_id, told)
    by_day: defaultdict[date, list[Entry]] = defaultdict(list)
    for event in told:
        entry = Entry(event, places.get(event.subject_id) if event.subject_id else None)
        by_day[event.at.astimezone(zone).date()].append(entry)
    return Page(tuple(_day(day, entries) for day, entries in by_day.items()), page.after)


def _says_something(event: Event) -> bool:
    """A chat in which there was nothing to keep is no news."""
    return event.kind != Kind.MINED or bool(event.details.get("drawers"))


def _day(day: date, entries: Sequence[Entry]) -> Day:
    learned = _together([entry for entry in entries if entry.event.kind in LEARNED])
    forgot = tuple(entry for entry in entries if entry.event.kind in FORGOT)
    others = (*LEARNED, *FORGOT)
    changed = tuple(entry for entry in entries if entry.event.kind not in others)
    return Day(day, learned, changed, forgot)


def _together(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The same entries, with what was mined of one chat and still stands as one."""
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
        name: [each for part in parts for each in part.details.get(name, ())]
        for name in ("drawers", "facts")
    }
    statements = tuple(statement for part in parts for statement in part.facts)
    event = replace(parts[0], details=details, facts=statements[:MOST_FACTS], can_be_undone=None)
    return Entry(event, entries[0].place, parts)


def _places(user_id: UUID, told: Iterable[Event]) -> dict[UUID, Place]:
    """The rooms of chats by the chat's id, those that still hold a drawer."""
    mined = (event for event in told if event.kind in (Kind.MINED, Kind.READ_AGAIN))
    chats = {event.subject_id for event in mined if event.subject_id}
    held = Drawer.objects.live().filter(user_id=user_id, room_id=OuterRef("id"))
    rooms = Room.objects.filter(Exists(held), user_id=user_id, source_id__in=chats)
    ordered = rooms.order_by("-created_at", "-id")
    return {room.source_id: Place(room.wing_id, room.id, room.title) for room in ordered}
