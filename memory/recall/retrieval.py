"""The third stage of recall: independent arms, each bringing candidates in its own right."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from time import perf_counter
from uuid import UUID

from django.db import DatabaseError

from llm.errors import EmbedderUnavailable, ModelError
from llm.types import Vectors
from memory.answering import Reader, first_answer, readers
from memory.models import Usage
from memory.recall.admission import admitted
from memory.recall.arms import (
    facts,
    graph,
    misfits,
    namings,
    pointers,
    preferences,
    profile,
    skills,
    vectors,
    words,
)
from memory.recall.arms.types import Asked, Finding, Meaning, Search
from memory.recall.languages import trust_in_meaning
from memory.recall.recipes import COMPLETE, SENTENCES
from memory.recall.types import (
    Arm,
    Candidate,
    Degradation,
    Query,
    RecallRequest,
    Retrieved,
)
from memory.spending import BudgetSpent
from memory.time_limit import TimeLimit, TooSlow
from memory.usage import Purpose

ARMS: Mapping[str, Search] = {
    "vectors": vectors.search,
    "words": words.search,
    "pointers": pointers.search,
    "facts": facts.search,
    "profile": profile.search,
    "preferences": preferences.search,
    "graph": graph.search,
    "skills": skills.search,
}
UNDERSTOOD = ("facts", "profile", "preferences", "graph", "skills")
"""Arms that go by what was understood, to the words it was understood from."""
BY_MEANING = frozenset(("vectors", "facts", "preferences"))
"""Arms that have nothing to search with when the question has no vector."""
MEANING = frozenset(("embedder", "vectors"))
"""Parts without which nothing is found by meaning."""
COMPLETED = "meaning of words"
NAMED = "names"
JUDGED = "judgements"
SHARE = 0.6
"""How much of the time that is left one arm may take, so that the others have some."""

NO_MEANING = "Search by meaning is not available now, so these were found by their words alone."
HALF_THE_MEANING = (
    "The model that your drawers were compared with cannot be asked, and the one you chose has not "
    "read all of them yet: those that wait were found by their words alone."
)
NO_BUDGET = "This month’s budget is spent, so these were found by their words alone."
SLOW = {
    "words": "Search by words took too long, so these were found by meaning alone.",
    "vectors": "Search by meaning took too long, so these were found by their words alone.",
    "pointers": "The drawers you named could not be opened in time.",
    **dict.fromkeys(
        UNDERSTOOD,
        "What is known of you took too long to look through, so it was left out.",
    ),
}
FAILED = {
    "words": "Search by words failed, so these were found by meaning alone.",
    "vectors": "Search by meaning failed, so these were found by their words alone.",
    "pointers": "The drawers you named could not be opened.",
    **dict.fromkeys(
        UNDERSTOOD,
        "What is known of you could not be looked through, so it was left out.",
    ),
}
NEITHER = (
    "Neither search by meaning nor search by words was possible just now, so hardly anything that "
    "was said could be looked through."
)
FAILURES = (TooSlow, DatabaseError)


@dataclass(slots=True)
class _Findings:
    signals: dict[UUID, dict[str, float]] = field(default_factory=dict)
    spans: dict[UUID, tuple[int, int]] = field(default_factory=dict)
    brought_by: dict[UUID, dict[str, tuple[UUID, ...]]] = field(default_factory=dict)
    arms: dict[str, Arm] = field(default_factory=dict)
    degraded: list[Degradation] = field(default_factory=list)

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            signals = self.signals.setdefault(finding.drawer_id, {})
            for name, value in finding.signals.items():
                signals[name] = max(value, signals.get(name, value))
            brought_by = self.brought_by.setdefault(finding.drawer_id, {})
            for name, ids in finding.brought_by.items():
                brought_by[name] = (*brought_by.get(name, ()), *ids)
            if finding.span is not None:
                self.spans[finding.drawer_id] = finding.span

    def having(self, signal: str) -> dict[UUID, float]:
        """The drawers found so far that have a signal, with its value."""
        return {key: each[signal] for key, each in self.signals.items() if signal in each}

    def without(self, signal: str) -> list[UUID]:
        """The drawers found so far that lack a signal."""
        return [key for key, signals in self.signals.items() if signal not in signals]


def retrieve(request: RecallRequest, query: Query, limit: TimeLimit) -> Retrieved:
    """What the arms of the recipe find. An arm that fails or has no time left leaves the others."""
    found = _Findings()
    asked = Asked(request, query, _embed(request, query, found))
    with limit.together():
        for name, most in request.settings.recipe.arms.items():
            if asked.meaning is not None or name not in BY_MEANING:
                _look(name, partial(_at_most, most, ARMS[name], asked), found, limit)
        if asked.meaning is not None and request.settings.recipe.has(COMPLETE):
            _look(
                COMPLETED, partial(vectors.complete, asked, found.without("cosine")), found, limit
            )
        if asked.meaning is not None and request.settings.recipe.has(SENTENCES):
            _look(
                SENTENCES, partial(vectors.sentences, asked, found.having("cosine")), found, limit
            )
        if query.names or query.phrases:
            _look(NAMED, partial(namings.mark, asked, list(found.signals)), found, limit)
        _look(JUDGED, partial(misfits.mark, asked, list(found.signals)), found, limit)
        with limit.stage():
            candidates = tuple(_candidates(request, found))
    trust = asked.meaning.trust if asked.meaning is not None else 1.0
    return Retrieved(candidates, found.arms, _agreeing(found.degraded), trust)


def _agreeing(degraded: Sequence[Degradation]) -> tuple[Degradation, ...]:
    """What was lost, without a part being said to stand in for another that was lost as well."""
    lost = {each.part for each in degraded}
    if "words" not in lost or lost.isdisjoint(MEANING):
        return tuple(degraded)
    return tuple(
        replace(each, words=NEITHER) if each.part in {"words", *MEANING} else each
        for each in degraded
    )


def _at_most(most: int, search: Search, asked: Asked) -> Iterable[Finding]:
    return islice(search(asked, most), most)


def _look(
    name: str, search: Callable[[], Iterable[Finding]], found: _Findings, limit: TimeLimit
) -> None:
    started = perf_counter()
    try:
        with limit.stage(SHARE):
            findings = tuple(search())
    except FAILURES as error:
        words = SLOW if isinstance(error, TooSlow) else FAILED
        if name in words:
            found.degraded.append(Degradation(name, words[name]))
        return
    found.add(findings)
    found.arms[name] = Arm(len(findings), _since(started))


def _embed(request: RecallRequest, query: Query, found: _Findings) -> Meaning | None:
    started = perf_counter()
    purpose = Purpose(request.user_id, Usage.Source.EMBED, request.called_at)
    try:
        asked = readers(request.settings.embedding_model, purpose)
        reader, vector = first_answer(asked, lambda reader: _question(reader, query))
    except ModelError as error:
        found.degraded.append(Degradation("embedder", _without_meaning(error)))
        return None
    if not reader.answers:
        found.degraded.append(Degradation("embedder", HALF_THE_MEANING))
    found.arms["embedding"] = Arm(1, _since(started))
    model = reader.embedder.model
    trust = trust_in_meaning(query.text, model)
    return Meaning(model, reader.space, vector, trust, reader.indexed)


def _question(reader: Reader, query: Query) -> tuple[Reader, Vectors]:
    return reader, reader.embedder.embed_query(query.text).vectors[0]


def _without_meaning(error: ModelError) -> str:
    if isinstance(error, BudgetSpent):
        return NO_BUDGET
    return f"{NO_MEANING} {error.reason}" if isinstance(error, EmbedderUnavailable) else NO_MEANING


def _candidates(request: RecallRequest, found: _Findings) -> Iterator[Candidate]:
    for drawer in admitted(request, list(found.signals)):
        signals = found.signals[drawer.id]
        if drawer.pinned:
            signals["pinned"] = 1.0
        if drawer.wing_id == request.wing_id:
            signals["project"] = 1.0
        yield Candidate(
            drawer.id,
            drawer.room_id,
            drawer.role,
            drawer.said_at,
            signals,
            span=found.spans.get(drawer.id, (0, 0)),
            brought_by=found.brought_by[drawer.id],
        )


def _since(started: float) -> float:
    return (perf_counter() - started) * 1000
