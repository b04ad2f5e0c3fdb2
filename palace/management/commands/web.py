"""`web`: serves the site."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from palace.processes.lifetime import end_with_parent
from palace.processes.web_server import serve


class Command(BaseCommand):
    """Serves the site until stopped."""

    requires_system_checks = ()  # `run` and `migrate` run them
    help = "Serve the site at PALACE_BIND and PORT. Part of `run`."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--parent", type=int, metavar="PID", help="exit when this process ends")
        parser.add_argument(
            "--descriptor", type=int, metavar="FD", help="file descriptor of an open socket to serve on"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        end_with_parent(options["parent"])
        serve(port=settings.PORT, descriptor=options["descriptor"])
