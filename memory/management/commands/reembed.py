"""`reembed`: computes the vectors that are missing from each owner's embedding model."""

from typing import Any

from django.core.management.base import CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from llm.errors import ModelError
from memory.management.arguments import UserCommand, get_user
from memory.management.terminal import ProgressLine
from memory.search.embedding_backfill import backfill, has_work

AT_ONCE = 128


class Command(UserCommand):
    """Works in this process until nothing is left, for one user or all."""

    user_required = False
    help = (
        "Compute missing vectors of drawers and facts with each owner's embedding model. The worker does the "
        "same in the background; this command shows the progress and reports what stops it."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        given = options["user"]
        people = [get_user(given)] if given else list(User.objects.filter(is_active=True))
        failed = [user for user in people if not self._is_embedded(user)]
        if failed:
            raise CommandError(f"Not finished for {len(failed)} of {len(people)} users.")

    def _is_embedded(self, user: User) -> bool:
        done, line = 0, ProgressLine(self.stderr)
        with tenant(user.id):
            try:
                with line.during(f"{user.email}: embedding …"):
                    while some := backfill(user.id, AT_ONCE, timezone.now()):
                        done += some
                        line.show(f"{user.email}: {done:,} drawer{pluralize(done)} embedded …")
                left = has_work(user.id)
            except ModelError as error:
                self.stderr.write(f"{user.email}: stopped after {done:,} drawer{pluralize(done)}: {error}")
                return False
        words = " Another process is embedding the rest." if left else ""
        self.stdout.write(f"{user.email}: {done:,} drawer{pluralize(done)} embedded.{words}")
        return not left
