"""`run`: starts all of Palace on this machine."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from palace.instance import AlreadyRunning, PortTaken
from palace.launch import launch
from palace.lifetime import end_with_parent, end_with_terminal, stop_on_signals
from palace.supervisor import GaveUp


class Command(BaseCommand):
    """Runs the web server, the worker and the sweep until it is told to stop."""

    help = "Start Palace on this machine: the site, the background worker and the sweep."

    def add_arguments(self, parser: CommandParser) -> None:
        """What `make run` hands over."""
        parser.add_argument("--parent", type=int, metavar="PID", help="end with this process")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped; a second start says where the first one answers."""
        stop = stop_on_signals()
        end_with_parent(options["parent"])
        end_with_terminal()
        try:
            launch(stop)
        except AlreadyRunning as found:
            if not found.as_wanted:
                raise CommandError(str(found)) from found
            self.stdout.write(str(found))
        except (PortTaken, GaveUp) as error:
            raise CommandError(str(error)) from error
