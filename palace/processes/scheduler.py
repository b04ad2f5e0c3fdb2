"""The process that queues due work at intervals."""

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

from palace.processes.lifetime import touch

Sweep = Callable[[datetime], object]
REST_RATIO = 3  # waits at least this many times as long as a sweep took: a quarter of one core at most
TOUCH_EVERY_S = 30
TRANSIENT = (DatabaseError, InterfaceError, redis.RedisError, BrokerError)
log = structlog.get_logger("palace.scheduler")


def run_scheduler(sweep: Sweep, stop: threading.Event, *, every: float, life: Path | None = None) -> None:
    """Call `sweep` every so many seconds, less often when it takes long, until `stop` is set.

    An unreachable database or queue is logged and tried again; `life` is touched all the while.
    """
    while True:
        began = monotonic()
        _sweep_once(sweep, timezone.now())
        if _wait(stop, max(every, REST_RATIO * (monotonic() - began)), life):
            return


def _wait(stop: threading.Event, seconds: float, life: Path | None) -> bool:
    """Wait; returns whether to stop."""
    until = monotonic() + seconds
    while (left := until - monotonic()) > 0:
        touch(life)
        if stop.wait(min(left, TOUCH_EVERY_S)):
            return True
    return stop.is_set()


def _sweep_once(sweep: Sweep, now: datetime) -> None:
    close_old_connections()
    try:
        sweep(now)
    except TRANSIENT:
        log.warning("sweep failed", exc_info=True)
