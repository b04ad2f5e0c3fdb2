"""Renames, merges and moves wings, rooms and closets, moves drawers, marks them, and undoes all that.

Old names still find what was renamed, and the name of what was merged redirects to the other. Only the closet
of a drawer is recorded; its room and wing follow from it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.owned import first_or_raise
from memory.changes import log, rows
from memory.changes.log import Area, Change, Recording, refuse
from memory.changes.rows import RowDiff
from memory.consolidation.summaries import forget_summaries_of
from memory.models import ActivityEvent, ChangeSet, Closet, Drawer, Room, Wing, WingName
from memory.organize.places import SCOPES, Place, Target, place_of
from memory.placement import (
    NAME_LIMIT,
    Source,
    closet_for,
    current_room,
    locked_palace,
    room_for,
)
from memory.sql import execute
from memory.text.names import slugify
from memory.text.sanitizing import is_visible, storable

Kind = ChangeSet.Kind
TITLE_LIMIT = 300
MAX_DRAWERS = 500
MARKS = {
    ("pinned", True): Kind.PINNED,
    ("pinned", False): Kind.UNPINNED,
    ("sensitive", True): Kind.HIDDEN,
    ("sensitive", False): Kind.SHOWN,
}
Subject = Place | Drawer

PLACE_KINDS = (Kind.RENAMED, Kind.RETYPED, Kind.MERGED, Kind.MOVED)
MAX_CHANGES = 20
DERIVED = frozenset(("started_at", "ended_at"))
"""The times of a room may differ on undo, because it grows with its chat."""

_ALIGN = """
UPDATE memory_drawer d SET room_id = c.room_id, wing_id = r.wing_id
FROM memory_closet c JOIN memory_room r ON r.user_id = c.user_id AND r.id = c.room_id
WHERE d.user_id = %(user)s AND c.user_id = d.user_id AND c.id = d.closet_id
  AND (d.id = ANY(%(drawer)s) OR d.closet_id = ANY(%(closet)s) OR d.room_id = ANY(%(room)s))
  AND (d.room_id, d.wing_id) <> (c.room_id, r.wing_id)
"""


@dataclass(frozen=True, slots=True)
class Destination:
    """The wing to move drawers to.

    They go to the room of their own chat there, created if there is none, and to the closet of this name;
    without a name, each keeps its topic.
    """

    wing_id: UUID
    closet: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The change (None if nothing changed), the moved drawers, and why others were `left`."""

    edit: ChangeSet | None
    done: tuple[UUID, ...] = ()
    left: Mapping[UUID, str] = field(default_factory=dict)


class Draft(Recording):
    """A change to the palace in progress."""

    def __init__(self, subject: Subject, now: datetime) -> None:
        super().__init__(subject.user_id)
        self.now = now
        self._subject = subject
        self._touched: set[UUID] = {subject.id}

    def move_rooms(self, rooms: Collection[Room], wing: Wing) -> None:
        """Move rooms to another wing, with new numbers."""
        moved = []
        for room in rooms:
            wing.rooms_made += 1
            before = {"wing_id": str(room.wing_id), "ordinal": room.ordinal}
            after = {"wing_id": str(wing.id), "ordinal": wing.rooms_made}
            moved.append(RowDiff("memory.room", room.id, before, after))
        wing.save(update_fields=["rooms_made"])
        rows.write(self.user_id, moved)
        self.diffs += moved
        self.touch(*(room.id for room in rooms))

    def touch(self, *place_ids: UUID) -> None:
        """Also list this change under these places."""
        self._touched.update(place_ids)

    def save(self, kind: ChangeSet.Kind) -> ChangeSet:
        """Record the change for its owner to read and undo."""
        scope, subject_id = self._subject._meta.model_name or "", self._subject.id
        change = Change(kind.value, scope, subject_id, tuple(self.diffs), tuple(sorted(self._touched)))
        arranged = ActivityEvent.Kind.ARRANGED
        made = log.record_with_event(self.user_id, Area.PALACE, change, self.now, arranged)
        _realign(self.user_id, [made], self.diffs)
        return made


def rename(user_id: UUID, target: Target, name: str, now: datetime) -> ChangeSet:
    """Rename a wing, room or closet. Raises NotFound and ChangeRefused."""
    with _place(user_id, target) as place:
        title = _title(name, TITLE_LIMIT if isinstance(place, Room) else NAME_LIMIT)
        draft = Draft(place, now)
        _set_name(draft, place, title)
        return draft.save(Kind.RENAMED)


