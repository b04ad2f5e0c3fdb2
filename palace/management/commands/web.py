"""`web`: answers requests."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from palace.lifetime import end_with_parent
from palace.web import serve


class Command(BaseCommand):
    """Serves the site until it is told to stop."""

    requires_system_checks = ()  # `run` and `migrate` have looked
    help = "Serve the site at PALACE_BIND and PORT. `run` starts this together with the rest."

    def add_arguments(self, parser: CommandParser) -> None:
        """What `run` hands over."""
        parser.add_argument("--parent", type=int, metavar="PID", help="end with this process")
        parser.add_argument("--descriptor", type=int, metavar="FD", help="an open socket to use")

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve."""
        end_with_parent(options["parent"])
        serve(port=settings.PORT, descriptor=options["descriptor"])
