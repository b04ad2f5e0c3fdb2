"""Erases what imports, exports and restores hold of a user's words.

Exports made before something was forgotten still contain it, so their files are deleted. Deletions
are counted rather than dated: one that commits while an export is being written counts as later, regardless
of clocks.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import ClassVar
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from memory.forgetting.erasure import ErasureTargets
from memory.forgetting.holders import Holder, Sources, WaitingUpload
from memory.forgetting.scopes import ForgetRequest, Scope
from memory.models import ActivityEvent, Drawer, Forgetting
from transfer.choosing import added_chats
from transfer.file_jobs import open_jobs
from transfer.imports import drop_uploads
from transfer.models import ImportedChat, ImportRun, RefusedEntry, Transfer

Kind, State = ActivityEvent.Kind, Transfer.State

SINCE = gettext_noop("Something was forgotten after this file was made, so the file was deleted.")
UNNAMED_ENTRY = "an entry"
BATCH_SIZE = 500

_ERASED = Q(kind__in=(Kind.PURGED, Kind.EXPIRED))
_FORGOTTEN = _ERASED | Q(kind=Kind.DELETED) | Q(kind=Kind.DECIDED, details__action="delete")
_OUTDATED_BY = {Transfer.Direction.EXPORT.value: _FORGOTTEN, Transfer.Direction.RESTORE.value: _ERASED}


class TransferHolder(Holder):
    """Uploads waiting to be imported, titles of their chats, unreadable entries, and export files."""

    labels: ClassVar = {
        "uploads": _("Uploaded files that were not imported yet"),
        "files": _("Export files that were not downloaded or restored yet"),
    }

    def sources(self, user_id: UUID, request: ForgetRequest, names: Collection[str]) -> Sources:
        """The chats that an import added and that are still kept."""
        if request.kind != "import" or request.object_id is None:
            return Sources()
        ids = tuple(added_chats(user_id, request.object_id).values_list("id", flat=True))
        return Sources(ids, request.object_id if ids else None)

    def holds(self, user_id: UUID, scope: Scope) -> bool:
        """Whether there are pending uploads that a request for everything includes."""
        return bool(_uploads(user_id, scope.kind).exists())

    def count(
        self, user_id: UUID, request: ForgetRequest, scope: Scope, drawers: QuerySet[Drawer]
    ) -> Mapping[str, int]:
        """The number of uploads that a request for everything drops."""
        uploads = _uploads(user_id, scope.kind).count()
        return {"uploads": uploads} if uploads else {}

    def drop_incoming(self, user_id: UUID, kind: str, before: datetime) -> Mapping[str, int]:
        """Stop and drop uploads, so that nothing more of them arrives."""
        if kind != "everything":
            return {}
        dropped = drop_uploads(user_id, before)
        for run in dropped:
            transaction.on_commit(run.discard)
        return {"uploads": len(dropped)} if dropped else {}

    def redact(self, receipt: Forgetting, gone: ErasureTargets) -> Mapping[str, int]:
        """Remove the words from the titles of imported chats and the names of unreadable entries."""
        for chat in ImportedChat.objects.filter(user_id=gone.user_id).iterator(BATCH_SIZE):
            if gone.words.are_in(chat.title):
                ImportedChat.objects.filter(user_id=gone.user_id, id=chat.id).update(title="")
        for entry in RefusedEntry.objects.filter(user_id=gone.user_id).iterator(BATCH_SIZE):
            if gone.words.are_in(f"{entry.where} {entry.reason}"):
                place = entry.where.partition(" (")[0]
                entry.where = UNNAMED_ENTRY if gone.words.are_in(place) else place
                entry.reason = "" if gone.words.are_in(entry.reason) else entry.reason
                entry.save(update_fields=("where", "reason"))
        return {}

    def after_commit(self, user_id: UUID) -> Mapping[str, int]:
        """Delete outdated export files."""
        files = discard_outdated(user_id)
        return {"files": files} if files else {}

    def waiting_uploads(self, receipt: Forgetting) -> Sequence[WaitingUpload]:
        """Uploads that were waiting when the request was made and still are. Whole chats stay
        forgotten when they are imported."""
        if receipt.undone_at is not None:
            return ()
        runs = open_jobs(ImportRun, receipt.user_id).filter(requested_at__lte=receipt.final_at or receipt.at)
        return [WaitingUpload(run.id, run.requested_at) for run in runs]


def count_forgettings(user_id: UUID, direction: str) -> int:
    """How many deletions there have been that outdate a file of this direction. A file to restore came from
    its owner and waits for a day only, so moving to the trash does not outdate it."""
    return ActivityEvent.objects.filter(_OUTDATED_BY[direction], user_id=user_id).count()


def is_outdated(transfer: Transfer) -> bool:
    """Whether something was forgotten since the file was begun."""
    return count_forgettings(transfer.user_id, transfer.direction) > transfer.forgettings


def discard_outdated(user_id: UUID) -> int:
    """Delete the user's outdated files, and count them. Workers that use them stop."""
    waiting = State.WAITING, Transfer.Direction.EXPORT
    discarded = 0
    for transfer in Transfer.objects.filter(user_id=user_id).exclude(path=""):
        if (transfer.state, transfer.direction) != waiting and is_outdated(transfer):
            transfer.withdraw(SINCE)
            discarded += 1
    return discarded


def _uploads(user_id: UUID, kind: str) -> QuerySet[ImportRun]:
    uploads = open_jobs(ImportRun, user_id)
    return uploads if kind == "everything" else uploads.none()