def change_kind(user_id: UUID, target: Target, kind: str, now: datetime) -> ChangeSet:
    """Change the kind of a wing: person, project, topic or agent.

    Raises NotFound and ChangeRefused.
    """
    with _place(user_id, target) as wing:
        if not isinstance(wing, Wing) or kind not in Wing.Kind.values:
            refuse(_("There is no such kind."))
        if kind == wing.kind:
            refuse(_("That is already its kind."))
        draft = Draft(wing, now)
        draft.change([wing], kind=kind)
        return draft.save(Kind.RETYPED)


def merge(user_id: UUID, kept: Target, other: Target, now: datetime) -> ChangeSet:
    """Merge another wing, room or closet into this one, which keeps its own name.

    Raises NotFound and ChangeRefused.
    """
    with _place(user_id, kept) as target:
        source = place_of(user_id, *other)
        if target.id == source.id:
            refuse(_("They are already merged."))
        draft = Draft(target, now)
        _merge(draft, target, source)
        return draft.save(Kind.MERGED)


def move(user_id: UUID, target: Target, into: UUID, now: datetime) -> ChangeSet:
    """Move a room to another wing, or a closet to another room.

    Raises NotFound and ChangeRefused.
    """
    with _place(user_id, target) as place:
        draft = Draft(place, now)
        if isinstance(place, Room):
            _move_room(draft, place, into)
        elif isinstance(place, Closet):
            _move_closet(draft, place, into)
        else:
            refuse(_("A wing cannot be moved."))
        return draft.save(Kind.MOVED)


def move_drawers(user_id: UUID, drawer_ids: Sequence[UUID], to: Destination, now: datetime) -> Outcome:
    """Move drawers to another wing, as far as they exist.

    Raises NotFound if that wing does not, and ChangeRefused if there are too many at once.
    """
    if len(drawer_ids) > MAX_DRAWERS:
        refuse(_("At most %(most)s drawers can be moved at once.") % {"most": MAX_DRAWERS})
    with _place(user_id, Target("wing", to.wing_id)) as wing:
        drawers = Drawer.objects.live().filter(user_id=user_id, id__in=drawer_ids)
        found = {each.id: each for each in drawers.select_related("room", "closet")}
        left = {each: _("This drawer no longer exists.") for each in drawer_ids if each not in found}
        return _move_drawers(wing, list(found.values()), to, left, now)  # type: ignore[arg-type]


def mark(user_id: UUID, drawer_id: UUID, field: str, *, on: bool, now: datetime) -> ChangeSet | None:
    """Set or clear `field` (pinned or sensitive) of a drawer; None if nothing changed. Raises NotFound."""
    with _drawer(user_id, drawer_id) as drawer:
        if getattr(drawer, field) is on:
            return None
        draft = Draft(drawer, now)
        draft.change([drawer], **{field: on})
        return draft.save(MARKS[field, on])


def annotate(user_id: UUID, drawer_id: UUID, remark: str, now: datetime) -> ChangeSet:
    """Store an annotation of a drawer. Raises NotFound, and ChangeRefused if nothing is new."""
    with _drawer(user_id, drawer_id) as drawer:
        if remark == drawer.annotation:
            refuse(_("That is already your remark."))
        draft = Draft(drawer, now)
        draft.change([drawer], annotation=remark)
        return draft.save(Kind.ANNOTATED)


def open_secrets(user_id: UUID, drawer_id: UUID, *, on: bool) -> None:
    """Let models and programs read the secrets of a drawer, or mask them again. Only pages call this:
    programs can neither make nor undo this change."""
    Drawer.objects.live().filter(user_id=user_id, id=drawer_id).update(secrets_open=on)


def undo(user_id: UUID, batch_id: UUID, now: datetime) -> Sequence[ChangeSet]:
    """Undo a batch of changes, last first; what was learned since stays.

    Raises NotFound, AlreadyUndone, and ChangedSince if later changes depend on them.
    """
    with locked_palace(user_id):
        sets = log.undoable_in_batch(user_id, Area.PALACE, batch_id)
        diffs = [diff for found in log.diffs_of(user_id, sets).values() for diff in found]
        log.undo(user_id, sets, now, DERIVED)
        _realign(user_id, sets, diffs)
    return sets


def last_changes(user_id: UUID, place_id: UUID) -> Sequence[ChangeSet]:
    """The owner's changes to a place that can be undone, newest first."""
    found = log.undoable(user_id, area=Area.PALACE, kind__in=PLACE_KINDS, others__contains=[place_id])
    return list(found.order_by("-id")[:MAX_CHANGES])


@contextmanager
def _place(user_id: UUID, target: Target) -> Iterator[Place]:
    """The wing, room or closet to change, while the palace is locked."""
    with locked_palace(user_id):
        yield place_of(user_id, *target)


@contextmanager
def _drawer(user_id: UUID, drawer_id: UUID) -> Iterator[Drawer]:
    """The drawer to change, while the palace is locked."""
    with locked_palace(user_id):
        yield first_or_raise(Drawer.objects.live().filter(user_id=user_id, id=drawer_id))


