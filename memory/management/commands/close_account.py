"""`close_account`: erase an account with everything in it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.forgetting.account_deletion import LastOfStaff, close_account, rows_by_table, told_in_words
from memory.management.arguments import person


class Command(BaseCommand):
    """Shows how much there is of a person, and with `--yes` erases it."""

    help = (
        "Erase an account immediately and irrevocably: chats, memory, files, tokens, sessions. "
        "Without --yes it only counts what there is, without reading or showing any words."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose account, whether to do it, and where to write the receipt."""
        parser.add_argument("email", help="the address of the account")
        parser.add_argument("--yes", action="store_true", help="do it, and not only count")
        parser.add_argument("--receipt", metavar="FILE", type=Path, help="write the receipt there")

    def handle(self, *args: Any, **options: Any) -> None:
        """Count or erase."""
        user = person(options["email"])
        if not options["yes"]:
            rows = [f"  {count:>9,}  {name}" for name, count in rows_by_table(user.id).items()]
            self.stdout.write("\n".join(["This would erase:", *rows, "Add --yes to do it."]))
            return
        try:
            closed = close_account(user)
        except LastOfStaff as error:
            raise CommandError("Somebody else has to be staff before this is closed.") from error
        words = told_in_words(closed)
        if options["receipt"]:
            options["receipt"].write_text(f"{words}\n", encoding="utf-8")
        self.stdout.write(words)
        if closed.found:
            raise CommandError(f"Something is left in {', '.join(closed.found)}.")
