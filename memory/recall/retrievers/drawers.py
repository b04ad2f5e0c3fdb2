"""Retrieve drawers by vector, words or pointer, and add vector similarity to what other retrievers found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import islice
from uuid import UUID

from memory.aaak import find_pointers
from memory.drawers import find_by_pointer
from memory.recall.query_extraction import ends_of
from memory.recall.types import Finding, Meaning, SearchContext
from memory.recall.weights import SENTENCE
from memory.search.queries import NearDrawer, best_sentences, cosines, matching, nearest, scope_of

MAX_ON_NAMED_DAYS = 20
"""How many drawers from the days a question names are considered."""


def by_vector(context: SearchContext, limit: int) -> Iterator[Finding]:
    """The nearest drawers: signals `cosine` (raw), `scaled_cosine` (calibrated, scaled by trust) and
    `similarity` (the same clamped to 0 to 1)."""
    if context.meaning is not None:
        meaning = context.meaning
        yield from _findings(meaning, _said_on_named_days(context, meaning))
        scope = replace(context.scope, indexed=meaning.indexed)
        near = nearest(context.user_id, meaning.space, meaning.vector, limit, scope)
        yield from _findings(meaning, near)


def by_words(context: SearchContext, limit: int) -> Iterator[Finding]:
    """The drawers sharing the rarest words: signals `words` (BM25-like) and `coverage` (0 to 1)."""
    for row in matching(context.user_id, context.query.words, limit, context.scope):
        yield Finding(row.drawer_id, {"words": row.score, "coverage": row.coverage})


def by_pointer(context: SearchContext, limit: int) -> Iterator[Finding]:
    """The drawers that the message names by `§` pointers, with the signal `pointer`."""
    for _, _, pointer in islice(find_pointers(ends_of(context.request.message)), limit):
        drawer = find_by_pointer(context.user_id, pointer)
        if drawer is not None:
            yield Finding(drawer.id, {"pointer": 1.0})


def _said_on_named_days(context: SearchContext, meaning: Meaning) -> list[NearDrawer]:
    """The nearest drawers said around the days that the question names, if it names exact ones."""
    span, within, zone = context.query.span, context.request.within, context.request.settings.zone
    if span is None or not span.exact or within.since or within.until:
        return []
    tolerance = timedelta(days=span.tolerance_days)
    days = (span.start - tolerance, span.end + tolerance)
    since, until = (datetime.combine(day, time.min, zone) for day in days)
    scope = scope_of(context.user_id, replace(within, since=since, until=until))
    scope = replace(scope, indexed=meaning.indexed)
    return nearest(context.user_id, meaning.space, meaning.vector, MAX_ON_NAMED_DAYS, scope)


def rescore(user_id: UUID, meaning: Meaning, drawer_ids: Sequence[UUID]) -> Iterator[Finding]:
    """The same signals for given drawers that have vectors."""
    return _findings(meaning, cosines(user_id, meaning.space, meaning.vector, drawer_ids))


def sentences(user_id: UUID, meaning: Meaning, cosines: Mapping[UUID, float]) -> Iterator[Finding]:
    """The same signals from the best sentence of each drawer, where it beats the given cosine of its
    best chunk."""
    for row in best_sentences(user_id, meaning.space, meaning.vector, list(cosines)):
        cosine = row.cosine * SENTENCE
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
    scaled = (cosine - model.question_floor) / (model.question_ceiling - model.question_floor)
    similarity = min(1.0, max(0.0, scaled))
    return {"cosine": cosine, "similarity": trust * similarity, "scaled_cosine": trust * scaled}
