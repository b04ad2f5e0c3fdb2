"""Tombstones: what must never be mined again, from wherever it comes back."""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from uuid import UUID

from memory.ledger import spoken_digest, text_digest
from memory.models import Tombstone

AT_ONCE = 2_000

Said = tuple[UUID, str, datetime]


def bury(user_id: UUID, said: Iterable[Said], deletion_id: UUID) -> None:
    """Never mine these messages again: neither by their id, nor the same words said at the same
    time from an import or a restored export. Undoing the deletion takes the tombstones away."""
    stones = (
        Tombstone(user_id=user_id, kind=kind, digest=digest, deletion_id=deletion_id)
        for message_id, words, said_at in said
        for kind, digest in (
            (Tombstone.Kind.MESSAGE, text_digest(str(message_id))),
            (Tombstone.Kind.TEXT, spoken_digest(words, said_at)),
        )
    )
    while some := list(islice(stones, AT_ONCE)):
        Tombstone.objects.bulk_create(some, ignore_conflicts=True)


def bury_words(user_id: UUID, said: Iterable[tuple[str, datetime]], deletion_id: UUID) -> None:
    """Let an export that was made before not bring back these very words, said at these moments."""
    Tombstone.objects.bulk_create(
        (
            Tombstone(
                user_id=user_id,
                kind=Tombstone.Kind.TEXT,
                digest=spoken_digest(words, said_at),
                deletion_id=deletion_id,
            )
            for words, said_at in said
        ),
        batch_size=AT_ONCE,
        ignore_conflicts=True,
    )


def bury_source(user_id: UUID, source_id: UUID | None, deletion_id: UUID) -> None:
    """Never mine anything of a source again, what is said in it later neither."""
    Tombstone.objects.get_or_create(
        user_id=user_id,
        kind=Tombstone.Kind.CONVERSATION,
        digest=text_digest(str(source_id)),
        deletion_id=deletion_id,
    )
