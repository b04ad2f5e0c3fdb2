"""Tombstones: digests of what must never be mined again, wherever it comes from."""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from uuid import UUID

from memory.models import Tombstone
from memory.text.digests import text_digest

BATCH = 2_000

SaidMessage = tuple[UUID, str, datetime]
"""A message: its id, its words, and when it was said."""


def utterance_digest(text: str, said_at: datetime) -> bytes:
    """The digest of words and when they were said. It recognises a re-import, but not the same words said
    on another day."""
    return text_digest(f"{int(said_at.timestamp())}\n{text}")


def digests_of(text: str, said_at: datetime, message_id: UUID) -> tuple[bytes, bytes]:
    """The digests by which tombstones recognise a message: its words with their moment, and its id."""
    return utterance_digest(text, said_at), text_digest(str(message_id))


def tombstoned(user_id: UUID, digests: list[bytes]) -> set[bytes]:
    """Those of the digests that have a tombstone and must not be mined again."""
    stones = Tombstone.objects.filter(user_id=user_id, digest__in=digests)
    return {bytes(digest) for digest in stones.values_list("digest", flat=True)}


def add_tombstone(user_id: UUID, stone: Tombstone.Kind, digest: bytes, deletion_id: UUID) -> None:
    """Keep older exports from restoring something that was deleted."""
    Tombstone.objects.get_or_create(user_id=user_id, kind=stone, digest=digest, deletion_id=deletion_id)


def remove_tombstones(user_id: UUID, stone: Tombstone.Kind, deletion_id: UUID) -> None:
    """Remove the tombstones of a deletion that was undone."""
    Tombstone.objects.filter(user_id=user_id, kind=stone, deletion_id=deletion_id).delete()


def name_digest(normalised: str, sense: str) -> bytes:
    """The digest by which a tombstone recognises the name of an entity."""
    return text_digest(f"name\n{normalised}\n{sense}")


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
