"""`close_account`: erases an account with everything in it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from accounts.tenancy import visitor
from memory.forgetting.account_deletion import LastStaffUser, close_account, receipt_text, rows_by_table
from memory.management.arguments import get_user
from memory.management.terminal import ProgressLine

LAST_SUPERUSER = (
    "This is the site's only superuser: nobody could change rights afterwards, until you create another one "
    "with `add_user EMAIL --staff`."
)


def _warning(user: User) -> list[str]:
    others = User.objects.filter(is_active=True, is_superuser=True).exclude(id=user.id)
    with visitor():
        is_last = user.is_superuser and not others.exists()
    return [LAST_SUPERUSER] if is_last else []


class Command(BaseCommand):
    """Counts what an account holds and, with --yes, erases it."""

    help = (
        "Erase an account immediately and irrevocably: chats, memory, files, tokens, sessions. Without "
        "--yes, only count what it holds, without reading or printing any words."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="email address of the account")
        parser.add_argument("--yes", action="store_true", help="erase, instead of only counting")
        parser.add_argument("--receipt", metavar="FILE", type=Path, help="write the receipt to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        user, line = get_user(options["email"]), ProgressLine(self.stderr)
        if not options["yes"]:
            with line.during("Counting rows …"):
                rows = [f"  {count:>9,}  {name}" for name, count in rows_by_table(user.id).items()]
            self.stdout.write(
                "\n".join(["This would erase:", *rows, *_warning(user), "Add --yes to erase it."])
            )
            return
        try:
            with line.during("Erasing the account, then searching every table …"):
                closed = close_account(user)
        except LastStaffUser as error:
            raise CommandError("Make somebody else staff before you close this account.") from error
        words = receipt_text(closed)
        if options["receipt"]:
            options["receipt"].write_text(f"{words}\n", encoding="utf-8")
        self.stdout.write(words)
        if closed.found:
            raise CommandError(f"Something is left in {', '.join(closed.found)}.")
