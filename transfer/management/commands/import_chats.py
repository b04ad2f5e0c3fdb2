"""`import_chats`: import an export of another assistant."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.utils.text import get_text_list

from accounts.hooks import enqueue
from accounts.tenancy import tenant
from chat.mining.drain import PalaceFull, drain
from memory.management.arguments import UserCommand, get_user
from memory.management.terminal import ProgressLine
from transfer.choosing import ChatCollector, imported_chats
from transfer.file_jobs import JobTakenOver
from transfer.importing.archives import FileRefused, Source
from transfer.importing.entries import printable
from transfer.importing.reading import FORMATS, Preview, read_entries, summarise
from transfer.importing.threads import Entry
from transfer.imports import counts_of, import_file, local_run
from transfer.models import ImportedChat, ImportRun

MAX_LISTED = 20
MAX_TITLE_LENGTH = 60
EXIT_INTERRUPTED = 130


def _format_chat(chat: ImportedChat) -> str:
    """A chat in the list, in columns."""
    day = f"{chat.last_said_at:%Y-%m-%d}" if chat.last_said_at else ""
    title = printable(chat.title, MAX_TITLE_LENGTH)
    return f"{day:10}  {chat.messages:>6,} messages  {_state(chat):14}  {title}".rstrip()


def _state(chat: ImportedChat) -> str:
    if chat.is_deleted:
        return "you deleted it"
    if not chat.fresh:
        return "already here"
    return f"{chat.fresh:,} new" if chat.known else "new"


class Command(UserCommand):
    """Imports a file in this process; an interrupted run continues where it stopped."""

    help = (
        f"Import an export of {get_text_list([each.name for each in FORMATS], 'or')}: a zip, a file, "
        "a folder, or all parts of one export. It is checked before anything is saved. Chats that are "
        "already here are skipped; entries that cannot be read are listed and do not stop the import. If it "
        "is interrupted, run the same command again to continue where it stopped."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files",
            metavar="FILE",
            type=Path,
            nargs="+",
            help="the export: a file, a folder, or all its parts",
        )
        super().add_arguments(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help="import nothing; count and list what is in the file"
        )
        parser.add_argument("--wait", action="store_true", help="wait until everything imported is mined")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user(options["user"])
        source = options["files"][0] if len(options["files"]) == 1 else tuple(options["files"])
        self.line = ProgressLine(self.stderr)
        try:
            with tenant(user.id):
                if options["dry_run"]:
                    self._preview(user.id, source)
                    return
                self._import(user.id, source)
                self._mine(user.id, wait=options["wait"])
        except FileRefused as error:
            raise CommandError(str(error)) from error
        except JobTakenOver as error:
            raise CommandError(
                "This import was stopped on its page, or another process continues it."
            ) from error
        except KeyboardInterrupt as error:
            raise CommandError(
                "Stopped. The same command continues where it stopped.", returncode=EXIT_INTERRUPTED
            ) from error

    def _preview(self, user_id: UUID, source: Source) -> None:
        collector = ChatCollector(ImportRun(user_id=user_id))
        self._print_preview(summarise(collector.collect(self._with_progress(read_entries(source)))))
        for chat in collector.chats():
            self.stdout.write(_format_chat(chat))

    def _import(self, user_id: UUID, source: Path | tuple[Path, ...]) -> None:
        with local_run(user_id, source, timezone.now(), self._with_progress) as run:
            import_file(run, source, timezone.now, self._show_progress)
        self.line.show("")
        for name, count in counts_of(run).items():
            self.stdout.write(f"{name}: {count:,}")
        refused = run.refused_entries.order_by("id")
        self._print_refused([(entry.where, entry.reason) for entry in refused[:MAX_LISTED]], run.refused)

    def _mine(self, user_id: UUID, *, wait: bool) -> None:
        if not wait:
            enqueue("mine", user_id)
            return
        try:
            failed = drain(user_id, timezone.now, self.line.messages_left, imported_chats(user_id))
        except PalaceFull as full:
            raise CommandError(str(full)) from full
        if failed:
            raise CommandError(
                f"Everything was imported, but {failed:,} chat{pluralize(failed)} could not be mined."
            )
        self.stdout.write("Everything imported is mined.")

    def _with_progress(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        for count, entry in enumerate(entries, start=1):
            self.line.show(f"Looking through the file, {count:,} entries so far …")
            yield entry
        self.line.show("")

    def _show_progress(self, run: ImportRun) -> None:
        self.line.show(
            f"{run.position:,} of {run.preview['entries']:,} entries, {run.messages:,} messages "
            f"imported, {run.refused:,} entries refused …"
        )

    def _print_preview(self, preview: Preview) -> None:
        counts = preview.plain()
        for name in ("conversations", "messages", "duplicates", "empty", "branches", "tool_calls", "broken"):
            self.stdout.write(f"{name.replace('_', ' ')}: {counts[name]:,}")
        if preview.first_said_at and preview.last_said_at:
            span = f"{preview.first_said_at:%Y-%m-%d} to {preview.last_said_at:%Y-%m-%d}"
            self.stdout.write(f"said: {span}")
        broken = [(entry.where, entry.reason) for entry in preview.broken[:MAX_LISTED]]
        self._print_refused(broken, preview.broken_entries)

    def _print_refused(self, entries: list[tuple[str, str]], count: int) -> None:
        for where, reason in entries:
            self.stderr.write(f"Not imported: {where}: {reason}")
        if count > len(entries):
            self.stderr.write(f"… and {count - len(entries):,} more.")
