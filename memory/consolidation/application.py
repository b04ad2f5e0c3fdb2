"""Stores a plan for its owner to read, applies it exactly as shown or on schedule, and undoes it."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Min, QuerySet

from accounts.owned import NotFound, first_or_raise
from memory.changes import log, rows
from memory.changes.activity import record
from memory.changes.log import AlreadyUndone, Area, Change, ChangedSince
from memory.changes.rows import RowsChanged
from memory.consolidation.planning import Plan, facts_digest, plan
from memory.consolidation.summaries import renew_summaries
from memory.facts.owner_relations import project
from memory.facts.validity import HOLDS_OR_HELD, settle
from memory.locks import CONSOLIDATING, try_lock
from memory.models import ActivityEvent, ChangeSet, ConsolidationRun, Fact, MemoryPreferences, Wing
from memory.placement import locked_palace
from memory.preferences import preferences_of

MAX_ATTEMPTS = 3

State = ConsolidationRun.State
Schedule = MemoryPreferences.Schedule
PERIODS = {
    Schedule.DAILY: timedelta(days=1),
    Schedule.WEEKLY: timedelta(days=7),
    Schedule.MONTHLY: timedelta(days=30),
}


class AlreadyApplied(NotFound):
    """This plan was already applied; nothing was done again."""


class PlanOutdated(Exception):
    """Facts have changed since the plan was made; nothing was done. Make a new plan."""


def is_due(user_id: UUID, now: datetime) -> bool:
    """Whether it is time to consolidate."""
    at = consolidation_at(user_id)
    return at is not None and at <= now


def consolidation_at(user_id: UUID) -> datetime | None:
    """When the chosen interval has passed since the last run or plan or, before any, the first fact.

    None without an interval or any memory.
    """
    period = PERIODS.get(Schedule(preferences_of(user_id).consolidation))
    if period is None:
        return None
    last = ConsolidationRun.objects.filter(user_id=user_id).order_by("-planned_at").first()
    if last is not None:
        return last.planned_at + period
    facts, wings = Fact.objects.filter(user_id=user_id), Wing.objects.filter(user_id=user_id)
    began = facts.aggregate(at=Min("recorded_at"))["at"] or wings.aggregate(at=Min("created_at"))["at"]
    return began + period if began else None


def preview(user_id: UUID, now: datetime) -> ConsolidationRun | None:
    """Store a plan for its owner to read; None if nothing would change.

    Summaries are only derived, so they need no approval and are renewed at once.
    """
    renew_summaries(user_id, now)
    run = store_plan(user_id, plan(user_id, now))
    if not run.counts:
        drop(user_id)
        return None
    return run


def store_plan(
    user_id: UUID, made: Plan, *, scheduled: bool = False, derived: Mapping[str, int] | None = None
) -> ConsolidationRun:
    """Store a plan in place of an earlier unapplied one. `derived` counts updates that were already made."""
    counts = Counter(change.kind for change in made.changes) + Counter(derived or {})
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
        # Runs without changes only record the time of the last run, as this one will.
        ConsolidationRun.objects.filter(user_id=user_id, state=State.APPLIED, counts={}).delete()
        run.save(force_insert=True)
        log.store_plan(user_id, Area.CONSOLIDATION, made.changes, run.id)
    return run


def drop(user_id: UUID) -> int:
    """Delete a plan that was not applied; returns how many there were."""
    runs = ConsolidationRun.objects.filter(user_id=user_id, state=State.PLANNED)
    _sets(user_id).filter(batch_id__in=runs.values("id")).delete()
    return runs.delete()[0]


def apply(user_id: UUID, run_id: UUID, digest: str, now: datetime) -> ConsolidationRun:
    """Apply a plan in one transaction, exactly as its owner saw it.

    `digest` identifies the plan that was shown. Raises NotFound, AlreadyApplied, and PlanOutdated if facts
    have changed since the plan was made.
    """
    with locked_palace(user_id):
        run = _locked(user_id, run_id, State.PLANNED, State.APPLIED)
        if digest != run.digest:
            raise NotFound
        if run.state == State.APPLIED:
            raise AlreadyApplied
        _apply_changes(run, now)
    return run


def _apply_changes(run: ConsolidationRun, now: datetime) -> None:
    user_id, sets = run.user_id, _sets(run.user_id).filter(batch_id=run.id).order_by("id")
    if facts_digest(user_id) != run.facts_digest:
        raise PlanOutdated
    diffs = log.diffs_of(user_id, sets)
    planned = [row for one in sets for row in diffs[one.id]]
    try:
        with transaction.atomic():
            rows.write(user_id, planned)
    except (RowsChanged, IntegrityError) as error:
        raise PlanOutdated from error
    _project(user_id, [row.id for row in planned])
    sets.update(made_at=now)
    run.state, run.applied_at = State.APPLIED, now
    run.save(update_fields=("state", "applied_at"))
    if run.counts:
        details = {"counts": run.counts, "scheduled": run.scheduled}
        record(user_id, ActivityEvent.Kind.CONSOLIDATED, details, now, subject_id=run.id)


def consolidate(user_id: UUID, now: datetime, *, scheduled: bool = False) -> ConsolidationRun | None:
    """Plan and apply in one step, and renew summaries, with a model if there is one.

    Returns None if another process is consolidating for this user, or if facts keep changing.
    """
    with try_lock(user_id, CONSOLIDATING) as won:
        if not won:
            return None
        closed, written = _settle_open_values(user_id), renew_summaries(user_id, now, by_model=True)
        derived = {ChangeSet.Kind.CLOSED.value: closed, ChangeSet.Kind.SUMMARISED.value: written}
        for _ in range(MAX_ATTEMPTS):
            run = store_plan(user_id, plan(user_id, now), scheduled=scheduled, derived=derived)
            try:
                return apply(user_id, run.id, run.digest, now)
            except PlanOutdated:
                continue
    return None


def unarchive(user_id: UUID, fact_id: UUID) -> None:
    """Unarchive a fact. Raises NotFound."""
    archive = Fact.objects.filter(user_id=user_id, archived_at__isnull=False, deleted_at=None)
    if not archive.filter(id=fact_id).update(archived_at=None):
        raise NotFound


def undo(user_id: UUID, run_id: UUID, now: datetime, change_id: UUID | None = None) -> int:
    """Undo a run, or one change of it, by restoring the same rows.

    A change whose rows have changed since stays; returns how many do. Raises NotFound if there is nothing
    to undo, and AlreadyUndone.
    """
    with locked_palace(user_id):
        run = _locked(user_id, run_id, State.APPLIED, State.UNDONE)
        remaining = undoable(user_id, run.id, now)
        chosen = remaining.filter(id=change_id) if change_id else remaining
        sets = list(chosen.order_by("-id"))
        if not sets:
            raise AlreadyUndone if _was_undone(run, change_id) else NotFound
        left = 0
        if not _try_undo(user_id, sets, now):  # rows have changed since: undo each change that still can be
            left = sum(not _try_undo(user_id, [one], now) for one in sets)
        if not remaining.exists():
            run.state, run.undone_at = State.UNDONE, now
            run.save(update_fields=("state", "undone_at"))
            kind = ActivityEvent.Kind.CONSOLIDATED
            events = ActivityEvent.objects.filter(user_id=user_id, subject_id=run.id, kind=kind)
            events.update(undone_at=now)
    return left


def undoable(user_id: UUID, run_id: UUID, now: datetime) -> QuerySet[ChangeSet]:
    """The changes of a run that can still be undone."""
    fresh = now - log.UNDO_PERIOD
    return log.undoable(user_id, area=Area.CONSOLIDATION, batch_id=run_id, made_at__gte=fresh)


def digest_of(changes: Sequence[Change]) -> str:
    """A digest of everything these changes would do, in order."""
    content = [[each.kind, each.subject_id, [asdict(row) for row in each.rows]] for each in changes]
    return sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def _settle_open_values(user_id: UUID) -> int:
    """End superseded values of single-valued keys that have several open ones; returns how many ended."""
    with locked_palace(user_id):
        single = Fact.objects.filter(user_id=user_id, single_valued=True, status__in=HOLDS_OR_HELD)
        open_values = single.filter(deleted_at=None, merged_into_id=None, valid_to=None)
        several = open_values.values("key").annotate(values=Count("id")).filter(values__gt=1)
        before = open_values.count()
        settle(user_id, several.values_list("key", flat=True))
        return before - open_values.count()


def _locked(user_id: UUID, run_id: UUID, *states: str) -> ConsolidationRun:
    runs = ConsolidationRun.objects.select_for_update()
    return first_or_raise(runs.filter(user_id=user_id, id=run_id, state__in=states))


def _sets(user_id: UUID) -> QuerySet[ChangeSet]:
    return ChangeSet.objects.filter(user_id=user_id, area=Area.CONSOLIDATION)


def _was_undone(run: ConsolidationRun, change_id: UUID | None) -> bool:
    """Whether the run was undone or, if `change_id` is given, this change of it."""
    if change_id is None:
        return run.state == State.UNDONE
    return _sets(run.user_id).filter(batch_id=run.id, id=change_id, undone_at__isnull=False).exists()


def _try_undo(user_id: UUID, sets: Sequence[ChangeSet], now: datetime) -> bool:
    try:
        with transaction.atomic():
            log.undo(user_id, sets, now)
            changed = [row.id for diffs in log.diffs_of(user_id, sets).values() for row in diffs]
            _project(user_id, changed)
            rows.check_references()
    except (ChangedSince, IntegrityError):
        return False
    return True


def _project(user_id: UUID, changed: Collection[UUID]) -> None:
    """Update the owner's relations after changes to these facts."""
    project(user_id, Fact.objects.filter(user_id=user_id, id__in=changed))
