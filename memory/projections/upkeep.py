"""Brings what is read out of facts up to them. The database says what there is to do, so a lost
job only delays it."""

from datetime import datetime
from uuid import UUID

from memory.locks import PROJECTING, alone
from memory.projections.insights import renew_insights
from memory.projections.marks import keep_mark, mark_now, mark_then
from memory.projections.proposing import propose_skills
from memory.projections.refreshing import SETTLING, profile_due, refresh_profile


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
