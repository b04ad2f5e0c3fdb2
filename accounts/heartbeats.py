"""When the worker and the scheduler last answered: one entry each in the database, without any user data."""

import time
from datetime import timedelta
from typing import Literal, get_args

from django.utils.timesince import timesince
from django.utils.timezone import now
from django.utils.translation import gettext as _

from accounts.shared_cache import SharedCache

Process = Literal["worker", "scheduler"]
PROCESSES: tuple[Process, ...] = get_args(Process)
SILENT_AFTER = timedelta(minutes=3)
_entries = SharedCache("", {})


def beat(process: Process) -> None:
    """Record that a process of this kind works. Raises DatabaseError."""
    _entries.set(_key(process), time.time(), timeout=None)


def silence_of(process: Process) -> timedelta | None:
    """How long no process of this kind has answered, None if none ever has. Raises DatabaseError."""
    heard = _entries.get(_key(process))
    return None if heard is None else timedelta(seconds=max(0.0, time.time() - heard))


def standstill() -> str:
    """Why work in the background does not go on, as a sentence; empty if it does, or has never begun."""
    for process in PROCESSES:
        silence = silence_of(process)
        if silence is not None and silence > SILENT_AFTER:
            words = {
                "worker": _("No worker has answered for %(time)s."),
                "scheduler": _("The scheduler has not answered for %(time)s."),
            }
            return words[process] % {"time": in_words(silence)}
    return ""


def in_words(silence: timedelta) -> str:
    """The length of a silence, such as "5 minutes"."""
    moment = now()
    return timesince(moment - silence, moment, depth=1).replace("\N{NO-BREAK SPACE}", " ")


def _key(process: Process) -> str:
    return f"heartbeat:{process}"
