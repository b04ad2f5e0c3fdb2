"""The pointer of each conversation, and the record of attempts at its next window."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError, connection
from django.db.models import F, QuerySet

from llm.errors import ModelRateLimited, ModelTimeout, ModelUnavailable
from memory.locks import try_lock
from memory.mining.transcripts import Transcript
from memory.models import MiningProgress

RETRIES = 3
MAX_CLAIMS = 20
MAX_IMMEDIATE_CLAIMS = 16
CRASH_PAUSE = timedelta(minutes=1)
BACKOFF = (timedelta(seconds=4), timedelta(seconds=20), timedelta(seconds=60))
MAX_PAUSE = timedelta(hours=1)
MODEL_ERRORS = tuple(error.__qualname__ for error in (ModelUnavailable, ModelTimeout, ModelRateLimited))
LOST_DATABASE = (OperationalError, InterfaceError)
INSUFFICIENT_RESOURCES = "53"
"""The class of SQLSTATEs for a server that has no disk space, memory or connections left."""
DATABASE_UNAVAILABLE = ("08", INSUFFICIENT_RESOURCES, "57P01", "57P02", "57P03")
"""The beginnings of SQLSTATEs for these, a lost connection, and a server shutting down or starting up."""
MINING_LOCK = 7_261_001

_FRESH: dict[str, Any] = {
    "state": MiningProgress.State.READY,
    "attempts": 0,
    "claims": 0,
    "next_attempt_at": None,
    "error": "",
}

Clock = Callable[[], datetime]

log = structlog.get_logger(__name__)


def progress_of(user_id: UUID, source_kind: str, source_id: UUID) -> MiningProgress:
    """The mining progress of a conversation, created on first use."""
    return MiningProgress.objects.get_or_create(
        user_id=user_id, source_kind=source_kind, source_id=source_id
    )[0]


def move_pointer(source: Transcript, before: int, through: int, now: datetime) -> bool:
    """Move the pointer from `before` to `through` and clear earlier failures; False, without a change,
    if it is no longer at `before`. Runs in the transaction that files the window."""
    key = {"user_id": source.user_id, "source_kind": source.source_kind, "source_id": source.source_id}
    moved: dict[str, Any] = {**_FRESH, "mined_through": through, "updated_at": now}
    rows = MiningProgress.objects.filter(**key)
    if rows.filter(mined_through=before).update(**moved):
        return True
    return not before and MiningProgress.objects.get_or_create(**key, defaults=moved)[1]


def sole_miner(user_id: UUID) -> AbstractContextManager[bool]:
    """Whether this process is now the only one that mines this user's conversations.

    With one miner per user, the order of filing, and thus every pointer, is the same in every run. The
    lock belongs to the connection, so a killed worker releases it. It is not needed for consistency.
    """
    return try_lock(user_id, MINING_LOCK)


class Attempt:
    """One attempt at the next window of a conversation.

    Errors inside are recorded but not raised, so that a bad window never blocks the others. The window is
    retried after a pause, and given up after three retries. A worker that dies leaves only its claim, which
    counts towards a much higher limit; from the 16th claim on, the window waits a minute so that others are
    mined first. A lost database also leaves only the claim, and a full disk not even that. Both raise the
    error, because the window is not to blame and others must not overtake it. `failed` tells whether an
    error was recorded.
    """

    def __init__(self, progress: MiningProgress, clock: Clock) -> None:
        self.progress = progress
        self.failed = False
        self._clock = clock

    def __enter__(self) -> "Attempt":
        rows = self._rows()
        rows.update(claims=F("claims") + 1)
        if self.progress.claims + 1 >= MAX_IMMEDIATE_CLAIMS and not self.progress.attempts:
            rows.update(next_attempt_at=self._clock() + CRASH_PAUSE)
        return self

    def _rows(self) -> QuerySet[MiningProgress]:
        return MiningProgress.objects.filter(user_id=self.progress.user_id, id=self.progress.id)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if kind is None or error is None or not is_failure(error):
            if error and is_lost_database(error) and sqlstate(error).startswith(INSUFFICIENT_RESOURCES):
                self._rows().update(claims=F("claims") - 1)
            return False
        self.failed = True
        record_failure(self.progress, kind.__qualname__, self._clock(), requested_delay(error))
        log.warning("window failed", error=kind.__qualname__, at=_location(trace))
        return True


def is_failure(error: BaseException) -> bool:
    """Whether an error during an attempt at a window counts against the window. Closes a broken connection,
    so that it can be recorded."""
    if not isinstance(error, Exception):
        return False
    if not connection.in_atomic_block and not connection.is_usable():
        connection.close()
    return not is_lost_database(error)


def is_lost_database(error: BaseException) -> bool:
    """Whether the database is unavailable (a full disk or a lost connection, say), as opposed to a statement
    that failed or timed out. A new connection may already work."""
    if not isinstance(error, LOST_DATABASE):
        return False
    state = sqlstate(error)
    return not state or state.startswith(DATABASE_UNAVAILABLE)


def sqlstate(error: BaseException) -> str:
    """The SQLSTATE of a database error, or "" if the server sent none."""
    return getattr(error.__cause__, "sqlstate", None) or ""


def record_failure(
    progress: MiningProgress, error: str, now: datetime, pause: timedelta = timedelta(0)
) -> MiningProgress:
    """Count a failed attempt, and retry after a pause or give up. `error` is a class name; `pause` is the
    minimum wait."""
    progress.refresh_from_db()
    progress.attempts += 1
    progress.error = error[:200]
    progress.updated_at = now
    if progress.attempts > RETRIES or progress.claims >= MAX_CLAIMS:
        progress.state = MiningProgress.State.DEAD
    else:
        progress.state = MiningProgress.State.RETRYING
        progress.next_attempt_at = now + max(pause, BACKOFF[progress.attempts - 1])
    progress.save(update_fields=("attempts", "error", "updated_at", "state", "next_attempt_at"))
    return progress


def requested_delay(error: BaseException | None) -> timedelta:
    """How long the endpoint asked to wait, up to an hour."""
    seconds = error.retry_after if isinstance(error, ModelRateLimited) else None
    return min(timedelta(seconds=max(0.0, seconds or 0.0)), MAX_PAUSE)


def _location(trace: TracebackType | None) -> str:
    """File and line of an error: enough to locate it, with no user text."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""


