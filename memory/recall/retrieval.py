"""The third stage of recall: independent arms, each bringing candidates in its own right."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from time import perf_counter
from uuid import UUID

from django.db import DatabaseError
from django.utils.translation import gettext_noop

from llm.errors import EmbedderUnavailable, ModelError
from llm.types import Vectors
from memory.answering import Reader, first_answer, readers
from memory.embedding_ahead import EmbeddingAhead
from memory.metering import embed_question_ahead
from memory.models import Usage
from memory.narrowing import part_of
from memory.recall.admission import Admitted, admitted
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
from memory.recall.recipes import COMPLETE, SENTENCES, Recipe
from memory.recall.telling import says_little
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
EMBEDDING = "embedding"
COMPLETED = "meaning of words"
NAMED = "names"
JUDGED = "judgements"
SHARE = 0.6
"""How much of the time that is left one arm may take, so that the others have some."""

NO_MEANING = gettext_noop(
    "Search by meaning is not available now, so these were found by their words alone."
)
HALF_THE_MEANING = gettext_noop(
    "The model that your drawers were compared with cannot be asked, and the one you chose has not "
    "read all of them yet: those that wait were found by their words alone."
)
NO_BUDGET = gettext_noop("This month’s budget is spent, so these were found by their words alone.")
SLOW = {
    "words": gettext_noop("Search by words took too long, so these were found by meaning alone."),
    "vectors": gettext_noop(
        "Search by meaning took too long, so these were found by their words alone."
    ),
    "pointers": gettext_noop("The drawers you named could not be opened in time."),
    **dict.fromkeys(
        UNDERSTOOD,
        gettext_noop("What is known of you took too long to look through, so it was left out."),
    ),
}
FAILED = {
    "words": gettext_noop("Search by words failed, so these were found by meaning alone."),
    "vectors": gettext_noop("Search by meaning failed, so these were found by their words alone."),
    "pointers": gettext_noop("The drawers you named could not be opened."),
    **dict.fromkeys(
        UNDERSTOOD,
        gettext_noop("What is known of you could not be looked through, so it was left out."),
    ),
}
NEITHER = gettext_noop(
    "Neither search by meaning nor search by words was possible just now, so hardly anything that "
    "was said could be looked through."
)
FAILURES = (TooSlow, DatabaseError)


@dataclass(slots=True)
class _Found:
    """What all arms know of one drawer."""

    signals: dict[str, float] = field(default_factory=dict)
    brought_by: dict[str, tuple[UUID, ...]] = field(default_factory=dict)
    span: tuple[int, int] = (0, 0)

    def add(self, finding: Finding) -> None:
        if not self.signals:
            self.signals.update(finding.signals)
        else:
            for name, value in finding.signals.items():
                self.signals[name] = max(value, self.signals.get(name, value))
        for name, ids in finding.brought_by.items():
            self.brought_by[name] = (*self.brought_by.get(name, ()), *ids)
        if finding.span is not None:
            self.span = finding.span


@dataclass(slots=True)
class _Findings:
    drawers: dict[UUID, _Found] = field(default_factory=lambda: defaultdict(_Found))
    arms: dict[str, Arm] = field(default_factory=dict)
    degraded: list[Degradation] = field(default_factory=list)

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.drawers[finding.drawer_id].add(finding)

    def having(self, signal: str) -> dict[UUID, float]:
        """The drawers found so far that have a signal, with its value."""
        return {
            key: each.signals[signal]
            for key, each in self.drawers.items()
            if signal in each.signals
        }

    def without(self, signal: str) -> list[UUID]:
        """The drawers found so far that lack a signal."""
        return [key for key, each in self.drawers.items() if signal not in each.signals]

    def in_order(self, recipe: Recipe) -> dict[str, Arm]:
        """How the parts fared, in the order in which a recipe names them."""
        names = [EMBEDDING, *recipe.arms, COMPLETED, SENTENCES, NAMED, JUDGED]
        return {name: self.arms[name] for name in names if name in self.arms}


def retrieve(
    request: RecallRequest,
    query: Query,
    limit: TimeLimit,
    meanwhile: Callable[[], None] | None = None,
) -> Retrieved:
    """What the arms of the recipe find. An arm that fails or has no time left leaves the others.
    While a local model reads the question, the arms that go by words look already, and
    `meanwhile` reads what needs no question."""
    found = _Findings()
    recipe = request.settings.recipe
    with EmbeddingAhead() as ahead:
        embed_question_ahead(request.settings.embedding_model, query.text, ahead)
        with limit.stage():
            asked = Asked(request, query, part=part_of(request.user_id, request.within))
        _search(asked, recipe.arms.keys() - BY_MEANING, found, limit)
        if meanwhile is not None:
            meanwhile()
        asked = replace(asked, meaning=_embed(request, query, found, ahead))
    if asked.meaning is not None:
        _search(asked, recipe.arms.keys() & BY_MEANING, found, limit)
    _look_closely(asked, found, limit)
    with limit.stage():
        drawers = tuple(admitted(request, list(found.drawers)))
    _judge(asked, drawers, found, limit)
    candidates = tuple(_candidates(drawers, found))
    trust = asked.meaning.trust if asked.meaning is not None else 1.0
    return Retrieved(candidates, found.in_order(recipe), _agreeing(found.degraded), trust)


def _search(asked: Asked, names: Set[str], found: _Findings, limit: TimeLimit) -> None:
    for name, most in asked.request.settings.recipe.arms.items():
        if name in names:
            _look(name, partial(_at_most, most, ARMS[name], asked), found, limit)


def _look_closely(asked: Asked, found: _Findings, limit: TimeLimit) -> None:
    """Ask of what was found how near it is in meaning, and which names it has."""
    recipe = asked.request.settings.recipe
    if asked.meaning is not None and recipe.has(COMPLETE):
        _look(COMPLETED, partial(vectors.complete, asked, found.without("cosine")), found, limit)
    if asked.meaning is not None and recipe.has(SENTENCES):
        _look(SENTENCES, partial(vectors.sentences, asked, found.having("cosine")), found, limit)
    if asked.query.names or asked.query.phrases:
        _look(NAMED, partial(namings.mark, asked, list(found.drawers)), found, limit)


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


def _embed(
    request: RecallRequest, query: Query, found: _Findings, ahead: EmbeddingAhead
) -> Meaning | None:
    started = perf_counter()
    purpose = Purpose(request.user_id, Usage.Source.EMBED, request.called_at)
    try:
        asked = readers(request.settings.embedding_model, purpose, ahead)
        reader, vector = first_answer(asked, lambda reader: _question(reader, query))
    except ModelError as error:
        found.degraded.append(Degradation("embedder", _without_meaning(error)))
        return None
    if not reader.answers:
        found.degraded.append(Degradation("embedder", HALF_THE_MEANING))
    found.arms[EMBEDDING] = Arm(1, _since(started))
    model = reader.embedder.model
    trust = trust_in_meaning(query.text, model)
    return Meaning(model, reader.space, vector, trust, reader.indexed)


def _question(reader: Reader, query: Query) -> tuple[Reader, Vectors]:
    return reader, reader.embedder.embed_query(query.text).vectors[0]


def _without_meaning(error: ModelError) -> str:
    if isinstance(error, BudgetSpent):
        return NO_BUDGET
    return f"{NO_MEANING} {error.reason}" if isinstance(error, EmbedderUnavailable) else NO_MEANING


def _judge(asked: Asked, drawers: Sequence[Admitted], found: _Findings, limit: TimeLimit) -> None:
    """Ask what was said of drawers that were refused before; mostly there are none."""
    found.arms[JUDGED] = Arm(0, 0.0)
    refused = {drawer.id: drawer.misfitted for drawer in drawers if drawer.misfitted}
    if refused:
        _look(JUDGED, partial(misfits.mark, asked, refused), found, limit)


def _candidates(drawers: Sequence[Admitted], found: _Findings) -> Iterator[Candidate]:
    for drawer in drawers:
        known = found.drawers[drawer.id]
        if drawer.pinned:
            known.signals["pinned"] = 1.0
        if drawer.in_project:
            known.signals["project"] = 1.0
        if drawer.short and (little := says_little(drawer.short)):
            known.signals["little"] = little
        yield Candidate(
            drawer.id,
            drawer.room_id,
            drawer.role,
            drawer.said_at,
            known.signals,
            span=known.span,
            brought_by=known.brought_by,
        )


def _since(started: float) -> float:
    return (perf_counter() - started) * 1000
