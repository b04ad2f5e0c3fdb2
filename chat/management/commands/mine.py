"""`mine`: mines chats."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone

from accounts.hooks import enqueue
from accounts.models import User
from accounts.tenancy import tenant
from chat.mining.drain import PalaceFull, drain, drain_reextraction, retry_dead_jobs
from chat.mining.run import request_mining
from llm import current
from memory.management.arguments import UserCommand, get_user
from memory.management.terminal import ProgressLine
from memory.mining.reextraction import request_all


class Command(UserCommand):
    """Asks the worker to mine, or mines here and waits."""

    user_required = False
    help = (
        "Mine everything that is not in memory yet, including failed chats. With --wait, this process does "
        "it, alone or alongside a worker, and returns when it is done. With --again, a model also reads "
        "what the built-in reader has read; drawers do not change."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--wait", action="store_true", help="mine here and wait until everything is done")
        parser.add_argument(
            "--again", action="store_true", help="have a model read again what the built-in reader has read"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["again"] and not current.has_chat():
            raise CommandError("No model is configured: set OPENAI_BASE_URL or OPENAI_API_KEY.")
        given = options["user"]
        users = [get_user(given)] if given else list(User.objects.filter(is_active=True))
        failed = sum(self._mine(user, wait=options["wait"]) for user in users)
        if failed:
            raise CommandError(f"{failed:,} chat{pluralize(failed)} could not be mined.")
        if options["again"]:
            self._reextract(users, wait=options["wait"])
        done = "Everything is mined." if options["wait"] else "The worker was asked to mine."
        self.stdout.write(done)

    def _mine(self, user: User, *, wait: bool) -> int:
        """Mine, and return how many chats failed."""
        with tenant(user.id):
            now = timezone.now()
            retry_dead_jobs(user.id, now)
            request_mining(user.id, now)
            if not wait:
                enqueue("mine", user.id)
                return 0
            try:
                return drain(user.id, timezone.now, ProgressLine(self.stderr).messages_left)
            except PalaceFull as full:
                raise CommandError(str(full)) from full

    def _reextract(self, users: list[User], *, wait: bool) -> None:
        left = 0
        for user in users:
            with tenant(user.id):
                request_all(user.id, timezone.now())
                if wait:
                    line = ProgressLine(self.stderr)
                    left += drain_reextraction(user.id, timezone.now, line.windows_left)
                else:
                    enqueue("reextract", user.id)
        if left:
            raise CommandError(
                f"The model is unavailable and has yet to read {left:,} part{pluralize(left)} of chats. "
                "The worker will try again automatically."
            )
