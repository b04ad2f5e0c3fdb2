"""Records changes to places, and undoes them.

Only the closet of a drawer is recorded; its room and wing follow from it. Call everything here inside a
transaction that holds the palace lock.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction
from django.utils.translation import gettext as _

from memory.changes import log, rows
from memory.changes.log import Area, Change, ChangedSince, Recording, UndoConflict, refuse
from memory.changes.rows import RowDiff
from memory.consolidation.summaries import forget_summaries_of
from memory.models import ActivityEvent, ChangeSet, Drawer, Room, Wing
from memory.organize.places import Place
from memory.placement import lock_palace

Kind = ChangeSet.Kind
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


class Draft(Recording):
    """A change to the palace in progress."""

    def __init__(self, subject: Subject, now: datetime) -> None:
        super().__init__(subject.user_id)
        self.now = now
        self._subject = subject
        self._touched: set[UUID] = {subject.id}

    def move_rooms(self, rooms: Collection[Room], wing: Wing) -> None:
        """Move rooms to another wing, with new numbers."""
        first = wing.rooms_made + 1
        wing.rooms_made += len(rooms)
        wing.save(update_fields=["rooms_made"])
        moved = [_moved_room(room, wing, first + step) for step, room in enumerate(rooms)]
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


def undo(user_id: UUID, batch_id: UUID, now: datetime) -> Sequence[ChangeSet]:
    """Undo a batch of changes, last first; what was learned since stays.

    Raises NotFound, and ChangeRefused if later changes depend on them.
    """
    with transaction.atomic():
        lock_palace(user_id)
        sets = log.undoable_in_batch(user_id, Area.PALACE, batch_id)
        diffs = [diff for found in log.diffs_of(user_id, sets).values() for diff in found]
        try:
            log.undo(user_id, sets, now, DERIVED)
        except UndoConflict:
            refuse(_("Its old name now belongs to something else; merge the two instead."))
        except ChangedSince:
            refuse(_("Later changes depend on it; undo those first."))
        _realign(user_id, sets, diffs)
    return sets


def last_changes(user_id: UUID, place_id: UUID) -> Sequence[ChangeSet]:
    """The owner's changes to a place that can be undone, newest first."""
    found = log.undoable(user_id, area=Area.PALACE, kind__in=PLACE_KINDS, others__contains=[place_id])
    return list(found.order_by("-id")[:MAX_CHANGES])


def _realign(user_id: UUID, sets: Iterable[ChangeSet], diffs: Iterable[RowDiff]) -> None:
    """Move drawers to where their closets are now, and delete summaries of changed places."""
    moved: dict[str, list[UUID]] = {"drawer": [], "closet": [], "room": []}
    for diff in diffs:
        moved.get(diff.table.removeprefix("memory."), []).append(diff.id)
    with connection.cursor() as cursor:
        cursor.execute(_ALIGN, {"user": user_id, **moved})
    forget_summaries_of(user_id, [place_id for one in sets for place_id in one.others])


def _moved_room(room: Room, wing: Wing, number: int) -> RowDiff:
    before = {"wing_id": str(room.wing_id), "ordinal": room.ordinal}
    return RowDiff("memory.room", room.id, before, {"wing_id": str(wing.id), "ordinal": number})