def _title(name: str, limit: int) -> str:
    title = " ".join(storable(name).text.split())
    if not is_visible(title):
        refuse(_("A name must contain letters."))
    if len(title) > limit:
        refuse(_("A name can have at most %(most)s characters.") % {"most": limit})
    return title


def _set_name(draft: Draft, place: Place, title: str) -> None:
    if title == (place.title if isinstance(place, Room) else place.name):
        refuse(_("That is already its name."))
    if isinstance(place, Wing):
        _rename_wing(draft, place, title)
    elif isinstance(place, Room):
        draft.change([place], title=title)
    else:
        _rename_closet(draft, place, title)


def _rename_wing(draft: Draft, wing: Wing, title: str) -> None:
    slug = slugify(title)
    names = WingName.objects.filter(user_id=wing.user_id)
    known = names.filter(slug=slug).first()
    if known is not None and known.wing_id != wing.id:
        refuse(_("Another wing has that name; if they are the same, merge them."))
    draft.change(names.filter(wing_id=wing.id, is_alias=False), is_alias=True)
    if known is None:
        made = WingName.objects.create(user_id=wing.user_id, wing_id=wing.id, slug=slug, name=title)
        draft.added(made)
    else:
        draft.change(names.filter(id=known.id), name=title, is_alias=False)
    draft.change([wing], name=title)


def _rename_closet(draft: Draft, closet: Closet, title: str) -> None:
    slug = slugify(title)
    closets = Closet.objects.filter(user_id=closet.user_id, room_id=closet.room_id)
    taken = closets.filter(slug=slug).exclude(id=closet.id).first()
    if taken is not None and taken.merged_into_id != closet.id:
        refuse(_("Another closet in this room has that name; if they are the same, merge them."))
    if slug == closet.slug:
        draft.change([closet], name=title)
        return
    old_slug, old_name = closet.slug, closet.name
    if taken is not None:
        _swap(draft, closet, taken, title)
        return
    draft.change([closet], name=title, slug=slug)
    alias = Closet(user_id=closet.user_id, room_id=closet.room_id, slug=old_slug, name=old_name)
    alias.merged_into_id = closet.id
    alias.save(force_insert=True)
    draft.added(alias)


def _swap(draft: Draft, closet: Closet, alias: Closet, title: str) -> None:
    """Make one of a closet's aliases its name, and its name an alias."""
    temporary = f"-{alias.id.hex}"
    slug, old_slug, old_name = alias.slug, closet.slug, closet.name
    draft.change([alias], slug=temporary, name=old_name)
    draft.change([closet], name=title, slug=slug)
    alias.slug = temporary
    draft.change([alias], slug=old_slug)


def _merge(draft: Draft, target: Place, source: Place) -> None:
    if isinstance(target, Wing) and isinstance(source, Wing):
        _merge_wings(draft, target, source)
    elif isinstance(target, Room) and isinstance(source, Room):
        _merge_rooms(draft, target, source)
    elif isinstance(target, Closet) and isinstance(source, Closet):
        _merge_closets(draft, target, source)
    else:
        refuse(_("A wing can only be merged with a wing, a room with a room, and a closet with a closet."))


def _merge_wings(draft: Draft, target: Wing, source: Wing) -> None:
    names = WingName.objects.filter(user_id=source.user_id, wing_id=source.id)
    draft.change(names, wing_id=target.id, is_alias=True)
    here = {(r.source_kind, r.source_id): current_room(r) for r in target.rooms.all()}
    rooms = list(source.rooms.order_by("ordinal"))
    shared = [r for r in rooms if (r.source_kind, r.source_id) in here]
    for room in shared:
        if room.merged_into_id is None:
            _merge_rooms(draft, here[room.source_kind, room.source_id], room)
    draft.move_rooms([room for room in rooms if room not in shared], target)
    _redirect(draft, source, target)


def _merge_rooms(draft: Draft, target: Room, source: Room) -> None:
    moved_to: dict[UUID, UUID] = {}
    for closet in source.closets.filter(merged_into_id=None).order_by("id"):
        moved_to[closet.id] = _put_closet(draft, closet, target)
    for alias in source.closets.filter(merged_into_id__isnull=False).order_by("id"):
        _move_alias(draft, alias, target, moved_to)
    draft.change(
        [target],
        started_at=min(target.started_at, source.started_at),
        ended_at=max(target.ended_at, source.ended_at),
    )
    _redirect(draft, source, target)


def _move_alias(draft: Draft, alias: Closet, room: Room, moved_to: dict[UUID, UUID]) -> None:
    """Move an alias of a closet along, unless the name is taken there."""
    known = Closet.objects.filter(user_id=room.user_id, room_id=room.id, slug=alias.slug)
    new_id = moved_to.get(alias.merged_into_id) if alias.merged_into_id else None
    if new_id is not None and not known.exists():
        draft.change([alias], room_id=room.id, merged_into_id=new_id)


