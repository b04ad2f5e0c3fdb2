"""Imports, exports and restores in progress: their state and counts, without user text."""

import errno
import os
import re
import shutil
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime, timedelta
from io import BufferedRandom, FileIO
from pathlib import Path
from tempfile import gettempdir
from typing import Any, BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.owned import Operational, Owned, owned_reference

FILE_LIFETIME = timedelta(days=1)
UNDO_PERIOD = timedelta(hours=1)
STRAY_AGE = timedelta(hours=1)
WRITE_BUFFER_BYTES = 1024**2

_IS_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def folder_of(user_id: UUID) -> Path:
    """The folder of a user's exports and files to restore, which no URL leads to."""
    return Path(settings.MEDIA_ROOT) / str(user_id) / "transfers"


def has_disk_space(size: int, spooled: int = 0) -> bool:
    """Whether the disk of these files keeps PALACE_MIN_FREE_MB free after `size` more bytes, and the disk of
    temporary files has room for `spooled` bytes."""
    home = Path(settings.MEDIA_ROOT)
    folder = next(each for each in (home, *home.parents) if each.is_dir())
    if spooled and shutil.disk_usage(gettempdir()).free < spooled:
        return False
    return shutil.disk_usage(folder).free - size >= settings.MIN_FREE_MB * 1024**2


class _LimitedFile(FileIO):
    """A file that checks for free disk space before each write."""

    def write(self, data: Any, /) -> int:
        _check_disk_space(len(data))
        return super().write(data)


