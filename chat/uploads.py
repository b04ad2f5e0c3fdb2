"""Keeps uploaded exports until they are imported: look through, import, cancel, tidy up."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from chat.import_filing import storable_cut
from chat.importer import Clock, RunTakenOver, fail, import_file, sole_importer, stop
from chat.importing.parts import ImportUnreadable
from chat.importing.preview import Preview, summarise
from chat.importing.reading import detect, read_entries
from chat.importing.types import Entry
from chat.models import ImportRun, RefusedEntry

State = ImportRun.State

KEPT_UNDECIDED = timedelta(days=7)
LEFT_BEHIND = timedelta(hours=1)
SIGN_OF_LIFE = timedelta(seconds=5)
SILENT = timedelta(seconds=30)
FOR_A_WORKER = (State.CHECKING, State.WAITING, State.RUNNING)
OPEN = (*FOR_A_WORKER, State.READY)
MOST = 5


class UploadNotKept(Exception):
    """The server has no room for the file; the message is a sentence for the person."""


def receive(user_id: UUID, chunks: Iterable[bytes], now: datetime) -> ImportRun:
    """Keep an upload where only this server's account can read it, to be looked through next.

    Raises UploadNotKept and ImportUnreadable, with a sentence for the person; then nothing of it
    is kept.
    """
    if waiting_uploads(user_id).count() >= MOST:
        sentence = _("%(count)s files are waiting already. Import or cancel one of them first.")
        raise UploadNotKept(sentence % {"count": MOST})
    run = ImportRun(user_id=user_id, state=State.CHECKING, started_at=now, active_at=now)
    run.path = f"{user_id}/{run.id}"
    try:
        _write(path_of(run), chunks)
        with _opened(run) as file:
            run.format = str(detect(file))
    except OSError as error:
        _discard(run)
        sentence = _("This server cannot keep the file: %(why)s.") % {"why": error.strerror}
        raise UploadNotKept(sentence) from error
    except ImportUnreadable:
        _discard(run)
        raise
    run.save(force_insert=True)
    return run


def path_of(run: ImportRun) -> Path:
    """Where the upload of a run is kept."""
    return Path(settings.MEDIA_ROOT) / run.path


def attend(user_id: UUID, run_id: UUID, clock: Clock) -> None:
    """Do what an upload is waiting for: look it through, or import it.

    Does nothing when it waits for its owner, is gone, or another process is at work on it.
    """
    with sole_importer(run_id) as alone, suppress(ImportUnreadable, RunTakenOver):
        run = ImportRun.objects.filter(user_id=user_id, id=run_id).exclude(path="").first()
        if not alone or run is None:
            return
        if run.state == State.CHECKING:
            look_through(run, clock)
        elif run.state in FOR_A_WORKER:
            _import(run, clock)


def look_through(run: ImportRun, clock: Clock) -> None:
    """Count what an upload holds and name what is broken, for its owner to decide.

    Nothing reaches the ledger. Raises ImportUnreadable, which the run then says too.
    """
    try:
        with _opened(run) as file:
            preview = summarise(_alive(run, read_entries(file), clock))
    except ImportUnreadable as error:
        fail(run, str(error), clock())
        _discard(run)
        raise
    with transaction.atomic():
        ready = {"state": State.READY, "preview": preview.plain()}
        if _in_state(run, State.CHECKING).update(active_at=clock(), **ready):
            _name_broken(run, preview)


def begin(run: ImportRun, now: datetime) -> bool:
    """Let a run that was looked through be imported; False when it was not at that point."""
    return bool(_in_state(run, State.READY).update(state=State.WAITING, active_at=now))


def cancel(run: ImportRun, now: datetime) -> bool:
    """Drop an upload, and its run too when nothing was imported of it; what was imported stays.

    False when the run is over.
    """
    dropped, _ = _in_state(run, State.CHECKING, State.READY).delete()
    if not dropped and not stop(run, now):
        return False
    _discard(run)
    return True


def waiting_uploads(user_id: UUID) -> QuerySet[ImportRun]:
    """Uploads whose files are still here, the oldest first: nothing that is forgotten goes out of
    them, because what they hold was not imported yet."""
    runs = ImportRun.objects.filter(user_id=user_id, state__in=OPEN).exclude(path="")
    return runs.order_by("started_at", "id")


def drop_uploads(user_id: UUID, before: datetime) -> list[ImportRun]:
    """Drop every upload that was here at a moment, also those that are being imported, and what
    was said of broken entries. Runs in a transaction; `discard_uploads` deletes the files of those
    that are returned once it is committed."""
    runs = list(waiting_uploads(user_id).filter(started_at__lte=before))
    for run in runs:
        if not _in_state(run, State.CHECKING, State.READY).delete()[0]:
            stop(run, before)
    RefusedEntry.objects.filter(user_id=user_id, run__started_at__lte=before).delete()
    return runs


def discard_uploads(dropped: Iterable[ImportRun]) -> None:
    """Delete the files of uploads that were dropped."""
    for run in dropped:
        _discard(run)


def unattended(user_id: UUID, now: datetime) -> list[UUID]:
    """Uploads that wait for a worker, or whose worker gives no sign of life."""
    runs = ImportRun.objects.filter(
        user_id=user_id, state__in=FOR_A_WORKER, active_at__lte=now - SILENT
    )
    return list(runs.exclude(path="").order_by("started_at").values_list("id", flat=True))


def tidy(user_id: UUID, now: datetime) -> None:
    """Drop uploads nobody decided about for a week, and files that no run needs."""
    undecided = ImportRun.objects.filter(
        user_id=user_id, state=State.READY, active_at__lt=now - KEPT_UNDECIDED
    )
    for run in undecided:
        cancel(run, now)
    folder = Path(settings.MEDIA_ROOT) / str(user_id)
    if not folder.is_dir():
        return
    needed = {*_unfinished(user_id)}
    for path in folder.iterdir():
        old = path.is_file() and path.stat().st_mtime < (now - LEFT_BEHIND).timestamp()
        if old and path.name not in needed:
            path.unlink(missing_ok=True)


def _import(run: ImportRun, clock: Clock) -> None:
    try:
        with _opened(run) as file:
            import_file(run, file, clock)
    except ImportUnreadable as error:
        fail(run, str(error), clock())
        _discard(run)
        raise
    _discard(run)


def _unfinished(user_id: UUID) -> Iterator[str]:
    runs = ImportRun.objects.filter(user_id=user_id, state__in=OPEN)
    return (str(run_id) for run_id in runs.values_list("id", flat=True))


def _write(path: Path, chunks: Iterable[bytes]) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(chunks)


@contextmanager
def _opened(run: ImportRun) -> Iterator[BinaryIO]:
    """The upload, as a file without a name: the one it has here says nothing to its owner."""
    try:
        descriptor = os.open(path_of(run), os.O_RDONLY)
    except OSError as error:
        sentence = _("This file cannot be read: %(why)s.") % {"why": error.strerror}
        raise ImportUnreadable(sentence) from error
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _discard(run: ImportRun) -> None:
    """Delete the file; what cannot be deleted now is tidied away later."""
    with suppress(OSError):
        path_of(run).unlink()


def _in_state(run: ImportRun, *states: str) -> QuerySet[ImportRun]:
    return ImportRun.objects.filter(user_id=run.user_id, id=run.id, state__in=states)


def _alive(run: ImportRun, entries: Iterable[Entry], clock: Clock) -> Iterator[Entry]:
    """Pass the entries on, and say from time to time that somebody is at work on the run."""
    last = clock()
    for entry in entries:
        yield entry
        if clock() - last > SIGN_OF_LIFE:
            last = clock()
            _in_state(run, State.CHECKING).update(active_at=last)


def _name_broken(run: ImportRun, preview: Preview) -> None:
    RefusedEntry.objects.filter(user_id=run.user_id, run_id=run.id).delete()
    RefusedEntry.objects.bulk_create(
        RefusedEntry(
            user_id=run.user_id,
            run_id=run.id,
            where=storable_cut(RefusedEntry, "where", entry.where),
            reason=storable_cut(RefusedEntry, "reason", entry.reason),
        )
        for entry in preview.broken
    )
