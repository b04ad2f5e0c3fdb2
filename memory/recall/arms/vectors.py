"""The arm that searches by meaning, and the likeness in meaning of what others found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from memory.inspecting import best_sentences
from memory.recall.arms.types import Asked, Finding, Meaning
from memory.searching import NearDrawer, Reach, cosines, nearest


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The drawers nearest in meaning: `cosine` (raw), `likeness` (calibrated, and less where the
    model hardly reads the language), `similarity` (the same within 0 to 1)."""
    if asked.meaning is not None:
        meaning = asked.meaning
        reach = Reach(asked.part, meaning.indexed)
        near = nearest(asked.user_id, meaning.space, meaning.vector, most, reach)
        yield from _findings(meaning, near)


def complete(asked: Asked, drawer_ids: Sequence[UUID]) -> Iterator[Finding]:
    """The same signals for these drawers, as far as they have vectors."""
    if asked.meaning is not None:
        meaning = asked.meaning
        yield from _findings(
            meaning, cosines(asked.user_id, meaning.space, meaning.vector, drawer_ids)
        )


def sentences(asked: Asked, cosines: Mapping[UUID, float]) -> Iterator[Finding]:
    """The same signals from the best sentence of each of these drawers, where it comes nearer to
    the question than the passage whose cosine is given."""
    if asked.meaning is None:
        return
    meaning = asked.meaning
    worth = asked.request.settings.recipe.weights.sentence
    for row in best_sentences(asked.user_id, meaning.space, meaning.vector, list(cosines)):
        cosine = row.cosine * worth
        if cosine > cosines[row.drawer_id]:
            span = (row.start, row.start + row.length)
            yield Finding(row.drawer_id, {**_signals(meaning, cosine), "sentence": 1.0}, span)


def _findings(meaning: Meaning, near: Iterable[NearDrawer]) -> Iterator[Finding]:
    for row in near:
        span = (row.start, row.start + row.length)
        yield Finding(row.drawer_id, _signals(meaning, row.cosine), span)


def _signals(meaning: Meaning, cosine: float) -> dict[str, float]:
    model = meaning.model
    width = model.question_ceiling - model.question_floor
    return {
        "cosine": cosine,
        "similarity": meaning.calibrated(cosine),
        "likeness": meaning.trust * (cosine - model.question_floor) / width,
    }
