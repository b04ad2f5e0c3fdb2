"""`worker`: does background jobs."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from palace.lifetime import end_with_parent, stop_on_signals
from palace.logs import log_uncaught_errors
from palace.worker import work


class Command(BaseCommand):
    """Does jobs until it is told to stop."""

    requires_system_checks = ()  # `run` and `migrate` have looked
    help = "Do background jobs. `run` starts this together with the rest."

    def add_arguments(self, parser: CommandParser) -> None:
        """How many at once, and what `run` and health checks need."""
        parser.add_argument("--threads", type=int, default=settings.WORKER_THREADS)
        parser.add_argument("--parent", type=int, metavar="PID", help="end with this process")
        parser.add_argument("--life", type=Path, metavar="FILE", help="touch this every second")

    def handle(self, *args: Any, **options: Any) -> None:
        """Work."""
        stop = stop_on_signals()
        end_with_parent(options["parent"])
        log_uncaught_errors()
        work(stop, threads=options["threads"], life=options["life"])
