"""The process that looks for work nobody has been told of."""

import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import redis
import structlog
from django.db import DatabaseError, InterfaceError, close_old_connections
from django.utils import timezone
from dramatiq.errors import BrokerError

from palace.lifetime import show_life

Sweep = Callable[[datetime], object]
PASSING = (DatabaseError, InterfaceError, redis.RedisError, BrokerError)
log = structlog.get_logger("palace.sweep")


def sweep_for_ever(
    sweep: Sweep, stop: threading.Event, *, every: float, life: Path | None = None
) -> None:
    """Sweep every so many seconds until `stop` is set; a database that is away is waited for."""
    while True:
        _sweep_once(sweep, timezone.now())
        show_life(life)
        if stop.wait(every):
            return


def _sweep_once(sweep: Sweep, now: datetime) -> None:
    close_old_connections()
    try:
        sweep(now)
    except PASSING:
        log.warning("sweep failed", exc_info=True)
