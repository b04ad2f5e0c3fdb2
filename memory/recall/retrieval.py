"""The third stage of recall: independent arms, each bringing candidates in its own right."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter
from uuid import UUID

from django.db import DatabaseError

from llm.errors import ModelError
from llm.types import EmbeddingModel, Vectors
from memory.aaak import find_pointers
from memory.drawers import find_by_pointer
from memory.index import space_for
from memory.ledger import text_digest
from memory.metering import embedder_for
from memory.models import Drawer, EmbeddingSpace, Usage
from memory.recall.types import (
    Arm,
    Candidate,
    Degradation,
    Query,
    RecallRequest,
    Retrieved,
)
from memory.searching import NearDrawer, WordDrawer, cosines, matching, nearest
from memory.spending import BudgetSpent
from memory.time_limit import TooSlow, at_most
from memory.usage import Purpose

MOST_NEAR = 100
MOST_BY_WORDS = 100
NO_SOURCE = UUID(int=0)
NO_WORDS_AT_ALL = b""
MOST_POINTERS = 20

NO_MEANING = "Search by meaning is not available now, so these were found by their words alone."
NO_BUDGET = "This month’s budget is spent, so these were found by their words alone."
SLOW = {
    "words": "Search by words took too long, so these were found by meaning alone.",
    "vectors": "Search by meaning took too long, so these were found by their words alone.",
}
FAILED = {
    "words": "Search by words failed, so these were found by meaning alone.",
    "vectors": "Search by meaning failed, so these were found by their words alone.",
}
FAILURES = (TooSlow, DatabaseError)


@dataclass(slots=True)
class _Findings:
    signals: dict[UUID, dict[str, float]] = field(default_factory=dict)
    spans: dict[UUID, tuple[int, int]] = field(default_factory=dict)
    arms: dict[str, Arm] = field(default_factory=dict)
    degraded: list[Degradation] = field(default_factory=list)

    def add(self, drawer_id: UUID, **signals: float) -> None:
        self.signals.setdefault(drawer_id, {}).update(signals)


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The question as a vector, with the model and space it belongs to."""

    model: EmbeddingModel
    space: EmbeddingSpace
    vector: Vectors


def retrieve(request: RecallRequest, query: Query) -> Retrieved:
    """Candidates by meaning, by words and by pointer. An arm that fails leaves the others."""
    found = _Findings()
    meaning = _embed(request, query, found)
    if meaning is not None:
        _by_meaning(request, meaning, found)
    _by_words(request, query, found)
    if meaning is not None:
        _complete(request, meaning, found)
    _by_pointer(request, found)
    return Retrieved(
        candidates=tuple(_candidates(request, found)),
        arms=found.arms,
        degraded=tuple(found.degraded),
    )


def _embed(request: RecallRequest, query: Query, found: _Findings) -> _Meaning | None:
    started = perf_counter()
    purpose = Purpose(request.user_id, Usage.Source.EMBED, request.called_at)
    try:
        embedder = embedder_for(request.settings.embedding_model, purpose)
        vector = embedder.embed_query(query.text).vectors[0]
    except BudgetSpent:
        found.degraded.append(Degradation("embedder", NO_BUDGET))
        return None
    except ModelError:
        found.degraded.append(Degradation("embedder", NO_MEANING))
        return None
    found.arms["embedding"] = Arm(1, _since(started))
    return _Meaning(embedder.model, space_for(embedder.model), vector)


def _by_meaning(request: RecallRequest, meaning: _Meaning, found: _Findings) -> None:
    started = perf_counter()
    try:
        with at_most(request.settings.time_limit_ms):
            near = nearest(request.user_id, meaning.space, meaning.vector, MOST_NEAR)
    except FAILURES as error:
        found.degraded.append(_degradation("vectors", error))
        return
    _add_near(found, meaning.model, near)
    found.arms["vectors"] = Arm(len(near), _since(started))


def _by_words(request: RecallRequest, query: Query, found: _Findings) -> None:
    started = perf_counter()
    try:
        with at_most(request.settings.time_limit_ms):
            rows: Sequence[WordDrawer] = matching(request.user_id, query.words, MOST_BY_WORDS)
    except FAILURES as error:
        found.degraded.append(_degradation("words", error))
        return
    for row in rows:
        found.add(row.drawer_id, words=row.score, coverage=row.coverage)
    found.arms["words"] = Arm(len(rows), _since(started))


def _complete(request: RecallRequest, meaning: _Meaning, found: _Findings) -> None:
    """Give drawers found by their words the likeness in meaning that they have as well."""
    missing = [key for key, signals in found.signals.items() if "cosine" not in signals]
    started = perf_counter()
    try:
        with at_most(request.settings.time_limit_ms):
            near = cosines(request.user_id, meaning.space, meaning.vector, missing)
    except FAILURES:
        return
    _add_near(found, meaning.model, near)
    found.arms["meaning of words"] = Arm(len(near), _since(started))


def _add_near(found: _Findings, model: EmbeddingModel, near: Iterable[NearDrawer]) -> None:
    width = model.question_ceiling - model.question_floor
    for row in near:
        found.add(
            row.drawer_id,
            cosine=row.cosine,
            similarity=model.calibrated_question(row.cosine),
            likeness=(row.cosine - model.question_floor) / width,
        )
        found.spans[row.drawer_id] = (row.start, row.start + row.length)


def _by_pointer(request: RecallRequest, found: _Findings) -> None:
    for _, _, pointer in islice(find_pointers(request.message), MOST_POINTERS):
        drawer = find_by_pointer(request.user_id, pointer)
        if drawer is not None:
            found.add(drawer.id, pointer=1.0)


def _candidates(request: RecallRequest, found: _Findings) -> Iterable[Candidate]:
    rows = (
        Drawer.objects.live()
        .filter(user_id=request.user_id, id__in=list(found.signals), sensitive=False)
        .exclude(source_id=request.exclude_source_id or NO_SOURCE)
        .exclude(role=Drawer.Role.USER, content_hash=_own_words(request))
        .values_list("id", "room_id", "role", "said_at", "pinned")
        .order_by("id")
    )
    for drawer_id, room_id, role, said_at, pinned in rows:
        signals = found.signals[drawer_id]
        if pinned:
            signals["pinned"] = 1.0
        yield Candidate(
            drawer_id, room_id, role, said_at, signals, span=found.spans.get(drawer_id, (0, 0))
        )


def _own_words(request: RecallRequest) -> bytes:
    """The digest of the message: what was asked before word for word is no answer to it. A search
    that somebody asked for finds it all the same."""
    return NO_WORDS_AT_ALL if request.asked else text_digest(request.message)


def _degradation(part: str, error: Exception) -> Degradation:
    return Degradation(part, (SLOW if isinstance(error, TooSlow) else FAILED)[part])


def _since(started: float) -> float:
    return (perf_counter() - started) * 1000
