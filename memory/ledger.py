"""The pointer of each conversation, and the record of attempts at its next window."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from hashlib import sha256
from types import TracebackType
from uuid import UUID

from django.db import connection
from django.db.models import F
from django.utils import timezone

from memory.models import MiningProgress, Tombstone

RETRIES = 3
MOST_CLAIMS = 20
BACKOFF = (timedelta(seconds=4), timedelta(seconds=20), timedelta(seconds=60))
MINING_LOCK = 7_261_001


def progress_of(user_id: UUID, source_kind: str, source_id: UUID) -> MiningProgress:
    """How far a conversation is mined; the row is made at its first use."""
    return MiningProgress.objects.get_or_create(
        user_id=user_id, source_kind=source_kind, source_id=source_id
    )[0]


@contextmanager
def sole_miner(user_id: UUID) -> Iterator[bool]:
    """Whether this process is now the only one that mines this person's conversations.

    One miner a person keeps the order of filing, and so every pointer, the same in every run.
    The lock belongs to the connection, so a killed worker frees it. Rows are safe without it.
    """
    key = int.from_bytes(sha256(user_id.bytes).digest()[:4], "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [MINING_LOCK, key])
        (won,) = cursor.fetchone()
    try:
        yield bool(won)
    finally:
        if won:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [MINING_LOCK, key])


class Attempt:
    """One try at the next window of a conversation.

    Leaving it by an exception records the failure and lets the exception go on; the window is
    then tried again after a pause, and given up after three retries. A worker that dies leaves
    only its claim behind, which counts against a much higher limit.
    """

    def __init__(self, progress: MiningProgress) -> None:
        self.progress = progress

    def __enter__(self) -> "Attempt":
        rows = MiningProgress.objects.filter(user_id=self.progress.user_id, id=self.progress.id)
        rows.update(claims=F("claims") + 1)
        self.progress.refresh_from_db()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and issubclass(kind, Exception):
            connection.close_if_unusable_or_obsolete()
            record_failure(self.progress, kind.__qualname__, timezone.now())


def record_failure(progress: MiningProgress, error: str, now: datetime) -> MiningProgress:
    """Count a failed attempt: try again after a pause, or give up. `error` is a class name."""
    progress.refresh_from_db()
    progress.attempts += 1
    progress.error = error[:200]
    progress.updated_at = now
    if progress.attempts > RETRIES or progress.claims >= MOST_CLAIMS:
        progress.state = MiningProgress.State.DEAD
    else:
        progress.state = MiningProgress.State.RETRYING
        progress.next_attempt_at = now + BACKOFF[progress.attempts - 1]
    progress.save()
    return progress


def give_up_on_killers(user_id: UUID, now: datetime) -> int:
    """Give up on windows that were begun over and over and never ended either way, because they
    kill their worker; returns how many."""
    return MiningProgress.objects.filter(
        user_id=user_id, claims__gte=MOST_CLAIMS, state=MiningProgress.State.READY
    ).update(state=MiningProgress.State.DEAD, error="WorkerDied", updated_at=now)


def try_again(progress: MiningProgress, now: datetime) -> None:
    """Give a conversation that was given up a fresh start."""
    progress.state = MiningProgress.State.READY
    progress.attempts = progress.claims = 0
    progress.next_attempt_at = None
    progress.error = ""
    progress.updated_at = now
    progress.save()


def text_digest(text: str) -> bytes:
    """The SHA-256 of a text."""
    return sha256(text.encode()).digest()


def spoken_digest(text: str, said_at: datetime) -> bytes:
    """The same for words said at a moment, so that a re-import is recognised by its own dates
    while the same words said another day are not."""
    return sha256(f"{int(said_at.timestamp())}\n{text}".encode()).digest()


def buried(user_id: UUID, digests: list[bytes]) -> set[bytes]:
    """Which of these digests must not be mined again."""
    stones = Tombstone.objects.filter(user_id=user_id, digest__in=digests)
    return {bytes(digest) for digest in stones.values_list("digest", flat=True)}
