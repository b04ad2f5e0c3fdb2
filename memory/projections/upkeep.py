"""Keeps projections up to date with the facts.

The database says what is due, so a lost job only delays it.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.aggregates import BitXor
from django.db.models import BigIntegerField, F, Func, TextField, Value
from django.db.models.functions import Cast, Concat

from memory.locks import PROJECTING, try_lock
from memory.models import Fact, MinedWindow, ProjectionMark
from memory.projections.insights import renew_insights
from memory.projections.profile import SETTLING, profile_due, refresh_profile
from memory.projections.proposing import propose_skills

_FIELDS = ("id", "status", "times_seen", "valid_from", "valid_to", "deleted_at", "version")


@dataclass(frozen=True, slots=True)
class Mark:
    """Identifies the mined windows and facts; `looked_at` is None before the first check."""

    windows: int
    facts: int
    looked_at: datetime | None = None


def current_mark(user_id: UUID) -> Mark:
    """The current mark. Two states of the facts share one only by chance."""
    text = Concat(*(Cast(F(name), TextField()) for name in _FIELDS), output_field=TextField())
    hashed = Func(text, Value(0), function="hashtextextended", output_field=BigIntegerField())
    facts = Fact.objects.filter(user_id=user_id).aggregate(state=BitXor(hashed))
    windows = MinedWindow.objects.filter(user_id=user_id).count()
    return Mark(windows, facts["state"] or 0)


def last_mark(user_id: UUID) -> Mark:
    """The mark of the last check."""
    row = ProjectionMark.objects.filter(user_id=user_id).first()
    return Mark(row.windows, row.facts, row.looked_at) if row else Mark(0, 0)


def keep_mark(user_id: UUID, mark: Mark, now: datetime) -> None:
    """Record that the state of this mark was checked."""
    ProjectionMark.objects.update_or_create(
        user_id=user_id,
        defaults={"windows": mark.windows, "facts": mark.facts, "looked_at": now},
    )


def upkeep_due(user_id: UUID, now: datetime) -> bool:
    """Whether any projection is out of date."""
    return _patterns_due(user_id, now) or profile_due(user_id, now)


def refresh_due(user_id: UUID, now: datetime) -> bool:
    """Update what is due; returns whether anything was.

    Running it twice changes nothing more, and while another process does it for the same user, nothing is
    done or paid for twice.
    """
    with try_lock(user_id, PROJECTING) as won:
        patterns = won and _patterns_due(user_id, now)
        if patterns:
            _renew_patterns(user_id, now)
        return won and (refresh_profile(user_id, now) or patterns)


def _patterns_due(user_id: UUID, now: datetime) -> bool:
    """Whether there is something new to check; while more keeps coming in, every five minutes at most."""
    here, then = current_mark(user_id), last_mark(user_id)
    rested = then.looked_at is None or now >= then.looked_at + SETTLING
    return rested and (here.windows, here.facts) != (then.windows, then.facts)


def _renew_patterns(user_id: UUID, now: datetime) -> None:
    """Take the mark first, so that whatever changes meanwhile is checked again."""
    mark = current_mark(user_id)
    propose_skills(user_id, last_mark(user_id).looked_at, now)
    renew_insights(user_id, now)
    keep_mark(user_id, mark, now)
