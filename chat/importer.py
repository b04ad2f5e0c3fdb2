"""Brings an export into the ledger, one conversation in one transaction.

The run's position moves in the transaction of each entry. So a run that was cut off anywhere goes
on with the next entry, and an importer that lost its run to another one cannot write any more.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from hashlib import file_digest, sha256
from itertools import islice
from pathlib import Path
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, QuerySet

from chat.import_filing import Outcome, file_conversation, storable_cut
from chat.importing.archives import Source, files_in
from chat.importing.parts import ImportUnreadable
from chat.importing.preview import summarise
from chat.importing.reading import detect, read_entries
from chat.importing.types import BrokenEntry, Entry, ImportedConversation
from chat.models import ImportRun, RefusedEntry
from memory.activity import Happening, record
from memory.models import ActivityEvent

Clock = Callable[[], datetime]
Progress = Callable[[ImportRun], None]
LookedAt = Callable[[Iterator[Entry]], Iterator[Entry]]

MOST_NAMED = 1000
IMPORT_LOCK = 7_261_002
UNFINISHED = (ImportRun.State.WAITING, ImportRun.State.RUNNING)

_COUNTERS = {
    Outcome.NEW: "conversations",
    Outcome.GROWN: "grown",
    Outcome.DUPLICATE: "duplicates",
    Outcome.EMPTY: "empty",
}
_COUNTS = (*_COUNTERS.values(), "messages", "refused")


class RunTakenOver(Exception):
    """The run is over, or another importer carries on with it; nothing of this step was kept."""


def import_file(
    run: ImportRun, source: Source, clock: Clock, progress: Progress = lambda run: None
) -> ImportRun:
    """Import what the run has not come to yet; `progress` is called after each entry.

    Importing the same file again adds nothing. Raises ImportUnreadable when nothing of the file
    can be imported, which the run then says too, and RunTakenOver.
    """
    try:
        _begin(run, str(detect(source)), clock())
        for entry in islice(read_entries(source), run.position, None):
            _take(run, entry, clock())
            progress(run)
    except ImportUnreadable as error:
        fail(run, str(error), clock())
        raise
    _finish(run, clock())
    return run


@contextmanager
def run_of_file(
    user_id: UUID, path: Path, now: datetime, looked_at: LookedAt = lambda entries: entries
) -> Iterator[ImportRun]:
    """A run for a file or folder at hand, this process's own while the context lasts.

    A run of the same file that was cut off is taken up again; otherwise it is a new one, after the
    file was read through once. Raises ImportUnreadable when it is no whole export; then there is
    no run and nothing is kept.
    """
    detect(path)
    digest = _digest_of(path)
    known = ImportRun.objects.filter(user_id=user_id, path="", digest=digest, state__in=UNFINISHED)
    with ExitStack() as stack:
        for run in known.order_by("started_at"):
            if stack.enter_context(sole_importer(run.id)):
                yield run
                return
        preview = summarise(looked_at(read_entries(path))).plain()
        run = ImportRun(
            user_id=user_id, digest=digest, preview=preview, started_at=now, active_at=now
        )
        stack.enter_context(sole_importer(run.id))
        run.save(force_insert=True)
        yield run


@contextmanager
def sole_importer(run_id: UUID) -> Iterator[bool]:
    """Whether this process is now the only one that works on the run. A killed process frees it."""
    key = int.from_bytes(sha256(run_id.bytes).digest()[:4], "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [IMPORT_LOCK, key])
        (won,) = cursor.fetchone()
    try:
        yield bool(won)
    finally:
        if won:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [IMPORT_LOCK, key])


def fail(run: ImportRun, error: str, now: datetime) -> None:
    """End a run with a sentence for its owner."""
    runs = ImportRun.objects.filter(user_id=run.user_id, id=run.id)
    runs.exclude(state=ImportRun.State.DONE).update(
        state=ImportRun.State.FAILED, error=error[:300], finished_at=now, active_at=now
    )


def stop(run: ImportRun, now: datetime) -> bool:
    """End a run that is under way; what it brought stays. False when it was not under way.

    Whoever is at work on it cannot write any more.
    """
    with transaction.atomic():
        runs = ImportRun.objects.filter(user_id=run.user_id, id=run.id, state__in=UNFINISHED)
        stopped = runs.update(state=ImportRun.State.CANCELLED, finished_at=now, active_at=now)
        if stopped:
            run.refresh_from_db()
            record(run.user_id, Happening(ActivityEvent.Kind.IMPORTED, run.id, counts_of(run)), now)
    return bool(stopped)


def counts_of(run: ImportRun) -> dict[str, int]:
    """What came of a run, by the names of its columns."""
    return {name: getattr(run, name) for name in _COUNTS}


def _digest_of(path: Path) -> str:
    """The SHA-256 of a file, or of the names and digests of the files in a folder."""
    if not path.is_dir():
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    lines = (f"{file.relative_to(path)} {_digest_of(file)}" for file in files_in(path))
    return sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _begin(run: ImportRun, format_: str, now: datetime) -> None:
    with transaction.atomic():
        runs = ImportRun.objects.filter(user_id=run.user_id, id=run.id, state__in=UNFINISHED)
        if not runs.update(state=ImportRun.State.RUNNING, format=format_, active_at=now):
            raise RunTakenOver
        run.refresh_from_db()
        if run.position == 0:  # what a look through the file had found
            RefusedEntry.objects.filter(user_id=run.user_id, run_id=run.id).delete()


def _take(run: ImportRun, entry: Entry, now: datetime) -> None:
    with transaction.atomic():
        counts = _refuse(run, entry) if isinstance(entry, BrokenEntry) else _file(run, entry, now)
        _move_on(run, counts, now)
    run.position += 1
    run.active_at = now
    for name, count in counts.items():
        setattr(run, name, getattr(run, name) + count)


def _file(run: ImportRun, entry: ImportedConversation, now: datetime) -> dict[str, int]:
    """A further part of a large conversation is none of its own."""
    filed = file_conversation(run.user_id, entry, now)
    known = {} if entry.continues else {_COUNTERS[filed.outcome]: 1}
    return {**known, "messages": filed.messages}


def _refuse(run: ImportRun, entry: BrokenEntry) -> dict[str, int]:
    """Name the entry to the owner; beyond the first thousand they are only counted."""
    if run.refused < MOST_NAMED:
        RefusedEntry.objects.create(
            user_id=run.user_id,
            run_id=run.id,
            where=storable_cut(RefusedEntry, "where", entry.where),
            reason=storable_cut(RefusedEntry, "reason", entry.reason),
        )
    return {"refused": 1}


def _move_on(run: ImportRun, counts: dict[str, int], now: datetime) -> None:
    sums = {name: F(name) + count for name, count in counts.items()}
    if not _mine(run).update(position=F("position") + 1, active_at=now, **sums):
        raise RunTakenOver


def _mine(run: ImportRun) -> QuerySet[ImportRun]:
    """The run's row, as long as nobody else has moved it since."""
    return ImportRun.objects.filter(
        user_id=run.user_id, id=run.id, position=run.position, state=ImportRun.State.RUNNING
    )


def _finish(run: ImportRun, now: datetime) -> None:
    done = {"state": ImportRun.State.DONE, "finished_at": now, "active_at": now}
    with transaction.atomic():
        if not _mine(run).update(**done):
            raise RunTakenOver
        record(run.user_id, Happening(ActivityEvent.Kind.IMPORTED, run.id, counts_of(run)), now)
    run.refresh_from_db()
