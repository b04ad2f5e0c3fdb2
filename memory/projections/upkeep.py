"""Keeps projections up to date with the facts. What is due is read from the database, so a lost job only
delays it."""

from datetime import datetime
from uuid import UUID

from django.contrib.postgres.aggregates import BitXor
from django.db.models import BigIntegerField, F, Func, TextField, Value
from django.db.models.functions import Cast, Concat

from memory.locks import PROJECTING, try_lock
from memory.models import Fact, MinedWindow, ProjectionWatermark
from memory.projections.profile import REFRESH_INTERVAL, profile_due, refresh_profile
from memory.projections.skills import propose_skills

_FIELDS = ("id", "status", "times_seen", "valid_from", "valid_to", "deleted_at", "version")


def current_mark(user_id: UUID) -> tuple[int, int]:
    """The number of mined windows, and a hash of all facts."""
    text = Concat(*(Cast(F(name), TextField()) for name in _FIELDS), output_field=TextField())
    hashed = Func(text, Value(0), function="hashtextextended", output_field=BigIntegerField())
    facts = Fact.objects.filter(user_id=user_id).aggregate(state=BitXor(hashed))
    return MinedWindow.objects.filter(user_id=user_id).count(), facts["state"] or 0


def upkeep_due(user_id: UUID, now: datetime) -> bool:
    """Whether any projection is out of date."""
    return _patterns_due(user_id, now) or profile_due(user_id, now)


def refresh_due(user_id: UUID, now: datetime) -> bool:
    """Update what is due; returns whether anything was.

    It is idempotent, and does nothing while another process does it for the same user.
    """
    with try_lock(user_id, PROJECTING) as won:
        patterns = won and _patterns_due(user_id, now)
        if patterns:
            _check_patterns(user_id, now)
        return won and (refresh_profile(user_id, now) or patterns)


def _patterns_due(user_id: UUID, now: datetime) -> bool:
    """Whether there is something new to check, at most every five minutes."""
    current, last = current_mark(user_id), _last_mark(user_id)
    if last is None:
        return current != (0, 0)
    return now >= last.checked_at + REFRESH_INTERVAL and current != (last.windows, last.facts)


def _check_patterns(user_id: UUID, now: datetime) -> None:
    """Read the mark first, so that concurrent changes are checked again."""
    (windows, facts), last = current_mark(user_id), _last_mark(user_id)
    propose_skills(user_id, last.checked_at if last else None, now)
    ProjectionWatermark.objects.update_or_create(
        user_id=user_id, defaults={"windows": windows, "facts": facts, "checked_at": now}
    )


def _last_mark(user_id: UUID) -> ProjectionWatermark | None:
    return ProjectionWatermark.objects.filter(user_id=user_id).first()
