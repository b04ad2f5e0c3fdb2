"""Brings what is read out of facts up to them. The database says what there is to do, so a lost
job only delays it."""

from datetime import datetime
from uuid import UUID

from memory.projections.refreshing import profile_due, refresh_profile


def upkeep_due(user_id: UUID, now: datetime) -> bool:
    """Whether anything derived lags behind its facts."""
    return profile_due(user_id, now)


def keep_up(user_id: UUID, now: datetime) -> bool:
    """Do what is due; whether anything changed. Running it twice changes nothing more."""
    return refresh_profile(user_id, now)
