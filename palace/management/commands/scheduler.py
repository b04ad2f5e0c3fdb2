"""`scheduler`: queues due work."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from accounts.oauth import remove_unused_access
from accounts.sessions import remove_expired_sessions
from accounts.shared_cache import remove_expired_entries
from api.rest.idempotency import delete_expired_responses
from jobs.sweep import sweep, sweep_webhooks
from memory.upkeep_schedule import request_upkeep_of_all
from palace.logging import log_uncaught_errors
from palace.processes.lifetime import end_with_parent, stop_on_signals
from palace.processes.scheduler import run_scheduler


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
