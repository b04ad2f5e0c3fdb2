"""Imports, exports and restores in progress: their state and counts, without user text."""

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import ClassVar, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.hooks import enqueue
from accounts.owned import Operational, Owned, owned_reference

FILE_LIFETIME = timedelta(days=1)


class FileJob(Operational):
    """An import, export or restore in the background.

    It holds no words. A worker checks an upload; then it is ready, and its owner decides. `path` is where the
    file is kept, relative to the uploads: empty once it was deleted, and for files from the command line.
    `attempts` counts the workers in a row that did not come to an end.
    """

    class State(models.TextChoices):
        CHECKING = "checking", _("Checking")
        READY = "ready", _("Ready")
        WAITING = "waiting", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Stopped")

    ACTOR: ClassVar[str]
    MAX_OPEN: ClassVar[int]

    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    path = models.CharField(max_length=300, blank=True)
    error = models.CharField(max_length=300, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    requested_at = models.DateTimeField(default=timezone.now)
    active_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @classmethod
    def new(cls, user_id: UUID, now: datetime, **values: object) -> Self:
        """An unsaved job that has a place for its file."""
        job = cls(user_id=user_id, requested_at=now, active_at=now, **values)
        job.path = f"{user_id}/{job.id}"
        return job

    @property
    def file(self) -> Path:
        """Where its file is kept, or the first of several."""
        return Path(settings.MEDIA_ROOT) / self.path

    def files(self) -> list[Path]:
        """Where all its files are kept, in the order in which they arrived."""
        if not self.path:
            return []
        others = self.file.parent.glob(f"{self.file.name}.*")
        return [self.file, *sorted(others, key=lambda path: int(path.suffix[1:]))]

    def in_state(self, *states: str) -> "models.QuerySet[Self]":
        """The row of this job, if it is in one of these states."""
        return type(self)._default_manager.filter(user_id=self.user_id, id=self.id, state__in=states)

    def enqueue(self) -> None:
        """Queue the actor that works on it."""
        enqueue(self.ACTOR, self.user_id, self.id)

    def begin(self, now: datetime) -> bool:
        """Start it as its owner decided; False if it was not waiting for that."""
        begun = self.in_state(self.State.READY).update(state=self.State.WAITING, active_at=now)
        return bool(begun)

    def fail(self, error: str, now: datetime) -> None:
        """Delete its file, and mark it as failed with a message for its owner unless it has ended."""
        self.discard()
        ended = {"state": self.State.FAILED, "error": error[:300], "finished_at": now, "path": ""}
        self.in_state(*IN_PROGRESS).update(**ended, active_at=now)

    def remove(self, *states: str) -> bool:
        """Delete it with its file, if it is in one of these states; a worker leaves nothing behind."""
        removed, _ = self.in_state(*states).delete()
        if removed:
            self.discard()
        return bool(removed)

    def discard(self) -> None:
        """Delete its files; what cannot be deleted now is tidied up later."""
        for path in self.files():
            with suppress(OSError):
                path.unlink()


IN_PROGRESS = (FileJob.State.CHECKING, FileJob.State.WAITING, FileJob.State.RUNNING)
"""States in which a worker is on it, or will be."""

OPEN = (*IN_PROGRESS, FileJob.State.READY)
"""States in which it is not finished."""


class ImportRun(FileJob):
    """One import of an export file: its progress and counts.

    `position` counts the entries dealt with; it moves in the transaction of each entry, so an interrupted run
    continues after the last one. `digest` is the SHA-256 of a file from the command line. `conversations` are
    new, `grown` are those that have gained messages.
    """

    ACTOR = "run_import"
    MAX_OPEN = 5

    format = models.CharField(max_length=20, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    preview = models.JSONField(default=dict, blank=True)
    position = models.PositiveIntegerField(default=0)
    conversations = models.PositiveIntegerField(default=0)
    grown = models.PositiveIntegerField(default=0)
    messages = models.PositiveIntegerField(default=0)
    duplicates = models.PositiveIntegerField(default=0)
    empty = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)

    class Meta:
        db_table = "chat_importrun"
        indexes = (
            models.Index(fields=("user", "-requested_at"), name="import_by_time"),
            models.Index(
                fields=("user",),
                name="import_open",
                condition=models.Q(state__in=("checking", "waiting", "running", "ready")),
            ),
        )

    def __str__(self) -> str:
        return f"import {self.id}"

    def fail(self, error: str, now: datetime) -> None:
        """Also drop the titles of chats that were not imported."""
        super().fail(error, now)
        self.drop_unimported()

    def drop_unimported(self) -> None:
        """Delete the chats that were not imported, with their titles."""
        self.chats.filter(conversation_id=None).delete()


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

    @property
    def fresh(self) -> int:
        """How many messages an import would add."""
        return 0 if self.is_deleted else max(0, self.messages - self.known)


class Transfer(FileJob):
    """An export in progress or ready to download, or a file to restore.

    `done` of `total` rows were written or read; `counts` says what the file holds, or what a restore would
    add or did add. The file is deleted at `expires_at` at the latest. `forgettings` counts the deletions when
    the file was begun.
    """

    class Direction(models.TextChoices):
        EXPORT = "export", _("Export")
        RESTORE = "restore", _("Restore")

    ACTOR = "run_transfer"
    MAX_OPEN = 3

    direction = models.CharField(max_length=10, choices=Direction)
    size = models.PositiveBigIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    forgettings = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict, blank=True)
    expires_at = models.DateTimeField()

    class Meta:
        db_table = "chat_transfer"
        indexes = (
            models.Index(fields=("user", "-requested_at"), name="transfer_by_time"),
            models.Index(fields=("user",), name="transfer_with_file", condition=~models.Q(path="")),
        )

    def __str__(self) -> str:
        return f"transfer {self.id}"

    @property
    def is_expired(self) -> bool:
        """Whether it is an export that was done and whose file was deleted."""
        was_done = (self.direction, self.state) == (self.Direction.EXPORT, self.State.DONE)
        return was_done and (not self.path or timezone.now() >= self.expires_at)

    @property
    def has_file(self) -> bool:
        """False once the file was deleted; workers stop when they see it."""
        return bool(self.path) and self.file.is_file()

    def withdraw(self, reason: str) -> None:
        """Delete its file, with a reason for its owner; a worker on it stops."""
        self.discard()
        self.in_state(self.State.READY).update(state=self.State.FAILED)
        self.in_state(self.State.DONE, self.State.FAILED).update(path="", error=reason)
