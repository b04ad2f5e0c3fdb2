"""Tombstones: digests of what must never be mined again, wherever it comes from."""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from uuid import UUID

from memory.mining.progress import add_tombstone, text_digest, utterance_digest
from memory.models import Tombstone

BATCH = 2_000

SaidMessage = tuple[UUID, str, datetime]
"""A message: its id, its words, and when it was said."""


def add_tombstones(user_id: UUID, messages: Iterable[SaidMessage], deletion_id: UUID) -> None:
    """Never mine these messages again, recognised by id or by words and time.

    Undoing the deletion removes the tombstones.
    """
    _store(
        Tombstone(user_id=user_id, kind=kind, digest=digest, deletion_id=deletion_id)
        for message_id, words, said_at in messages
        for kind, digest in (
            (Tombstone.Kind.MESSAGE, text_digest(str(message_id))),
            (Tombstone.Kind.TEXT, utterance_digest(words, said_at)),
        )
    )


def add_word_tombstones(user_id: UUID, messages: Iterable[tuple[str, datetime]], deletion_id: UUID) -> None:
    """Never restore these words, said at these times, from an older export."""
    _store(
        Tombstone(
            user_id=user_id,
            kind=Tombstone.Kind.TEXT,
            digest=utterance_digest(words, said_at),
            deletion_id=deletion_id,
        )
        for words, said_at in messages
    )


def add_source_tombstone(user_id: UUID, source_id: UUID | None, deletion_id: UUID) -> None:
    """Never mine this chat again, including later messages."""
    add_tombstone(user_id, Tombstone.Kind.CONVERSATION, text_digest(str(source_id)), deletion_id)


def _store(tombstones: Iterable[Tombstone]) -> None:
    remaining = iter(tombstones)
    while batch := list(islice(remaining, BATCH)):
        Tombstone.objects.bulk_create(batch, ignore_conflicts=True)
