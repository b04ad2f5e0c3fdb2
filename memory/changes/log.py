"""The change log: records changes with every row before and after, and undoes them exactly.

Each part of Palace records its owner's changes here, and calls `undo` from its own undo, which then
recomputes what follows from the rows. Call everything inside a transaction that holds the palace lock (for
chats, the lock of the row).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NoReturn
from uuid import UUID

from django.db import IntegrityError, models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from accounts.owned import NotFound, Operational, Owned
from memory.changes import activity, rows
from memory.changes.rows import NOTHING, RowDiff, RowsChanged, Values, as_json, image_of, images, table_of
from memory.models import ActivityEvent, ChangeSet, RowChange

UNDO_PERIOD = timedelta(days=30)
BATCH = 1_000

Area = ChangeSet.Area
Row = Owned | Operational


class ChangeRefused(Exception):
    """The change cannot be made; the message is a sentence for the owner."""


class AlreadyUndone(NotFound):
    """The change was undone already; undoing it again changes nothing. `result` is what the first undo
    returned, where its caller needs it."""

    def __init__(self, result: Any = None) -> None:
        super().__init__()
        self.result = result


class ChangedSince(ChangeRefused):
    """The change cannot be undone: its rows have changed since, or something else has taken its place."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or _("This was changed again later. Undo that first."))


@dataclass(frozen=True, slots=True)
class Change:
    """A change that a user can understand and undo.

    It has a kind, a subject and other affected rows, details (codes and numbers), and the row diffs in the
    order they are written.
    """

    kind: str
    subject: str
    subject_id: UUID
    rows: tuple[RowDiff, ...]
    others: tuple[UUID, ...] = ()
    details: Values = field(default_factory=dict)


class Recording:
    """Changes rows of one user and records each as a diff, in order."""

    def __init__(self, user_id: UUID) -> None:
        self.user_id = user_id
        self.diffs: list[RowDiff] = []

    def change(self, changed: Iterable[Row], **values: Any) -> None:
        """Update rows of one table; the rows in memory provide the old values."""
        found = list(changed)
        for row in found:
            before = {name: as_json(getattr(row, name)) for name in values}
            old = RowDiff(table_of(type(row)), row.id, before, None)
            diff = rows.diff_of(old, {name: as_json(value) for name, value in values.items()})
            self.diffs += [diff] if diff else []
        if found:
            ids = [row.id for row in found]
            type(found[0])._default_manager.filter(user_id=self.user_id, id__in=ids).update(**values)

    def added(self, *made: Row) -> None:
        """Record rows that were just created."""
        self.diffs += [rows.added(row) for row in made]

    def remove(self, row: Row) -> None:
        self.diffs.append(RowDiff(table_of(type(row)), row.id, image_of(row), None))
        row.delete()

    @contextmanager
    def watch(
        self,
        model: type[models.Model],
        ids: Collection[UUID],
        counters: frozenset[str] = NOTHING,
        derived: frozenset[str] = NOTHING,
    ) -> Iterator[None]:
        """Record what the block changes in these rows.

        Of `counters` only the difference is recorded; `derived` columns of changed rows are always included.
        """
        before = images(self.user_id, model, ids)
        yield
        for row_id, after in images(self.user_id, model, ids).items():
            old = RowDiff(table_of(model), row_id, before[row_id], None)
            diff = rows.diff_of(old, after, counters, derived)
            self.diffs += [diff] if diff else []


def store_plan(user_id: UUID, area: Area, changes: Sequence[Change], batch_id: UUID) -> None:
    """Store planned changes in order as one batch."""
    made = [_change_set(user_id, area, change, uuid7(), batch_id) for change in changes]
    _store(list(zip(made, changes, strict=True)))


def record(
    user_id: UUID, area: Area, change: Change, now: datetime, *, set_id: UUID | None = None
) -> ChangeSet:
    """Store a change that was made, as a batch of its own."""
    batch_id = set_id or uuid7()
    made = _change_set(user_id, area, change, batch_id, batch_id)
    made.made_at = now
    _store([(made, change)])
    return made


def record_with_event(
    user_id: UUID, area: Area, change: Change, now: datetime, kind: str, set_id: UUID | None = None
) -> ChangeSet:
    """The same, with an activity event of this kind for its owner to read and undo."""
    made = record(user_id, area, change, now, set_id=set_id)
    details = {"batch": str(made.batch_id), "change": change.kind}
    activity.record(user_id, kind, details, now, subject_id=change.subject_id)
    return made


def refuse(reason: str) -> NoReturn:
    """Raise ChangeRefused with a sentence for the owner."""
    raise ChangeRefused(reason)


