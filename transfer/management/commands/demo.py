"""`demo`: create or remove a user's demo account."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from accounts.tenancy import tenant
from chat.mining.drain import drain
from memory.management.arguments import UserCommand, get_user
from memory.management.terminal import ProgressLine
from transfer.demo import close_demo, open_demo


class Command(UserCommand):
    """Creates or removes the account of a fictional person, which only its owner's browser can open."""

    help = "Make a person's demo palace, an account of its own, or remove it without a trace."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=("load", "remove"))
        super().add_arguments(parser)
        parser.add_argument("--wait", action="store_true", help="mine here until it is done")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = get_user(options["user"])
        if options["action"] == "remove":
            with tenant(owner.id), ProgressLine(self.stderr).during("Removing the demo palace …"):
                removed = close_demo(owner)
            self.stdout.write("The demo palace was removed." if removed else "There is no demo palace.")
            return
        demo = open_demo(owner, timezone.now())
        if options["wait"]:
            with tenant(demo.id):
                drain(demo.id, timezone.now, ProgressLine(self.stderr).messages_left)
        self.stdout.write("The demo palace is ready.")