def give_up_on_crashing_windows(user_id: UUID, now: datetime) -> int:
    """Give up on windows that were started repeatedly and never finished, because they kill their worker.
    Returns how many."""
    return MiningProgress.objects.filter(
        user_id=user_id, claims__gte=MAX_CLAIMS, state=MiningProgress.State.READY
    ).update(state=MiningProgress.State.DEAD, error="WorkerDied", updated_at=now)


def waiting_for_model(user_id: UUID) -> QuerySet[MiningProgress]:
    """A user's mining jobs whose last attempt failed because the model was unavailable."""
    return MiningProgress.objects.filter(
        user_id=user_id, state=MiningProgress.State.RETRYING, error__in=MODEL_ERRORS
    )


def dead_letters(user_id: UUID) -> QuerySet[MiningProgress]:
    """A user's mining jobs that were given up and wait for the user's decision."""
    return MiningProgress.objects.filter(user_id=user_id, state=MiningProgress.State.DEAD)


def retry_failed(progress: MiningProgress, now: datetime) -> None:
    """Reset a conversation that was given up, so that it is mined again."""
    rows = MiningProgress.objects.filter(user_id=progress.user_id, id=progress.id)
    rows.update(updated_at=now, **_FRESH)
    progress.refresh_from_db()


def discard(progress: MiningProgress, now: datetime) -> None:
    """Discard a conversation that was given up; it is never mined."""
    progress.state = MiningProgress.State.DISCARDED
    progress.updated_at = now
    progress.save(update_fields=("state", "updated_at"))


def discard_all(user_id: UUID, now: datetime) -> UUID | None:
    """Discard every chat whose mining failed. Returns the id for `undo_discard`, or None if there were no
    such chats."""
    rows = dead_letters(user_id)
    ids = list(rows.order_by("id").values_list("id", flat=True))
    rows.filter(id__in=ids).update(state=MiningProgress.State.DISCARDED, updated_at=now)
    return ids[0] if ids else None


def undo_discard(user_id: UUID, progress_id: UUID) -> bool:
    """Restore this job and those discarded with it. Idempotent. Returns False if there is no such job."""
    rows = MiningProgress.objects.filter(user_id=user_id)
    named = rows.filter(id=progress_id).first()
    if named is None:
        return False
    left = rows.filter(state=MiningProgress.State.DISCARDED)
    if left.filter(id=progress_id).exists():
        left.filter(updated_at=named.updated_at).update(state=MiningProgress.State.DEAD)
    return True


def mark_source_removed(user_id: UUID, source_kind: str, source_id: UUID, now: datetime) -> None:
    """Record that a source is no longer kept, so that pages show its date without a link."""
    progress = progress_of(user_id, source_kind, source_id)
    jobs = MiningProgress.objects.filter(user_id=user_id, id=progress.id, source_deleted_at=None)
    jobs.update(source_deleted_at=now)


def mark_source_kept(user_id: UUID, source_kind: str, source_ids: Iterable[UUID]) -> None:
    """Record that sources marked by `mark_source_removed` are kept after all."""
    jobs = MiningProgress.objects.filter(
        user_id=user_id, source_kind=source_kind, source_id__in=list(source_ids)
    )
    jobs.update(source_deleted_at=None)


def source_removed_at(user_id: UUID, source_kind: str, source_id: UUID) -> datetime | None:
    """When a source was removed; None while it is kept."""
    jobs = MiningProgress.objects.filter(user_id=user_id, source_kind=source_kind, source_id=source_id)
    return jobs.values_list("source_deleted_at", flat=True).first()