def _merge_closets(draft: Draft, target: Closet, source: Closet) -> None:
    if target.room_id != source.room_id:
        refuse(_("They are in different rooms; move one of them first."))
    inside = Drawer.objects.filter(user_id=source.user_id, closet_id=source.id)
    draft.change(inside.only("user_id", "id", "closet_id"), closet_id=target.id)
    _redirect(draft, source, target)


def _redirect(draft: Draft, source: Place, target: Place) -> None:
    """Redirect what was merged, and what had been merged into it, to what stays."""
    model = SCOPES[source._meta.model_name or ""]
    known = model._default_manager.filter(user_id=source.user_id, merged_into_id=source.id)
    draft.change([source, *known], merged_into_id=target.id)
    draft.touch(source.id)


def _put_closet(draft: Draft, closet: Closet, room: Room) -> UUID:
    """Move a closet with its drawers to another room, merging it into a closet of its name there.

    Returns the id of their new closet.
    """
    existing = Closet.objects.filter(user_id=room.user_id, room_id=room.id, slug=closet.slug).first()
    draft.touch(closet.id)
    if existing is None:
        draft.change([closet], room_id=room.id)
        return closet.id
    target = closet_for(room, existing.name)
    draft.touch(target.id)
    inside = Drawer.objects.filter(user_id=room.user_id, closet_id=closet.id)
    draft.change(inside.only("user_id", "id", "closet_id"), closet_id=target.id)
    return target.id


def _move_room(draft: Draft, room: Room, wing_id: UUID) -> None:
    wing = place_of(draft.user_id, "wing", wing_id)
    if not isinstance(wing, Wing) or wing.id == room.wing_id:
        refuse(_("It is already in that wing."))
    same = Room.objects.filter(
        user_id=room.user_id, wing_id=wing.id, source_kind=room.source_kind, source_id=room.source_id
    )
    if same.exists():
        refuse(_("That wing already has a room for this chat; merge the two instead."))
    draft.touch(room.wing_id, wing.id)
    draft.move_rooms([room], wing)


def _move_closet(draft: Draft, closet: Closet, room_id: UUID) -> None:
    room = place_of(draft.user_id, "room", room_id)
    if not isinstance(room, Room) or room.id == closet.room_id:
        refuse(_("It is already in that room."))
    draft.touch(closet.room_id, room.id)
    _put_closet(draft, closet, room)


def _move_drawers(
    wing: Wing, drawers: list[Drawer], to: Destination, left: dict[UUID, str], now: datetime
) -> Outcome:
    moving = [each for each in drawers if not _is_there(each, to)]
    left |= {each.id: _("It is already there.") for each in drawers if _is_there(each, to)}
    if not moving:
        return Outcome(None, (), left)
    draft = Draft(wing, now)
    key = lambda each: (str(each.room_id), each.source_kind, str(each.source_id))  # noqa: E731
    for _source, group in groupby(sorted(moving, key=key), key):
        _move_group(draft, wing, list(group), to.closet)
    edit = draft.save(Kind.MOVED)
    return Outcome(edit, tuple(each.id for each in moving), left)


def _is_there(drawer: Drawer, to: Destination) -> bool:
    name = " ".join(to.closet.split()) or drawer.closet.name
    return drawer.wing_id == to.wing_id and drawer.closet.name == name


def _move_group(draft: Draft, wing: Wing, drawers: list[Drawer], closet: str) -> None:
    """Move drawers of the same room and chat to one room there."""
    first = drawers[0]
    times = [each.said_at for each in drawers]
    source = Source(first.source_kind, first.source_id, first.room.title, min(times), max(times))
    room = first.room if first.wing_id == wing.id else room_for(wing, source)
    draft.touch(first.room_id, room.id)
    for name in dict.fromkeys(closet or each.closet.name for each in drawers):
        into = closet_for(room, name)
        moving = [each for each in drawers if (closet or each.closet.name) == name]
        draft.touch(into.id, *(each.closet_id for each in moving))
        draft.change(moving, closet_id=into.id)


def _realign(user_id: UUID, sets: Iterable[ChangeSet], diffs: Iterable[RowDiff]) -> None:
    """Move drawers to where their closets are now, and delete summaries of changed places."""
    moved: dict[str, list[UUID]] = {"drawer": [], "closet": [], "room": []}
    for diff in diffs:
        moved.get(diff.table.removeprefix("memory."), []).append(diff.id)
    execute(_ALIGN, {"user": user_id, **moved})
    forget_summaries_of(user_id, [place_id for one in sets for place_id in one.others])
