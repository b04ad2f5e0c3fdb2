"""Imports export files, one conversation per transaction, and stores uploads until then.

A run's position moves in the transaction of each entry. An interrupted run therefore continues with
the next entry, and an importer that lost its run to another one can no longer write.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from hashlib import file_digest, sha256
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from memory import locks
from memory.changes.activity import record
from memory.models import ActivityEvent
from transfer.choosing import ChatCollector, drop_unimported, excluded_ids, is_excluded, record_outcome
from transfer.filing import Outcome, file_conversation, fit_column
from transfer.importing.archives import ImportUnreadable, Source, files_in
from transfer.importing.reading import detect, product_of, read_entries, summarise
from transfer.importing.threads import BrokenEntry, Entry
from transfer.models import ImportedChat, ImportRun, RefusedEntry, create_file, delete_strays

Clock = Callable[[], datetime]
Progress = Callable[[ImportRun], None]
EntryFilter = Callable[[Iterator[Entry]], Iterator[Entry]]

State = ImportRun.State

KEEP_UNDECIDED_FOR = timedelta(days=7)
HEARTBEAT = timedelta(seconds=5)
STALLED_AFTER = timedelta(seconds=30)
NEEDS_WORKER = (State.CHECKING, State.WAITING, State.RUNNING)
OPEN = (*NEEDS_WORKER, State.READY)
MAX_WAITING = 5
MAX_REFUSED_STORED = 1000
UNFINISHED = (State.WAITING, State.RUNNING)

_COUNTS = (*Outcome, "messages", "refused")


class RunTakenOver(Exception):
    """The run has ended, or another importer continues it; this step was rolled back."""


class UploadRejected(Exception):
    """The server does not accept the file; the message is shown to the user."""


class StorageFailed(UploadRejected):
    """The file cannot be stored, for example because the disk is nearly full."""

    def __init__(self, error: OSError) -> None:
        super().__init__(_("This server cannot store the file: %(why)s.") % {"why": error.strerror})


def import_file(
    run: ImportRun,
    source: Source,
    clock: Clock,
    progress: Progress = lambda run: None,
    most: timedelta = timedelta.max,
) -> ImportRun:
    """Import the rest of a file; `progress` is called after each entry. After `most`, it is left running for
    the next time.

    Importing the same file again adds nothing. Raises RunTakenOver, and ImportUnreadable if nothing
    of the file can be imported, which the run records too.
    """
    try:
        _begin(run, run.format or product_of(source), clock())
        excluded, began = excluded_ids(run), None
        for entry in islice(read_entries(source), run.position, None):
            now = clock()
            began = began or now  # skipping to the position does not count
            _import_entry(run, entry, excluded, now)
            progress(run)
            if now - began >= most:
                return run
    except ImportUnreadable as error:
        fail(run, str(error), clock())
        raise
    _finish(run, clock())
    return run


@contextmanager
def local_run(
    user_id: UUID,
    source: Path | tuple[Path, ...],
    now: datetime,
    wrap_entries: EntryFilter = lambda entries: entries,
) -> Iterator[ImportRun]:
    """A run for local files or folders, locked by this process while the context lasts.

    Continues an interrupted run of the same files; otherwise checks the whole file first and starts a new
    run. Raises ImportUnreadable, without a run, if it is not a complete export.
    """
    detect(source)
    digest = _digest_of(source)
    known = ImportRun.objects.filter(user_id=user_id, path="", digest=digest, state__in=UNFINISHED)
    with ExitStack() as stack:
        for run in known.order_by("started_at"):
            if stack.enter_context(sole_importer(run.id)):
                yield run
                return
        run = ImportRun(user_id=user_id, digest=digest, started_at=now, active_at=now)
        run.preview = summarise(wrap_entries(read_entries(source))).plain()
        stack.enter_context(sole_importer(run.id))
        run.save(force_insert=True)
        yield run


def sole_importer(run_id: UUID) -> AbstractContextManager[bool]:
    """Whether this process now has the run to itself. A killed process releases it."""
    return locks.try_lock(run_id, locks.IMPORTING)


def fail(run: ImportRun, error: str, now: datetime) -> None:
    """Mark a run as failed, with a message for its owner."""
    drop_unimported(run)
    failed = {"state": State.FAILED, "error": error[:300], "finished_at": now, "active_at": now}
    ImportRun.objects.filter(user_id=run.user_id, id=run.id).exclude(state=State.DONE).update(**failed)


def stop(run: ImportRun, now: datetime) -> bool:
    """Cancel a run in progress and keep what it imported; its worker can no longer write. False if it was not
    in progress."""
    with transaction.atomic():
        ended = {"state": State.CANCELLED, "finished_at": now, "active_at": now}
        stopped = run.in_state(*UNFINISHED).update(**ended)
        if stopped:
            run.refresh_from_db()
            drop_unimported(run)
            record(run.user_id, ActivityEvent.Kind.IMPORTED, counts_of(run), now, subject_id=run.id)
    return bool(stopped)


def counts_of(run: ImportRun) -> dict[str, int]:
    """The counts of a run, by column."""
    return {str(name): getattr(run, name) for name in _COUNTS}


def _digest_of(path: Path | tuple[Path, ...]) -> str:
    """The SHA-256 of a file, of a folder's file names and digests, or of the digests of several."""
    if isinstance(path, tuple):
        return sha256(" ".join(map(_digest_of, path)).encode()).hexdigest()
    if not path.is_dir():
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    lines = (f"{file.relative_to(path)} {_digest_of(file)}" for file in files_in(path))
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _begin(run: ImportRun, format_: str, now: datetime) -> None:
    with transaction.atomic():
        begun = {"state": State.RUNNING, "format": format_, "active_at": now}
        if not run.in_state(*UNFINISHED).update(**begun):
            raise RunTakenOver
        run.refresh_from_db()
        if run.position == 0:  # found by the preview
            RefusedEntry.objects.filter(user_id=run.user_id, run_id=run.id).delete()