def create_file(path: Path, user_id: UUID) -> BinaryIO:
    """A new, empty file in the user's folder that only this server's account can read.

    Raises OSError, also if the disk is nearly full; so does writing to it.
    """
    home = Path(settings.MEDIA_ROOT) / str(user_id)
    for folder in (home, path.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    _check_disk_space(0)
    path.unlink(missing_ok=True)
    file = _LimitedFile(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+")
    return BufferedRandom(file, WRITE_BUFFER_BYTES)


def _check_disk_space(size: int) -> None:
    if not has_disk_space(size):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def owners_of_files() -> set[UUID]:
    """The users who have uploaded or exported files."""
    home = Path(settings.MEDIA_ROOT)
    found = (path for pattern in ("*/*", "*/transfers/*") for path in home.glob(pattern) if path.is_file())
    names = {path.relative_to(home).parts[0] for path in found}
    return {UUID(name) for name in names if _IS_ID.fullmatch(name)}


def delete_strays(folder: Path, needed: Collection[str], now: datetime) -> None:
    """Delete files that nothing needs, once they are an hour old."""
    for path in folder.iterdir() if folder.is_dir() else ():
        old = path.is_file() and path.stat().st_mtime < (now - STRAY_AGE).timestamp()
        if old and path.name not in needed:
            path.unlink(missing_ok=True)


class ImportRun(Operational):
    """One import of an export file: its progress and counts.

    It holds no words. `path` is where an upload is kept until it is done, relative to the uploads;
    empty for files from the command line. `position` counts the entries dealt with; it moves in the
    transaction of each entry, so an interrupted run continues after the last one. `digest` is the SHA-256
    of the file. `conversations` are new, `grown` are those that have gained messages.
    """

    class State(models.TextChoices):
        CHECKING = "checking", _("Checking")
        READY = "ready", _("Ready to import")
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Stopped")

    format = models.CharField(max_length=20, blank=True)
    path = models.CharField(max_length=300, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    preview = models.JSONField(default=dict, blank=True)
    position = models.PositiveIntegerField(default=0)
    conversations = models.PositiveIntegerField(default=0)
    grown = models.PositiveIntegerField(default=0)
    messages = models.PositiveIntegerField(default=0)
    duplicates = models.PositiveIntegerField(default=0)
    empty = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(default=timezone.now)
    active_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        db_table = "chat_importrun"
        indexes = (
            models.Index(fields=("user", "-started_at"), name="import_by_time"),
            models.Index(
                fields=("user",),
                name="import_open",
                condition=models.Q(state__in=("checking", "waiting", "running", "ready")),
            ),
        )

    def __str__(self) -> str:
        return f"import {self.id}"

    @property
    def upload(self) -> Path:
        """Where the uploaded file is kept, or the first of several."""
        return Path(settings.MEDIA_ROOT) / self.path

    def uploads(self) -> list[Path]:
        """Where all uploaded files are kept, in the order in which they arrived."""
        if not self.path:
            return []
        others = self.upload.parent.glob(f"{self.upload.name}.*")
        return [self.upload, *sorted(others, key=lambda path: int(path.suffix[1:]))]

    def in_state(self, *states: str) -> "models.QuerySet[ImportRun]":
        """The row of this run, if it is in one of these states."""
        return ImportRun.objects.filter(user_id=self.user_id, id=self.id, state__in=states)

    def discard_upload(self) -> None:
        """Delete the uploaded files; what cannot be deleted now is tidied up later."""
        for path in self.uploads():
            with suppress(OSError):
                path.unlink()


class RefusedEntry(Owned):
    """An entry of an import that could not be read, named for its owner."""

    run_id = models.UUIDField()
    run = owned_reference("transfer.ImportRun", "run_id", related_name="refused_entries")
    where = models.CharField(max_length=300)
    reason = models.CharField(max_length=300)

    class Meta:
        db_table = "chat_refusedentry"
        verbose_name_plural = "refused entries"
        indexes = (models.Index(fields=("user", "run_id"), name="refused_by_run"),)


class ImportedChat(Owned):
    """A chat in an import, for its owner to choose.

    Its title is kept until it is imported or the import ends. `tool_results` of its `messages` are tool
    output; `known` ones were in the ledger when the file was read; `is_deleted` says that its owner deleted
    it since. `outcome` is set once it was imported.
    """

    run_id = models.UUIDField()
    run = owned_reference("transfer.ImportRun", "run_id", related_name="chats")
    external_id = models.CharField(max_length=200)
    title = models.CharField(max_length=300, blank=True)
    last_said_at = models.DateTimeField(null=True)
    messages = models.PositiveIntegerField(default=0)
    tool_results = models.PositiveIntegerField(default=0)
    characters = models.PositiveBigIntegerField(default=0)
    known = models.PositiveIntegerField(default=0)
    is_deleted = models.BooleanField(default=False)
    chosen = models.BooleanField(default=True)
    outcome = models.CharField(max_length=20, blank=True)
    conversation_id = models.UUIDField(null=True)

    class Meta:
        db_table = "chat_importedchat"
        indexes = (
            models.Index(fields=("user", "run_id", "-last_said_at"), name="imported_chat_by_time"),
            models.Index(fields=("user", "conversation_id"), name="imported_chat_by_chat"),
        )
        constraints = (
            models.UniqueConstraint(fields=("user", "run_id", "external_id"), name="imported_chat_once"),
        )

    def __str__(self) -> str:
        return f"imported chat {self.id}"

    @property
    def fresh(self) -> int:
        """How many messages an import would add."""
        return 0 if self.is_deleted else max(0, self.messages - self.known)


class Transfer(Operational):
    """An export in progress or ready to download, or a file to restore.

    It holds counts only, no words. `done` of `total` rows were written or read; `counts` says what
    the file holds, or what a restore would add or did add. `name` is the file in its owner's folder,
    empty once deleted, at `expires_at` at the latest. `forgettings` counts the deletions when the
    file was begun. A transfer with `dropped_at` is hidden and soon deleted with its file. A file to
    restore is checked before its owner decides.
    """

    class Direction(models.TextChoices):
        EXPORT = "export", _("Export")
        RESTORE = "restore", _("Restore")

    class State(models.TextChoices):
        CHECKING = "checking", _("Checking")
        READY = "ready", _("Ready to restore")
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    direction = models.CharField(max_length=10, choices=Direction)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    name = models.CharField(max_length=60, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    forgettings = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    counts = models.JSONField(default=dict, blank=True)
    error = models.CharField(max_length=300, blank=True)
    requested_at = models.DateTimeField(default=timezone.now)
    active_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField()
    dropped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "chat_transfer"
        indexes = (
            models.Index(fields=("user", "-requested_at"), name="transfer_by_time"),
            models.Index(
                fields=("user",),
                name="transfer_with_file",
                condition=~models.Q(name="") | models.Q(dropped_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"transfer {self.id}"

    @property
    def file(self) -> Path:
        """Where its file is, if it has one."""
        return folder_of(self.user_id) / self.name

    def in_state(self, *states: str) -> "models.QuerySet[Transfer]":
        """The row of this transfer, if it is in one of these states."""
        return Transfer.objects.filter(user_id=self.user_id, id=self.id, state__in=states)

    def discard(self) -> None:
        """Delete its file; what cannot be deleted now is tidied up later."""
        if self.name:
            with suppress(OSError):
                self.file.unlink(missing_ok=True)


IN_PROGRESS = (Transfer.State.CHECKING, Transfer.State.WAITING, Transfer.State.RUNNING)
"""States in which a worker is on it, or will be."""

OPEN = (*IN_PROGRESS, Transfer.State.READY)
"""States in which it is not finished."""
