"""Keeps a plan for its owner to read, applies it exactly as it was shown, and takes it back."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from memory.activity import Happening, record
from memory.consolidation.changes import (
    Change,
    Plan,
    digest_of,
    rows_as_json,
    rows_from_json,
)
from memory.consolidation.knowledge import facts_digest
from memory.consolidation.planning import in_better_words, plan
from memory.consolidation.rows import RowsChanged, rewrite
from memory.consolidation.summaries import drop_drafts, keep_drafts
from memory.locks import CONSOLIDATING, alone
from memory.models import ActivityEvent, ConsolidationChange, ConsolidationRun
from memory.placement import lock_palace

UNDO_FOR = timedelta(days=30)
BATCH = 1_000
TRIES = 3

State = ConsolidationRun.State


class NoSuchPlan(Exception):
    """This person has no such plan, or it was applied, undone or dropped already."""


class AlreadyApplied(NoSuchPlan):
    """This very plan was applied before; nothing was done a second time."""


class PlanOutdated(Exception):
    """Facts have changed since the plan was made; nothing was done. A new plan is needed."""


def keep(user_id: UUID, made: Plan, *, scheduled: bool = False) -> ConsolidationRun:
    """Write a plan down for its owner to read; it takes the place of an earlier one that was
    not applied."""
    counts = Counter(change.kind for change in made.changes)
    run = ConsolidationRun(
        user_id=user_id,
        digest=digest_of(made.changes),
        facts_digest=made.facts_digest,
        scheduled=scheduled,
        counts=dict(counts),
        planned_at=made.made_at,
    )
    with transaction.atomic():
        drop(user_id)
        _forget_idle_runs(user_id)
        run.save(force_insert=True)
        keep_drafts(user_id, made.drafts, made.made_at)
        rows = [_kept(run, position, change) for position, change in enumerate(made.changes)]
        ConsolidationChange.objects.bulk_create(rows, batch_size=BATCH)
    return run


def drop(user_id: UUID) -> int:
    """Forget a plan that was not applied, with its drafts; returns whether there was one."""
    drop_drafts(user_id)
    return ConsolidationRun.objects.filter(user_id=user_id, state=State.PLANNED).delete()[0]


def apply(user_id: UUID, run_id: UUID, digest: str, now: datetime) -> ConsolidationRun:
    """Do what a plan says, all of it in one transaction, as its owner saw it.

    `digest` is that of the plan that was shown. Raises NoSuchPlan, AlreadyApplied for a plan that
    was carried out before, and PlanOutdated when facts are no longer as the plan found them.
    """
    with transaction.atomic():
        lock_palace(user_id)
        run = _locked(user_id, run_id, State.PLANNED, State.APPLIED)
        if digest != run.digest:
            raise NoSuchPlan
        if run.state == State.APPLIED:
            raise AlreadyApplied
        _carry_out(run, now)
    return run


def _carry_out(run: ConsolidationRun, now: datetime) -> None:
    user_id, changes = run.user_id, changes_of(run.user_id, run.id)
    if digest_of(changes) != run.digest:
        raise NoSuchPlan
    if facts_digest(user_id) != run.facts_digest:
        raise PlanOutdated
    try:
        rewrite(user_id, [row for change in changes for row in change.rows])
    except RowsChanged as error:
        raise PlanOutdated from error
    run.state, run.applied_at = State.APPLIED, now
    run.save(update_fields=("state", "applied_at"))
    if changes:
        record(user_id, _done(run), now)


def consolidate(
    user_id: UUID, now: datetime, *, scheduled: bool = False
) -> ConsolidationRun | None:
    """Plan, with a model's words for summaries if there is one, and apply at once; None while
    another process does it for this person, or when facts keep changing meanwhile."""
    with alone(user_id, CONSOLIDATING) as won:
        for attempt in range(TRIES if won else 0):
            made = plan(user_id, now)
            if attempt == 0:
                made = in_better_words(user_id, made, now)
            run = keep(user_id, made, scheduled=scheduled)
            try:
                return apply(user_id, run.id, run.digest, now)
            except PlanOutdated:
                continue
    return None


def undo(user_id: UUID, run_id: UUID, now: datetime, change_id: UUID | None = None) -> int:
    """Take back a run, or one change of it: the same rows as before.

    A change whose rows were changed again since stays as it is; returns how many do. Raises
    NoSuchPlan when there is nothing to take back.
    """
    with transaction.atomic():
        lock_palace(user_id)
        run = _locked(user_id, run_id, State.APPLIED)
        standing = _undoable(user_id, run, now)
        chosen = standing.filter(id=change_id) if change_id else standing
        changes = list(chosen.order_by("-position"))
        if not changes:
            raise NoSuchPlan
        done = _take_back(user_id, changes)
        _mark(user_id, done, now)
        if not _undoable(user_id, run, now).exists():
            run.state, run.undone_at = State.UNDONE, now
            run.save(update_fields=("state", "undone_at"))
            _told(user_id, run.id).update(undone_at=now)
    return len(changes) - len(done)


def undoable(user_id: UUID, run: ConsolidationRun, now: datetime) -> bool:
    """Whether anything of a run can be taken back."""
    return run.state == State.APPLIED and _undoable(user_id, run, now).exists()


def forget_rows(user_id: UUID, now: datetime) -> int:
    """Empty the journal of what can no longer be taken back; returns how many changes."""
    old = ConsolidationRun.objects.filter(user_id=user_id, applied_at__lt=now - UNDO_FOR)
    changes = ConsolidationChange.objects.filter(user_id=user_id, run_id__in=old.values("id"))
    return changes.exclude(rows=[]).update(rows=[])


def changes_of(user_id: UUID, run_id: UUID) -> list[Change]:
    """The changes of a run in their order."""
    rows = ConsolidationChange.objects.filter(user_id=user_id, run_id=run_id)
    return [_change(row) for row in rows.order_by("position").iterator(chunk_size=BATCH)]


def _forget_idle_runs(user_id: UUID) -> None:
    """Runs that found nothing to do only say when the last one was; the next one says it too."""
    ConsolidationRun.objects.filter(user_id=user_id, state=State.APPLIED, counts={}).delete()


def _locked(user_id: UUID, run_id: UUID, *states: str) -> ConsolidationRun:
    runs = ConsolidationRun.objects.select_for_update()
    run = runs.filter(user_id=user_id, id=run_id, state__in=states).first()
    if run is None:
        raise NoSuchPlan
    return run


def _undoable(user_id: UUID, run: ConsolidationRun, now: datetime) -> QuerySet[ConsolidationChange]:
    changes = ConsolidationChange.objects.filter(user_id=user_id, run_id=run.id, undone_at=None)
    old = run.applied_at is None or run.applied_at < now - UNDO_FOR
    return changes.none() if old else changes.exclude(rows=[])


def _take_back(
    user_id: UUID, changes: Sequence[ConsolidationChange]
) -> Sequence[ConsolidationChange]:
    """Take back all at once, or, when rows were changed since, each change that still can be."""
    if _try(user_id, changes):
        return changes
    return [change for change in changes if _try(user_id, [change])]


def _try(user_id: UUID, changes: Iterable[ConsolidationChange]) -> bool:
    made = [row for change in changes for row in rows_from_json(change.rows)]
    rows = [row.reversed() for row in reversed(made)]
    try:
        with transaction.atomic():
            rewrite(user_id, rows)
            _check_references()
    except (RowsChanged, IntegrityError):
        return False
    return True


def _check_references() -> None:
    """References are checked when a transaction commits; here it has to be known earlier."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def _mark(user_id: UUID, changes: Iterable[ConsolidationChange], now: datetime) -> None:
    ids = [change.id for change in changes]
    ConsolidationChange.objects.filter(user_id=user_id, id__in=ids).update(undone_at=now)


def _kept(run: ConsolidationRun, position: int, change: Change) -> ConsolidationChange:
    return ConsolidationChange(
        user_id=run.user_id,
        run_id=run.id,
        position=position,
        kind=change.kind,
        subject=change.subject,
        subject_id=change.subject_id,
        others=list(change.others),
        details=dict(change.details),
        rows=rows_as_json(change.rows),
    )


def _change(row: ConsolidationChange) -> Change:
    return Change(
        row.kind,
        row.subject,
        row.subject_id,
        rows_from_json(row.rows),
        tuple(row.others),
        row.details,
    )


def _told(user_id: UUID, run_id: UUID) -> QuerySet[ActivityEvent]:
    return ActivityEvent.objects.filter(
        user_id=user_id, subject_id=run_id, kind=ActivityEvent.Kind.CONSOLIDATED
    )


def _done(run: ConsolidationRun) -> Happening:
    details = {"counts": run.counts, "scheduled": run.scheduled}
    return Happening(ActivityEvent.Kind.CONSOLIDATED, run.id, details)