def _import_entry(run: ImportRun, entry: Entry, excluded: Collection[str], now: datetime) -> None:
    with transaction.atomic():
        counts = {} if is_excluded(entry, excluded) else _file_entry(run, entry, now)
        sums = {name: F(name) + count for name, count in counts.items()}
        if not _current_row(run).update(position=F("position") + 1, active_at=now, **sums):
            raise RunTakenOver
    run.position += 1
    run.active_at = now
    for name, count in counts.items():
        setattr(run, name, getattr(run, name) + count)


def _file_entry(run: ImportRun, entry: Entry, now: datetime) -> dict[str, int]:
    """File an entry, or record a broken one by name; beyond the first thousand those are only counted. A
    further part of a large conversation does not count as a conversation."""
    if isinstance(entry, BrokenEntry):
        if run.refused < MAX_REFUSED_STORED:
            _refused_entry(run, entry).save(force_insert=True)
        return {"refused": 1}
    filed = file_conversation(run.user_id, entry, now)
    record_outcome(run, entry, filed.outcome, filed.conversation_id)
    known = {} if entry.continues else {str(filed.outcome): 1}
    return {**known, "messages": filed.messages}


def _current_row(run: ImportRun) -> QuerySet[ImportRun]:
    """The run's row, unless another importer has moved it since."""
    return run.in_state(State.RUNNING).filter(position=run.position)


def _finish(run: ImportRun, now: datetime) -> None:
    done = {"state": State.DONE, "finished_at": now, "active_at": now}
    with transaction.atomic():
        if not _current_row(run).update(**done):
            raise RunTakenOver
        drop_unimported(run)
        record(run.user_id, ActivityEvent.Kind.IMPORTED, counts_of(run), now, subject_id=run.id)
    run.refresh_from_db()


def receive(
    user_id: UUID, chunks: Iterable[bytes], now: datetime, others: Iterable[Iterable[bytes]] = ()
) -> ImportRun:
    """Store an upload where only this server's account can read it, to be previewed next. `others` are
    further files of the same export.

    Raises UploadRejected and ImportUnreadable; then nothing of it is kept.
    """
    if waiting_uploads(user_id).count() >= MAX_WAITING:
        sentence = _("%(count)s files are already waiting. Import or cancel one of them first.")
        raise UploadRejected(sentence % {"count": MAX_WAITING})
    run = ImportRun(user_id=user_id, state=State.CHECKING, started_at=now, active_at=now)
    run.path = f"{user_id}/{run.id}"
    try:
        for number, data in enumerate((chunks, *others)):
            path = run.upload.with_name(f"{run.id}.{number}") if number else run.upload
            with create_file(path, user_id) as file:
                file.writelines(data)
        with _open_upload(run) as files:
            run.format = detect(files).name
    except OSError as error:
        run.discard_upload()
        raise StorageFailed(error) from error
    except ImportUnreadable:
        run.discard_upload()
        raise
    run.save(force_insert=True)
    return run


def process(user_id: UUID, run_id: UUID, clock: Clock, most: timedelta = timedelta.max) -> bool:
    """Do what an upload is waiting for: preview it, or import it for a while. True if more of it is left.

    Does nothing if it waits for its owner, is gone, or another process works on it.
    """
    with sole_importer(run_id) as locked, suppress(RunTakenOver):
        run = ImportRun.objects.filter(user_id=user_id, id=run_id).exclude(path="").first()
        if not locked or run is None:
            return False
        try:
            if run.state == State.CHECKING:
                preview_upload(run, clock)
            elif run.state in NEEDS_WORKER:
                with _open_upload(run) as files:
                    is_done = import_file(run, files, clock, most=most).state == State.DONE
                if is_done:
                    run.discard_upload()
                return not is_done
        except ImportUnreadable as error:
            fail(run, str(error), clock())
            run.discard_upload()
    return False


