"""`mine`: have chats remembered now."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.actors import mine
from chat.catching_up import catch_up, try_dead_jobs_again
from chat.mining import request_mining
from memory.management.arguments import add_user, person
from memory.management.terminal import ProgressLine


class Command(BaseCommand):
    """Asks the worker to mine, or mines here and waits."""

    help = (
        "Have everything that is not remembered yet mined now, also what was given up. With "
        "--wait this process does it, beside a worker or without one, and returns when it is done."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose chats, and whether to wait."""
        add_user(parser, required=False)
        parser.add_argument("--wait", action="store_true", help="mine here until all is done")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask or mine, for one person or everybody."""
        given = options["user"]
        people = [person(given)] if given else list(User.objects.filter(is_active=True))
        given_up = sum(self._mine(user, wait=options["wait"]) for user in people)
        if given_up:
            raise CommandError(f"{given_up:,} chats could not be mined.")
        done = "Everything is mined." if options["wait"] else "The worker was asked to mine."
        self.stdout.write(done)

    def _mine(self, user: User, *, wait: bool) -> int:
        """Returns how many chats were given up."""
        with tenant(user.id):
            now = timezone.now()
            try_dead_jobs_again(user.id, now)
            request_mining(user.id, now)
            if not wait:
                mine.send(str(user.id))
                return 0
            return catch_up(user.id, timezone.now, ProgressLine(self.stderr).messages_left)
