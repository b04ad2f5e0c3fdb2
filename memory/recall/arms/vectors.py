"""The arm that searches by meaning, and the likeness in meaning of what others found."""

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from memory.recall.arms.types import Asked, Finding, Meaning
from memory.searching import NearDrawer, cosines, nearest


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The drawers nearest in meaning: `cosine` (raw), `likeness` (calibrated, and less where the
    model hardly reads the language), `similarity` (the same within 0 to 1)."""
    if asked.meaning is not None:
        meaning = asked.meaning
        near = nearest(asked.user_id, meaning.space, meaning.vector, most, indexed=meaning.indexed)
        yield from _findings(meaning, near)


def complete(asked: Asked, drawer_ids: Sequence[UUID]) -> Iterator[Finding]:
    """The same signals for these drawers, as far as they have vectors."""
    if asked.meaning is not None:
        meaning = asked.meaning
        yield from _findings(
            meaning, cosines(asked.user_id, meaning.space, meaning.vector, drawer_ids)
        )


def _findings(meaning: Meaning, near: Iterable[NearDrawer]) -> Iterator[Finding]:
    model = meaning.model
    width = model.question_ceiling - model.question_floor
    for row in near:
        signals = {
            "cosine": row.cosine,
            "similarity": meaning.calibrated(row.cosine),
            "likeness": meaning.trust * (row.cosine - model.question_floor) / width,
        }
        yield Finding(row.drawer_id, signals, (row.start, row.start + row.length))
