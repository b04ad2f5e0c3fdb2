"""Decides when a memory is consolidated automatically."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Min

from memory.models import ConsolidationRun, Fact, MemoryPreferences, Wing
from memory.preferences import preferences_of

Schedule = MemoryPreferences.Schedule

PERIODS = {
    Schedule.DAILY: timedelta(days=1),
    Schedule.WEEKLY: timedelta(days=7),
    Schedule.MONTHLY: timedelta(days=30),
}


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