def preview_upload(run: ImportRun, clock: Clock) -> None:
    """Count what an upload holds, list its chats and name broken entries, for its owner to decide.

    Nothing reaches the ledger. Raises ImportUnreadable.
    """
    collector = ChatCollector(run)
    with _open_upload(run) as files:
        preview = summarise(collector.collect(_with_heartbeat(run, read_entries(files), clock)))
        product = product_of(files)
    with transaction.atomic():
        ready = {"state": State.READY, "preview": preview.plain(), "format": product}
        if run.in_state(State.CHECKING).update(active_at=clock(), **ready):
            RefusedEntry.objects.filter(user_id=run.user_id, run_id=run.id).delete()
            RefusedEntry.objects.bulk_create(_refused_entry(run, entry) for entry in preview.broken)
            collector.save()


def begin(run: ImportRun, now: datetime) -> bool:
    """Start importing the chosen chats of a previewed upload; False if it was not waiting for that."""
    return bool(run.in_state(State.READY).update(state=State.WAITING, active_at=now))


def cancel(run: ImportRun, now: datetime) -> bool:
    """Drop an upload, with its run if nothing was imported yet; what was imported stays.

    False if the run has ended.
    """
    dropped, _ = run.in_state(State.CHECKING, State.READY).delete()
    if not dropped and not stop(run, now):
        return False
    run.discard_upload()
    return True


def waiting_uploads(user_id: UUID) -> QuerySet[ImportRun]:
    """Uploads whose files are still kept, oldest first. Forgetting does not reach into them."""
    runs = ImportRun.objects.filter(user_id=user_id, state__in=OPEN).exclude(path="")
    return runs.order_by("started_at", "id")


def drop_uploads(user_id: UUID, before: datetime) -> list[ImportRun]:
    """Drop every upload received before a moment, even those being imported, with the titles of chats
    and the names of broken entries. Runs in a transaction; discard the uploads returned once it is
    committed."""
    runs = list(waiting_uploads(user_id).filter(started_at__lte=before))
    for run in runs:
        if not run.in_state(State.CHECKING, State.READY).delete()[0]:
            stop(run, before)
    for words in (RefusedEntry, ImportedChat):
        words.objects.filter(user_id=user_id, run__started_at__lte=before).delete()
    return runs


def stalled(user_id: UUID, now: datetime) -> list[UUID]:
    """Uploads waiting for a worker, or whose worker has stalled."""
    runs = ImportRun.objects.filter(
        user_id=user_id, state__in=NEEDS_WORKER, active_at__lte=now - STALLED_AFTER
    )
    return list(runs.exclude(path="").order_by("started_at").values_list("id", flat=True))


def clean_up(user_id: UUID, now: datetime) -> None:
    """Drop uploads left undecided for a week, and files that belong to no run."""
    undecided = ImportRun.objects.filter(
        user_id=user_id, state=State.READY, active_at__lt=now - KEEP_UNDECIDED_FOR
    )
    for run in undecided:
        cancel(run, now)
    needed = {path.name for run in waiting_uploads(user_id) for path in run.uploads()}
    delete_strays(Path(settings.MEDIA_ROOT) / str(user_id), needed, now)


@contextmanager
def _open_upload(run: ImportRun) -> Iterator[tuple[BinaryIO, ...]]:
    """The upload as files without names, since their names here mean nothing to its owner."""
    with ExitStack() as stack:
        try:
            opened = (os.fdopen(os.open(path, os.O_RDONLY), "rb") for path in run.uploads())
            files = tuple(stack.enter_context(file) for file in opened)
        except OSError as error:
            sentence = _("This file cannot be read: %(why)s.") % {"why": error.strerror}
            raise ImportUnreadable(sentence) from error
        yield files


def _with_heartbeat(run: ImportRun, entries: Iterable[Entry], clock: Clock) -> Iterator[Entry]:
    """Pass the entries through, with a heartbeat every few seconds."""
    last = clock()
    for entry in entries:
        yield entry
        if clock() - last > HEARTBEAT:
            last = clock()
            run.in_state(State.CHECKING).update(active_at=last)


def _refused_entry(run: ImportRun, entry: BrokenEntry) -> RefusedEntry:
    return RefusedEntry(
        user_id=run.user_id,
        run_id=run.id,
        where=fit_column(RefusedEntry, "where", entry.where),
        reason=fit_column(RefusedEntry, "reason", entry.reason),
    )
