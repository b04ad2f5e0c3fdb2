"""`demo`: load the demo palace, or remove it."""

import time
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.jobs import enqueue
from accounts.tenancy import tenant
from chat.mining.drain import PalaceFull, catch_up
from memory.management.arguments import add_user, person
from memory.management.terminal import ProgressLine
from transfer.demo import DemoBeingRemoved, ask_to_remove, load_demo, remove_demo

PAUSE_S = 0.5


class Command(BaseCommand):
    """Loads or removes the chats of a fictional person."""

    help = "Load the demo palace into a person's own, or remove it without a trace."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to do, and in whose palace."""
        parser.add_argument("action", choices=("load", "remove"))
        add_user(parser)
        parser.add_argument("--wait", action="store_true", help="mine here until it is done")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load or remove."""
        user = person(options["user"])
        with tenant(user.id):
            if options["action"] == "remove":
                self._remove(user.id)
            else:
                self._load(user.id, wait=options["wait"])

    def _load(self, user_id: UUID, *, wait: bool) -> None:
        try:
            added = load_demo(user_id, timezone.now())
        except DemoBeingRemoved as error:
            raise CommandError("The demo palace is still being removed.") from error
        if wait:
            line = ProgressLine(self.stderr)
            try:
                catch_up(user_id, timezone.now, line.messages_left, imported_only=True)
            except PalaceFull as full:
                raise CommandError(str(full)) from full
        else:
            enqueue("mine", user_id)
        self.stdout.write(f"{added:,} demo chats were added.")

    def _remove(self, user_id: UUID) -> None:
        if not ask_to_remove(user_id, timezone.now()):
            self.stdout.write("The demo palace is not loaded.")
            return
        while not remove_demo(user_id):
            time.sleep(PAUSE_S)
        self.stdout.write("The demo palace is removed.")
