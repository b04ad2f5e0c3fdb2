"""`restore_memory`: read an export back into an account."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from accounts.tenancy import tenant
from memory.management.arguments import UserCommand, get_user
from memory.management.terminal import ProgressLine
from transfer.exporting.kinds import words_of
from transfer.importing.archives import FileRefused
from transfer.restoring.restoring import Restored, RestoreRequest, restore


class Command(UserCommand):
    """Restores a file in one transaction; after an error nothing of it is there."""

    help = (
        "Restore an export into an empty or a used account. What is already there is not duplicated, "
        "and what was forgotten there stays forgotten."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="the zip to read")
        super().add_arguments(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help="count what would be added and write nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user(options["user"])
        self.line = ProgressLine(self.stderr)
        dry_run: bool = options["dry_run"]
        request = RestoreRequest(user.id, timezone.now(), dry_run=dry_run, progress=self._show_progress)
        try:
            with tenant(user.id):
                restored = restore(request, options["file"])
        except FileRefused as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.") from error
        self.line.show("")
        if restored.added:
            self.stdout.write("This would be added:" if dry_run else "Added:")
        else:
            self.stdout.write("Everything is already here.")
        self._print_counts(restored)

    def _print_counts(self, restored: Restored) -> None:
        for name, count in restored.added.items():
            self.stdout.write(f"{words_of(name)}: {count:,}")
        for label, counts in (("left out", restored.left_out), ("waiting for review", restored.for_review)):
            parts = ", ".join(f"{count:,} {words_of(name)}" for name, count in counts.items())
            if parts:
                self.stdout.write(f"{label}: {parts}")
        if restored.renewed:
            self.stdout.write(f"drawers with a new pointer: {restored.renewed:,}")
        if restored.diverged:
            self.stdout.write(f"chats that went on in both places: {restored.diverged:,}")

    def _show_progress(self, done: int, total: int) -> None:
        self.line.show(f"{done:,} of {total:,} rows read …")
