"""Retrieve drawers by vector, and add vector similarity to what other retrievers found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from uuid import UUID

from memory.recall.retrievers.types import Asked, Finding, Meaning
from memory.search.queries import NearDrawer, Reach, best_sentences, cosines, nearest
from memory.search.scope import part_of

SAID_THEN = 20
"""How many drawers of the days that a question names are looked at."""


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The nearest drawers: signals `cosine` (raw), `likeness` (calibrated, scaled by trust) and
    `similarity` (the same clamped to 0 to 1)."""
    if asked.meaning is not None:
        meaning = asked.meaning
        yield from _findings(meaning, _on_those_days(asked, meaning))
        reach = Reach(asked.part, meaning.indexed)
        near = nearest(asked.user_id, meaning.space, meaning.vector, most, reach)
        yield from _findings(meaning, near)


def _on_those_days(asked: Asked, meaning: Meaning) -> list[NearDrawer]:
    """The nearest of what was said around the days that the question names, if those are few."""
    span, within, zone = asked.query.span, asked.request.within, asked.request.settings.zone
    if span is None or not span.exact or within.since or within.until:
        return []
    tolerance = timedelta(days=span.tolerance_days)
    days = (span.start - tolerance, span.end + tolerance)
    since, until = (datetime.combine(day, time.min, zone) for day in days)
    part = part_of(asked.user_id, replace(within, since=since, until=until))
    return nearest(asked.user_id, meaning.space, meaning.vector, SAID_THEN, Reach(part, meaning.indexed))


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
    worth = asked.request.settings.weights.sentence
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
    model, trust = meaning.model, meaning.trust
    likeness = (cosine - model.question_floor) / (model.question_ceiling - model.question_floor)
    similarity = min(1.0, max(0.0, likeness))
    return {"cosine": cosine, "similarity": trust * similarity, "likeness": trust * likeness}
