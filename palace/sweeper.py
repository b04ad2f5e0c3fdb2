"""The process that looks for work nobody has been told of."""

import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from time import monotonic

import redis
import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections
from django.utils import timezone
from dramatiq.errors import BrokerError

from palace.lifetime import show_life

Sweep = Callable[[datetime], object]
REST = 3
"""So many times as long as it looked it rests at least: a quarter of one core, however many people."""
SIGN_OF_LIFE_S = 30
PASSING = (DatabaseError, InterfaceError, redis.RedisError, BrokerError)
log = structlog.get_logger("palace.sweep")


def sweep_for_ever(
    sweep: Sweep, stop: threading.Event, *, every: float, life: Path | None = None
) -> None:
    """Sweep every so many seconds, more rarely where a sweep takes long, until `stop` is set. A
    database that is away is waited for."""
    while True:
        began = monotonic()
        _sweep_once(sweep, timezone.now())
        if _rest(stop, max(every, REST * (monotonic() - began)), life):
            return


def _rest(stop: threading.Event, seconds: float, life: Path | None) -> bool:
    """Wait, and show all the while that the process lives; returns whether it is to stop."""
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0:
        show_life(life)
        if stop.wait(min(left, SIGN_OF_LIFE_S)):
            return True
    return stop.is_set()


def _sweep_once(sweep: Sweep, now: datetime) -> None:
    close_old_connections()
    try:
        sweep(now)
    except PASSING:
        log.warning("sweep failed", exc_info=True)
