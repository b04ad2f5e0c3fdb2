"""`run`: starts all of Palace on this machine."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from llm.errors import EmbedderUnavailable
from palace.processes.instance_lock import AlreadyRunning, PortTaken
from palace.processes.launch import launch
from palace.processes.lifetime import end_with_parent, end_with_terminal, stop_on_signals
from palace.processes.supervisor import ProgramKeepsFailing


class Command(BaseCommand):
    """Runs the web server, the worker and the scheduler until stopped."""

    help = "Run Palace on this machine: web server, background worker and scheduler."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--parent", type=int, metavar="PID", help="exit when this process ends")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until stopped; if Palace is already running, say where."""
        stop = stop_on_signals()
        end_with_parent(options["parent"])
        end_with_terminal()
        try:
            launch(stop)
        except AlreadyRunning as found:
            if not found.same_address:
                raise CommandError(str(found)) from found
            self.stdout.write(f"{found}.")
        except (PortTaken, ProgramKeepsFailing, EmbedderUnavailable) as error:
            raise CommandError(str(error)) from error
