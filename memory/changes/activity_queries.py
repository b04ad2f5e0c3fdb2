"""Reads activity events, as a list or grouped by day and chat."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils.module_loading import import_string

from memory.changes.log import undoable
from memory.facts.queries import with_words
from memory.models import ActivityEvent, Drawer, Fact, Room
from memory.paging import Page, paginate

Kind = ActivityEvent.Kind

PAGE = 30
MAX_FACTS = 8
LEARNED = (Kind.MINED, Kind.REEXTRACTED, Kind.NOTE_SAVED, Kind.IMPORTED, Kind.SKILLS_PROPOSED)
CHAT_KINDS = (Kind.MINED, Kind.REEXTRACTED, Kind.MINING_FAILED)
_LABELS = dict(Kind.choices)
"""`get_kind_display` would translate all labels for each event."""


@dataclass(frozen=True, slots=True)
class NamedChat:
    """A chat's title, number of messages, and import, if any."""

    title: str
    messages: int
    import_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """Chats, and the product names of imports, by id, as `settings.ACTIVITY_NAMES` returns them."""

    chats: Mapping[UUID, NamedChat]
    imports: Mapping[UUID, str]


@dataclass(frozen=True, slots=True)
class Group:
    """The events of a chat on a day, or one event without a chat.

    `place` is the chat's room, if it still holds a drawer; `product` is set for an import, whose chats are
    grouped in `parts`.
    """

    events: tuple[ActivityEvent, ...]
    place: Room | None = None
    chat: NamedChat | None = None
    product: str | None = None
    import_id: UUID | None = None
    parts: "tuple[Group, ...]" = ()

    @property
    def is_chat(self) -> bool:
        """Whether these are events of a chat."""
        return bool(self.events) and self.events[0].kind in CHAT_KINDS

    @property
    def title(self) -> str:
        """The title of the chat, if known."""
        return (self.chat.title if self.chat else "") or (self.place.title if self.place else "")

    @property
    def all_events(self) -> tuple[ActivityEvent, ...]:
        """The events, including those of an import's chats."""
        return (*self.events, *(event for part in self.parts for event in part.events))

    @property
    def learned(self) -> int:
        """The number of facts learned from the chats of an import that day."""
        return sum(event.learned for part in self.parts for event in part.events)


@dataclass(frozen=True, slots=True)
class Day:
    """The events of a day in the owner's time zone, newest first."""

    day: date
    groups: tuple[Group, ...]


def events(
    user_id: UUID,
    after: str = "",
    kinds: Collection[str] = (),
    *,
    limit: int = PAGE,
    refused_only: bool = False,
) -> Page[ActivityEvent]:
    """Events of these kinds (all if empty), newest first; `refused_only` limits them to those with refusals.
    Raises CursorUnreadable."""
    found = ActivityEvent.objects.filter(user_id=user_id)
    found = found.filter(kind__in=kinds) if kinds else found
    if refused_only:
        found = found.filter(details__has_key="refused").exclude(details__refused=[])
    page = paginate(found, "-at", "-id", after, limit)
    shown = page.items
    facts = _facts(user_id, shown)
    undoable_ids = _undoable_ids(user_id, shown)
    for row in shown:
        _hide_reasons(row, undoable_ids)
        _describe(row, facts)
        row.undo_id = _undo_id(row, undoable_ids)
    return page


def days(
    user_id: UUID, zone: tzinfo, after: str = "", kinds: Collection[str] = (), *, refused_only: bool = False
) -> Page[Day]:
    """The same events grouped by day, and by chat or import. A long day continues on the next page.
    Raises CursorUnreadable."""
    page = events(user_id, after, kinds, refused_only=refused_only)
    # Mining that found nothing is not news.
    visible = [
        event
        for event in page.items
        if event.kind != Kind.MINED or event.details.get("drawers") or event.details.get("refused")
    ]
    places, names = _places(user_id, visible), _names(user_id, visible)
    by_day: dict[date, dict[UUID, list[ActivityEvent]]] = {}
    for event in visible:
        groups = by_day.setdefault(event.at.astimezone(zone).date(), {})
        groups.setdefault(_group_of(event, names), []).append(event)
    return Page(
        tuple(
            Day(day, tuple(_group(key, events, places, names) for key, events in groups.items()))
            for day, groups in by_day.items()
        ),
        page.after,
    )


def _describe(event: ActivityEvent, facts: Mapping[str, Fact]) -> None:
    every = [facts[each] for each in _ids(event, "facts") if each in facts]
    known = [fact for fact in every if event.kind == Kind.DECIDED or fact.status == Fact.Status.ACTIVE]
    event.label = str(_LABELS.get(event.kind, event.kind))
    event.facts = tuple(fact.statement for fact in known[:MAX_FACTS])
    event.sentences = tuple(fact.sentence for fact in known[:MAX_FACTS])
    event.learned = len(known)
    event.waiting = sum(fact.status == Fact.Status.PENDING for fact in every)