def diffs_of(user_id: UUID, sets: Iterable[ChangeSet]) -> dict[UUID, list[RowDiff]]:
    """The diffs of each of these sets in order, by the set's id."""
    ids = [each.id for each in sets]
    stored = RowChange.objects.filter(user_id=user_id, change_set_id__in=ids)
    found: defaultdict[UUID, list[RowDiff]] = defaultdict(list)
    for row in stored.order_by("change_set_id", "position").iterator(chunk_size=BATCH):
        diff = RowDiff(row.table, row.row_id, row.before, row.after, row.added)
        found[row.change_set_id].append(diff)
    return found


def undoable(user_id: UUID, **chosen: Any) -> QuerySet[ChangeSet]:
    """Changes that were made and can still be undone, optionally filtered by fields.

    Excludes summaries logged by earlier versions; they are simply regenerated.
    """
    held = RowChange.objects.filter(user_id=user_id, change_set_id=OuterRef("id"))
    made = ChangeSet.objects.filter(user_id=user_id, made_at__isnull=False, undone_at=None, **chosen)
    return made.filter(Exists(held)).exclude(kind=ChangeSet.Kind.SUMMARISED)


def undoable_in_batch(user_id: UUID, area: Area, batch_id: UUID) -> list[ChangeSet]:
    """The changes of a batch that can be undone, last first. Raises NotFound and AlreadyUndone."""
    found = list(undoable(user_id, area=area, batch_id=batch_id).order_by("-id"))
    if not found:
        undone = ChangeSet.objects.filter(
            user_id=user_id, area=area, batch_id=batch_id, undone_at__isnull=False
        )
        raise AlreadyUndone if undone.exists() else NotFound
    return found


def undo(
    user_id: UUID,
    sets: Sequence[ChangeSet],
    now: datetime,
    derived: frozenset[str] = NOTHING,
    deleted: Collection[UUID] = (),
) -> None:
    """Restore all rows of these changes, last first, and mark the changes and their events as undone.

    `derived` columns are restored too, but may differ: the caller recomputes them. Rows in `deleted`, which
    these changes only modified, stay deleted. Raises ChangedSince without changing anything.
    """
    diffs = diffs_of(user_id, sets)
    in_order = [
        diff.without("deleted_at") if diff.id in deleted else diff
        for one in reversed(sets)
        for diff in diffs[one.id]
    ]
    try:
        with transaction.atomic():
            rows.undo(user_id, in_order, derived)
            rows.check_references()
    except RowsChanged as error:
        raise ChangedSince from error
    except IntegrityError as error:
        named = any(one.area in (Area.GRAPH, Area.PALACE) for one in sets)
        sentence = _("Something else has that name now; merge the two instead.") if named else ""
        raise ChangedSince(sentence) from error
    _mark_undone(user_id, sets, now)


def forget_changes_of(user_id: UUID, subject_ids: Collection[UUID]) -> None:
    """Delete the changes of these subjects, which are being erased."""
    ChangeSet.objects.filter(user_id=user_id, subject_id__in=subject_ids).delete()


def expire(user_id: UUID, now: datetime) -> None:
    """Delete the rows of changes that can no longer be undone.

    The changes themselves stay as history, without any words.
    """
    old = ChangeSet.objects.filter(user_id=user_id, expired=False, made_at__lt=now - UNDO_PERIOD)
    with transaction.atomic():
        RowChange.objects.filter(user_id=user_id, change_set_id__in=old.values("id")).delete()
        old.update(expired=True)


def _change_set(user_id: UUID, area: Area, change: Change, set_id: UUID, batch_id: UUID) -> ChangeSet:
    return ChangeSet(
        user_id=user_id,
        id=set_id,
        batch_id=batch_id,
        area=area,
        kind=change.kind,
        subject=change.subject,
        subject_id=change.subject_id,
        others=list(change.others),
        details=dict(change.details),
    )


def _store(made: Sequence[tuple[ChangeSet, Change]]) -> None:
    ChangeSet.objects.bulk_create([one for one, _ in made], batch_size=BATCH)
    row_changes = [
        RowChange(
            user_id=one.user_id,
            change_set_id=one.id,
            position=position,
            table=diff.table,
            row_id=diff.id,
            before=diff.before,
            after=diff.after,
            added=diff.added,
        )
        for one, change in made
        for position, diff in enumerate(change.rows)
    ]
    RowChange.objects.bulk_create(row_changes, batch_size=BATCH)


def _mark_undone(user_id: UUID, sets: Iterable[ChangeSet], now: datetime) -> None:
    ids = [each.id for each in sets]
    ChangeSet.objects.filter(user_id=user_id, id__in=ids).update(undone_at=now)
    for one in sets:
        events = Q(id=one.batch_id) | Q(subject_id=one.subject_id, details__batch=str(one.batch_id))
        ActivityEvent.objects.filter(events, user_id=user_id).update(undone_at=now)
