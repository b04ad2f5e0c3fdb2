"""`export_memory`: write everything of a user into a file."""

import os
from argparse import ArgumentParser
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from django.utils import timezone

from accounts.tenancy import tenant
from memory.management.arguments import UserCommand, get_user
from memory.management.terminal import ProgressLine
from transfer.exporting.kinds import words_of
from transfer.exporting.writing import Manifest, record_export, write_export


class Command(UserCommand):
    """Writes the archive; the file is complete or not there at all."""

    help = (
        "Export everything Palace keeps for a user as a zip of JSON lines and Markdown. "
        "`restore_memory` reads it back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="the zip to write")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user(options["user"])
        self.line = ProgressLine(self.stderr)
        out: Path = options["out"]
        if out.exists():
            raise CommandError(f"{out} already exists: name a new file.")
        with tenant(user.id):
            try:
                manifest = self._write(user.id, out)
            except OSError as error:
                raise CommandError(f"{out} cannot be written: {error.strerror}.") from error
        self.line.show("")
        for kind, count in manifest.counts.items():
            self.stdout.write(f"{words_of(kind)}: {count:,}")

    def _write(self, user_id: UUID, out: Path) -> Manifest:
        with NamedTemporaryFile(dir=out.parent, prefix=f".{out.name}.", delete=False) as file:
            temporary = Path(file.name)
            try:
                manifest = write_export(user_id, file, timezone.now(), self._show_progress)
                file.flush()
                os.fsync(file.fileno())
                temporary.replace(out)
            finally:
                temporary.unlink(missing_ok=True)
        record_export(user_id, manifest, timezone.now())
        return manifest

    def _show_progress(self, done: int, total: int) -> None:
        self.line.show(f"{done:,} of {total:,} rows written …")
