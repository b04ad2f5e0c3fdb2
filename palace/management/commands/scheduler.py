"""`scheduler`: queues due work."""

import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

import redis
import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, InterfaceError, close_old_connections
from django.utils import timezone
from dramatiq.errors import BrokerError

from accounts.oauth import remove_unused_access
from accounts.sessions import remove_expired_sessions
from accounts.shared_cache import remove_expired_entries
from api.rest.idempotency import delete_expired_responses
from jobs.sweep import sweep, sweep_webhooks
from memory.upkeep_schedule import request_upkeep_of_all
from palace.logging import log_uncaught_errors
from palace.processes.heartbeat import heartbeat
from palace.processes.lifetime import end_with_parent, stop_on_signals, touch


class Command(BaseCommand):
    """Sweeps at intervals, or once."""

    requires_system_checks = ()  # `run` and `migrate` run them
    help = "Queue due work: chats to mine, vectors to add, trash to empty. Part of `run`."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="sweep once and exit")
        parser.add_argument("--every", type=float, default=settings.SWEEP_SECONDS, metavar="SECONDS")
        parser.add_argument("--parent", type=int, metavar="PID", help="exit when this process ends")
        parser.add_argument("--life", type=Path, metavar="FILE", help="touch this file while alive")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            _sweep(timezone.now())
            return
        stop = stop_on_signals()
        end_with_parent(options["parent"])
        log_uncaught_errors()
        with heartbeat("scheduler"):
            run_scheduler(_Sweeps(), stop, every=options["every"], life=options["life"])


class _Sweeps:
    """Sweeps; the first one requests upkeep of every memory, because settings may have changed before it."""

    has_begun = False

    def __call__(self, now: datetime) -> None:
        if not self.has_begun:
            request_upkeep_of_all()
            self.has_begun = True
        _sweep(now)


def _sweep(now: datetime) -> None:
    sweep(now)
    delete_expired_responses(now)
    sweep_webhooks(now)
    remove_expired_sessions(now)
    remove_unused_access(now)
    remove_expired_entries(now)


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
