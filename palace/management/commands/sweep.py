"""`sweep`: looks for work nobody has been told of."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from api.idempotency import remove_old_answers
from api.sweep import sweep_webhooks
from chat.sweep import sweep
from palace.lifetime import end_with_parent, stop_on_signals
from palace.logs import log_uncaught_errors
from palace.sweeper import sweep_for_ever


class Command(BaseCommand):
    """Sweeps once, or again and again."""

    requires_system_checks = ()  # `run` and `migrate` have looked
    help = "Queue whatever is due: chats to mine, vectors to add, trash to empty."

    def add_arguments(self, parser: CommandParser) -> None:
        """How often, and what `run` and health checks need."""
        parser.add_argument(
            "--every",
            type=float,
            nargs="?",
            const=settings.SWEEP_SECONDS,
            metavar="SECONDS",
            help="go on until stopped (without a number: PALACE_SWEEP_SECONDS)",
        )
        parser.add_argument("--parent", type=int, metavar="PID", help="end with this process")
        parser.add_argument("--life", type=Path, metavar="FILE", help="touch this at each sweep")

    def handle(self, *args: Any, **options: Any) -> None:
        """Sweep."""
        if options["every"] is None:
            _look(timezone.now())
            return
        stop = stop_on_signals()
        end_with_parent(options["parent"])
        log_uncaught_errors()
        sweep_for_ever(_look, stop, every=options["every"], life=options["life"])


def _look(now: datetime) -> None:
    sweep(now)
    remove_old_answers(now)
    sweep_webhooks(now)
