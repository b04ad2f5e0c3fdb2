"""Imports export files, one conversation per transaction, and stores uploads until then.

A run's position moves in the transaction of each entry. An interrupted run therefore continues with
the next entry, and an importer that lost its run to another one can no longer write.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from hashlib import file_digest, sha256
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from memory.changes.activity import record
from memory.models import ActivityEvent
from transfer.choosing import ChatCollector, excluded_ids, is_excluded, record_outcome
from transfer.file_jobs import (
    HEARTBEAT,
    Clock,
    JobTakenOver,
    StorageFailed,
    check_open,
    open_jobs,
    sole_worker,
    store,
    work_on,
)
from transfer.filing import Outcome, file_conversation, fit_column
from transfer.importing.archives import FileRefused, Source, files_in
from transfer.importing.reading import detect, product_of, read_entries, summarise
from transfer.importing.threads import BrokenEntry, Entry
from transfer.models import ImportedChat, ImportRun, RefusedEntry

Progress = Callable[[ImportRun], None]
EntryFilter = Callable[[Iterator[Entry]], Iterator[Entry]]

State = ImportRun.State

KEEP_UNDECIDED_FOR = timedelta(days=7)
MAX_REFUSED_STORED = 1000
UNFINISHED = (State.WAITING, State.RUNNING)

_COUNTS = (*Outcome, "messages", "refused")


def import_file(
    run: ImportRun,
    source: Source,
    clock: Clock,
    progress: Progress = lambda run: None,
    most: timedelta = timedelta.max,
) -> ImportRun:
    """Import the rest of a file; `progress` is called after each entry. After `most`, it is left running for
    the next time.

    Importing the same file again adds nothing. Raises JobTakenOver, and FileRefused if nothing
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
    except FileRefused as error:
        run.fail(str(error), clock())
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
    run. Raises FileRefused, without a run, if it is not a complete export.
    """
    detect(source)
    digest = _digest_of(source)
    known = ImportRun.objects.filter(user_id=user_id, path="", digest=digest, state__in=UNFINISHED)
    with ExitStack() as stack:
        for run in known.order_by("requested_at"):
            if stack.enter_context(sole_worker(run.id)):
                yield run
                return
        run = ImportRun(user_id=user_id, digest=digest, requested_at=now, active_at=now)
        run.preview = summarise(wrap_entries(read_entries(source))).plain()
        stack.enter_context(sole_worker(run.id))
        run.save(force_insert=True)
        yield run


def stop(run: ImportRun, now: datetime) -> bool:
    """Cancel a run in progress and keep what it imported; its worker can no longer write. False if it was not
    in progress."""
    return _end(run, run.in_state(*UNFINISHED), State.CANCELLED, now)


def _finish(run: ImportRun, now: datetime) -> None:
    if not _end(run, _current_row(run), State.DONE, now):
        raise JobTakenOver


def _end(run: ImportRun, rows: QuerySet[ImportRun], state: str, now: datetime) -> bool:
    """End a run, with an event for the activity; False if it is not one of these rows."""
    ended = {"state": state, "finished_at": now, "active_at": now, "path": ""}
    with transaction.atomic():
        if not rows.update(**ended):
            return False
        run.refresh_from_db(fields=("state", "finished_at", "active_at", *_COUNTS))
        run.drop_unimported()
        record(run.user_id, ActivityEvent.Kind.IMPORTED, counts_of(run), now, subject_id=run.id)
    return True


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
            raise JobTakenOver
        run.refresh_from_db()
        if run.position == 0:  # found by the preview
            run.refused_entries.all().delete()


def _import_entry(run: ImportRun, entry: Entry, excluded: Collection[str], now: datetime) -> None:
    with transaction.atomic():
        counts = {} if is_excluded(entry, excluded) else _file_entry(run, entry, now)
        sums = {name: F(name) + count for name, count in counts.items()}
        if not _current_row(run).update(position=F("position") + 1, active_at=now, **sums):
            raise JobTakenOver
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


def receive(
    user_id: UUID, chunks: Iterable[bytes], now: datetime, others: Iterable[Iterable[bytes]] = ()
) -> ImportRun:
    """Store an upload where only this server's account can read it, to be previewed next. `others` are
    further files of the same export.

    Raises JobRefused and FileRefused; then nothing of it is kept.
    """
    check_open(ImportRun, user_id)
    run = ImportRun.new(user_id, now, state=State.CHECKING)
    store(run, (chunks, *others))
    try:
        with _open_upload(run) as files:
            run.format = detect(files).name
    except FileRefused:
        run.discard()
        raise
    except OSError as error:
        run.discard()
        raise StorageFailed(error) from error
    run.save(force_insert=True)
    return run


def process(user_id: UUID, run_id: UUID, clock: Clock, most: timedelta = timedelta.max) -> bool:
    """Preview an upload, or import it for a while, whichever it waits for. True if more of it is left."""

    def work(run: ImportRun) -> bool:
        if run.state == State.CHECKING:
            preview_upload(run, clock)
            return False
        with _open_upload(run) as files:
            is_done = import_file(run, files, clock, most=most).state == State.DONE
        if is_done:
            run.discard()
        return not is_done

    return work_on(ImportRun, user_id, run_id, clock, work)


def preview_upload(run: ImportRun, clock: Clock) -> None:
    """Count what an upload holds, list its chats and name broken entries, for its owner to decide.

    Nothing reaches the ledger. Raises FileRefused.
    """
    collector = ChatCollector(run)
    with _open_upload(run) as files:
        preview = summarise(collector.collect(_with_heartbeat(run, read_entries(files), clock)))
        product = product_of(files)
    with transaction.atomic():
        ready = {"state": State.READY, "preview": preview.plain(), "format": product}
        if run.in_state(State.CHECKING).update(active_at=clock(), **ready):
            run.refused_entries.all().delete()
            RefusedEntry.objects.bulk_create(_refused_entry(run, entry) for entry in preview.broken)
            collector.save()


def cancel(run: ImportRun, now: datetime) -> bool:
    """Drop an upload, with its run if nothing was imported yet; what was imported stays.

    False if the run has ended.
    """
    if run.remove(State.CHECKING, State.READY):
        return True
    stopped = stop(run, now)
    if stopped:
        run.discard()
    return stopped


def drop_uploads(user_id: UUID, before: datetime) -> list[ImportRun]:
    """Drop every upload received before a moment, even those being imported, with the titles of chats
    and the names of broken entries. Runs in a transaction; discard the uploads returned once it is
    committed."""
    runs = list(open_jobs(ImportRun, user_id).filter(requested_at__lte=before))
    for run in runs:
        if not run.in_state(State.CHECKING, State.READY).delete()[0]:
            stop(run, before)
    for words in (RefusedEntry, ImportedChat):
        words.objects.filter(user_id=user_id, run__requested_at__lte=before).delete()
    return runs


def drop_undecided(user_id: UUID, now: datetime) -> None:
    """Drop uploads left undecided for a week."""
    ready = open_jobs(ImportRun, user_id).filter(state=State.READY)
    for run in ready.filter(active_at__lt=now - KEEP_UNDECIDED_FOR):
        run.remove(State.READY)


@contextmanager
def _open_upload(run: ImportRun) -> Iterator[tuple[BinaryIO, ...]]:
    """The upload as files without names, since their names here mean nothing to its owner."""
    with ExitStack() as stack:
        opened = (os.fdopen(os.open(path, os.O_RDONLY), "rb") for path in run.files())
        yield tuple(stack.enter_context(file) for file in opened)


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
