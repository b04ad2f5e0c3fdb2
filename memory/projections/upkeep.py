"""Brings what is read out of facts up to them. The database says what there is to do, so a lost
job only delays it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.aggregates import BitXor
from django.db.models import BigIntegerField, F, Func, TextField, Value
from django.db.models.functions import Cast, Concat

from memory.locks import PROJECTING, alone
from memory.models import Fact, MinedWindow, ProjectionMark
from memory.projections.insights import renew_insights
from memory.projections.profile import SETTLING, profile_due, refresh_profile
from memory.projections.proposing import propose_skills

_FIELDS = ("id", "status", "times_seen", "valid_from", "valid_to", "deleted_at", "version")


@dataclass(frozen=True, slots=True)
class Mark:
    """What the mined windows and the facts come to; `looked_at` is None before the first look."""

    windows: int
    facts: int
    looked_at: datetime | None = None


def mark_now(user_id: UUID) -> Mark:
    """The mark of this moment. Two states of the facts have the same one by chance only."""
    text = Concat(*(Cast(F(name), TextField()) for name in _FIELDS), output_field=TextField())
    hashed = Func(text, Value(0), function="hashtextextended", output_field=BigIntegerField())
    facts = Fact.objects.filter(user_id=user_id).aggregate(state=BitXor(hashed))
    windows = MinedWindow.objects.filter(user_id=user_id).count()
    return Mark(windows, facts["state"] or 0)


def mark_then(user_id: UUID) -> Mark:
    """The mark of the last look."""
    row = ProjectionMark.objects.filter(user_id=user_id).first()
    return Mark(row.windows, row.facts, row.looked_at) if row else Mark(0, 0)


def keep_mark(user_id: UUID, mark: Mark, now: datetime) -> None:
    """Remember that what this mark stands for was looked at."""
    ProjectionMark.objects.update_or_create(
        user_id=user_id,
        defaults={"windows": mark.windows, "facts": mark.facts, "looked_at": now},
    )


def upkeep_due(user_id: UUID, now: datetime) -> bool:
    """Whether anything derived lags behind what it is derived from."""
    return _patterns_due(user_id, now) or profile_due(user_id, now)


def keep_up(user_id: UUID, now: datetime) -> bool:
    """Do what is due; whether anything was. Running it twice changes nothing more, and while
    another process does it for the same person nothing is done, or paid for, beside it."""
    with alone(user_id, PROJECTING) as won:
        patterns = won and _patterns_due(user_id, now)
        if patterns:
            _renew_patterns(user_id, now)
        return won and (refresh_profile(user_id, now) or patterns)


def _patterns_due(user_id: UUID, now: datetime) -> bool:
    """Whether there is something new to look at; while more keeps coming in, not more often than
    every five minutes."""
    here, then = mark_now(user_id), mark_then(user_id)
    rested = then.looked_at is None or now >= then.looked_at + SETTLING
    return rested and (here.windows, here.facts) != (then.windows, then.facts)


def _renew_patterns(user_id: UUID, now: datetime) -> None:
    """The mark is taken first: what changes meanwhile is looked at again."""
    mark = mark_now(user_id)
    propose_skills(user_id, mark_then(user_id).looked_at, now)
    renew_insights(user_id, now)
    keep_mark(user_id, mark, now)
