"""`worker`: runs background jobs."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from palace.logging import log_uncaught_errors
from palace.processes.lifetime import end_with_parent, stop_on_signals
from palace.processes.worker import run_worker


class Command(BaseCommand):
    """Runs jobs until stopped."""

    requires_system_checks = ()  # `run` and `migrate` run them
    help = "Run background jobs. Part of `run`."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--threads", type=int, default=settings.WORKER_THREADS)
        parser.add_argument("--parent", type=int, metavar="PID", help="exit when this process ends")
        parser.add_argument("--life", type=Path, metavar="FILE", help="touch this file every second")

    def handle(self, *args: Any, **options: Any) -> None:
        stop = stop_on_signals()
        end_with_parent(options["parent"])
        log_uncaught_errors()
        run_worker(stop, threads=options["threads"], life=options["life"])
