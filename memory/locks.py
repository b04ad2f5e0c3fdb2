"""Advisory locks: only one process at a time does a kind of work for a user or an upload."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from uuid import UUID

from memory.sql import execute, fetch_value

CONSOLIDATING = 7_261_002
EMBEDDING = 7_261_003
PROJECTING = 7_261_004
INDEXING = 7_261_005
KEEPING = 7_261_006
IMPORTING = 7_261_007


@contextmanager
def try_lock(owner_id: UUID, work: int) -> Iterator[bool]:
    """Try to take the lock for this work of an owner; yields whether that succeeded.

    The lock belongs to the connection, so a killed process releases it.
    """
    key = _key(owner_id)
    won = bool(fetch_value("SELECT pg_try_advisory_lock(%s, %s)", [work, key]))
    try:
        yield won
    finally:
        if won:
            execute("SELECT pg_advisory_unlock(%s, %s)", [work, key])


def wait_for_lock(user_id: UUID, work: int) -> None:
    """Wait for the lock for this work of a user, and hold it until the transaction ends."""
    execute("SELECT pg_advisory_xact_lock(%s, %s)", [work, _key(user_id)])


def _key(owner_id: UUID) -> int:
    return int.from_bytes(sha256(owner_id.bytes).digest()[:4], "big", signed=True)
