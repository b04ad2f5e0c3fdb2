"""Retrieve drawers by vector, and add vector similarity to what other retrievers found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from memory.recall.retrievers.types import Asked, Finding, Meaning
from memory.search.queries import NearDrawer, Reach, best_sentences, cosines, nearest


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The nearest drawers: signals `cosine` (raw), `likeness` (calibrated, scaled by trust) and
    `similarity` (the same clamped to 0 to 1)."""
    if asked.meaning is not None:
        meaning = asked.meaning
        reach = Reach(asked.part, meaning.indexed)
        near = nearest(asked.user_id, meaning.space, meaning.vector, most, reach)
        yield from _findings(meaning, near)


def complete(asked: Asked, drawer_ids: Sequence[UUID]) -> Iterator[Finding]:
    """The same signals for given drawers that have vectors."""
    if asked.meaning is not None:
        meaning = asked.meaning
        yield from _findings(meaning, cosines(asked.user_id, meaning.space, meaning.vector, drawer_ids))


def sentences(asked: Asked, cosines: Mapping[UUID, float]) -> Iterator[Finding]:
    """The same signals from the best sentence of each drawer, where it beats the given cosine of its
    best chunk."""
    if asked.meaning is None:
        return
    meaning = asked.meaning
    worth = asked.request.settings.recipe.weights.sentence
    for row in best_sentences(asked.user_id, meaning.space, meaning.vector, list(cosines)):
        cosine = row.cosine * worth
        if cosine > cosines[row.drawer_id]:
            span = (row.start, row.start + row.length)
            yield Finding(row.drawer_id, {**signals(meaning, cosine), "sentence": 1.0}, span)


def _findings(meaning: Meaning, near: Iterable[NearDrawer]) -> Iterator[Finding]:
    for row in near:
        span = (row.start, row.start + row.length)
        yield Finding(row.drawer_id, signals(meaning, row.cosine), span)


def signals(meaning: Meaning, cosine: float) -> dict[str, float]:
    """The signals of a raw cosine."""
    model = meaning.model
    width = model.question_ceiling - model.question_floor
    return {
        "cosine": cosine,
        "similarity": meaning.calibrated(cosine),
        "likeness": meaning.trust * (cosine - model.question_floor) / width,
    }
