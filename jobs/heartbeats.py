"""Heartbeats of the worker and the scheduler: one entry each in the database, without any user data."""

import time
from datetime import timedelta
from typing import Literal, get_args

from django.utils.timesince import timesince
from django.utils.timezone import now
from django.utils.translation import gettext as _

from accounts.shared_cache import SharedCache

Process = Literal["worker", "scheduler"]
PROCESSES: tuple[Process, ...] = get_args(Process)
STALLED_AFTER = timedelta(minutes=3)
_entries = SharedCache("", {})


def beat(process: Process) -> None:
    """Record that a process of this kind is running. Raises DatabaseError."""
    _entries.set(_key(process), time.time(), timeout=None)


def age_of(process: Process) -> timedelta | None:
    """The time since the last heartbeat of a process of this kind, None if there was none.

    Raises DatabaseError.
    """
    heard = _entries.get(_key(process))
    return None if heard is None else timedelta(seconds=max(0.0, time.time() - heard))


def why_stalled() -> str:
    """Why background work has stopped, in a sentence; empty if it has not, or if none was ever done."""
    for process in PROCESSES:
        age = age_of(process)
        if age is not None and age > STALLED_AFTER:
            words = {
                "worker": _("No worker has answered for %(time)s."),
                "scheduler": _("The scheduler has not answered for %(time)s."),
            }
            return words[process] % {"time": in_words(age)}
    return ""


def in_words(age: timedelta) -> str:
    """An age, such as "5 minutes"."""
    moment = now()
    return timesince(moment - age, moment, depth=1).replace("\N{NO-BREAK SPACE}", " ")


def _key(process: Process) -> str:
    return f"heartbeat:{process}"