def _hide_reasons(row: ActivityEvent, undoable_ids: set[UUID]) -> None:
    """Hide refusals once all drawers of their window are gone."""
    drawers = _ids(row, "drawers")
    if row.kind == Kind.MINED and drawers and undoable_ids.isdisjoint(map(UUID, drawers)):
        row.details["refused"] = []


def _facts(user_id: UUID, rows: Sequence[ActivityEvent]) -> dict[str, Fact]:
    ids = [each for row in rows for each in _ids(row, "facts")]
    facts = Fact.objects.filter(user_id=user_id, id__in=ids, deleted_at=None)
    return {str(fact.id): fact for fact in with_words(user_id, facts)}


def _undoable_ids(user_id: UUID, rows: Sequence[ActivityEvent]) -> set[UUID]:
    """What can be undone of these events: live drawers, deletions in the trash, and batches of the change
    log."""
    drawers = [each for row in rows for each in _ids(row, "drawers")]
    deletions = [row.details["deletion"] for row in rows if "deletion" in row.details]
    batches = [batch_id for row in rows if (batch_id := _batch_of(row))]
    live = Drawer.objects.live().filter(user_id=user_id, id__in=drawers)
    deleted = Drawer.objects.filter(user_id=user_id, deletion_id__in=deletions)
    return {
        *live.values_list("id", flat=True),
        *filter(None, deleted.values_list("deletion_id", flat=True).distinct()),
        *undoable(user_id, batch_id__in=batches).values_list("batch_id", flat=True).distinct(),
    }


def _batch_of(row: ActivityEvent) -> UUID | None:
    if row.kind == Kind.DECIDED:
        return row.id
    if row.kind == Kind.CONSOLIDATED:
        return row.subject_id
    batch = row.details.get("batch") if row.kind in (Kind.GRAPH_EDITED, Kind.ARRANGED) else None
    return UUID(batch) if batch else None


def _undo_id(row: ActivityEvent, undoable_ids: set[UUID]) -> UUID | None:
    if row.undone_at is not None:
        return None
    batch_id = _batch_of(row)
    if batch_id is not None:
        return batch_id if batch_id in undoable_ids else None
    if row.kind == Kind.REEXTRACTED:
        return row.id
    if row.kind == Kind.SETTINGS:
        return row.id if "before" in row.details else None
    if row.kind == Kind.MINED:
        return row.id if undoable_ids.intersection(map(UUID, _ids(row, "drawers"))) else None
    deletion = row.details.get("deletion") if row.kind == Kind.DELETED else None
    return UUID(deletion) if deletion and UUID(deletion) in undoable_ids else None


def _ids(row: ActivityEvent, name: str) -> list[str]:
    """The ids stored under a name; other kinds of event store a count there."""
    found = row.details.get(name)
    return found if isinstance(found, list) else []


def _names(user_id: UUID, visible: Iterable[ActivityEvent]) -> Names:
    named = {*CHAT_KINDS, Kind.IMPORTED}
    ids = {event.subject_id for event in visible if event.subject_id and event.kind in named}
    found: Callable[[UUID, Collection[UUID]], Names] = import_string(settings.ACTIVITY_NAMES)
    return found(user_id, ids)


def _group_of(event: ActivityEvent, names: Names) -> UUID:
    """The id by which events are grouped: the import, the chat, or the event itself."""
    if event.subject_id is None:
        return event.id
    if event.subject_id in names.imports:
        return event.subject_id
    if event.kind not in CHAT_KINDS:
        return event.id
    chat = names.chats.get(event.subject_id)
    return (chat.import_id if chat else None) or event.subject_id


def _group(key: UUID, visible: list[ActivityEvent], places: Mapping[UUID, Room], names: Names) -> Group:
    product = names.imports.get(key)
    if product is None:
        return Group(tuple(visible), places.get(key), names.chats.get(key))
    by_chat: dict[UUID, list[ActivityEvent]] = {}
    for event in visible:
        if event.kind in CHAT_KINDS and event.subject_id:
            by_chat.setdefault(event.subject_id, []).append(event)
    parts = tuple(Group(tuple(some), places.get(id), names.chats.get(id)) for id, some in by_chat.items())
    import_events = tuple(event for event in visible if event.kind not in CHAT_KINDS)
    return Group(import_events, product=product, import_id=key, parts=parts)


def _places(user_id: UUID, visible: Iterable[ActivityEvent]) -> dict[UUID, Room]:
    """The rooms of these chats that still hold a drawer, by the chat's id."""
    mined = (event for event in visible if event.kind in (Kind.MINED, Kind.REEXTRACTED))
    chats = {event.subject_id for event in mined if event.subject_id}
    held = Drawer.objects.live().filter(user_id=user_id, room_id=OuterRef("id"))
    rooms = Room.objects.filter(Exists(held), user_id=user_id, source_id__in=chats)
    ordered = rooms.order_by("-created_at", "-id")
    return {room.source_id: room for room in ordered}
