"""Recall: from a message to the few drawers that matter, and a trace that says why."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from uuid import UUID

import structlog
from django.db import Error
from django.utils.translation import gettext_noop

from llm.tokens import estimate_tokens
from memory.recall.acquaintance import fit, profile_text
from memory.recall.budget import TOO_MANY, choose
from memory.recall.context import context_block
from memory.recall.echoes import without_echoes
from memory.recall.filters import should_search
from memory.recall.fusion import fuse
from memory.recall.late_interaction import NOT_READ, compared, passages
from memory.recall.reading import neighbours, read_hits
from memory.recall.reasons import explained
from memory.recall.recipes import LATE, NEIGHBOURS, PROFILE, READER
from memory.recall.relevance import relevant
from memory.recall.reranking import rerank
from memory.recall.retrieval import retrieve
from memory.recall.rewriting import rewrite
from memory.recall.types import (
    Arm,
    Candidate,
    Cut,
    Decision,
    Degradation,
    Hit,
    Query,
    Recall,
    RecallRequest,
    Trace,
)
from memory.time_limit import TimeLimit, TooSlow

TRACED = 40
SHARE = 0.3
"""How much of the time that is left the profile may take, before the question is looked for."""

OFF = Decision(False, gettext_noop("Memory is switched off."))
ASKED = Decision(True, gettext_noop("You asked for a search."))
DATABASE_DOWN = Degradation(
    "database", gettext_noop("Memory could not be read just now, so this is answered without it.")
)

NO_PROFILE = Degradation(
    "profile", gettext_noop("Your profile could not be read just now, so it was left out.")
)
NO_NEIGHBOURS = Degradation(
    "neighbours", gettext_noop("What was said right beside these could not be read just now.")
)

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Notes:
    """What the trace will say, gathered along the way. `known` is what there is to tell of the
    person, `profile` what of it is told."""

    decision: Decision
    recipe: str
    limit: TimeLimit
    query: Query | None = None
    arms: dict[str, Arm] = field(default_factory=dict)
    considered: tuple[Candidate, ...] = ()
    cut: list[Cut] = field(default_factory=list)
    degraded: list[Degradation] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    known: str = ""
    profile: str = ""
    trust: float = 1.0

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.timings[stage] = (perf_counter() - started) * 1000

    def trace(self) -> Trace:
        traced = self.considered[:TRACED]
        ids = {candidate.drawer_id for candidate in traced}
        return Trace(
            decision=self.decision,
            query=self.query,
            arms=self.arms,
            considered=traced,
            cut=tuple(cut for cut in self.cut if cut.drawer_id in ids),
            degraded=tuple(self.degraded),
            timings=self.timings,
            profile_tokens=estimate_tokens(self.profile),
            recipe=self.recipe,
            found=len(self.considered),
        )


def recall(request: RecallRequest) -> Recall:
    """The drawers to put before the model for this message, as hits and as one block of text.

    Never raises for a part that is down: what is left answers, and the trace says what was not.
    """
    started = perf_counter()
    decision = _decision(request)
    notes = _notes(request, decision)
    hits: tuple[Hit, ...] = ()
    if decision.search:
        try:
            hits = _search(request, notes)
        except (Error, TooSlow) as error:
            log.warning("recall failed", error=type(error).__name__)
            notes.degraded.append(DATABASE_DOWN)
    block = context_block(hits, request.settings.zone, notes.profile)
    notes.timings["total"] = (perf_counter() - started) * 1000
    return Recall(block, hits, notes.trace(), notes.profile)


def ranking(request: RecallRequest) -> tuple[Candidate, ...]:
    """All candidates in the order of recall, before threshold and budget: for benchmarks."""
    return _ranked(request, _notes(request, Decision(True, "")))


def _decision(request: RecallRequest) -> Decision:
    if not request.settings.enabled:
        return OFF
    return ASKED if request.asked else should_search(request.message)


def _notes(request: RecallRequest, decision: Decision) -> _Notes:
    settings = request.settings
    return _Notes(decision, settings.recipe.name, TimeLimit(settings.patience_ms))


def _search(request: RecallRequest, notes: _Notes) -> tuple[Hit, ...]:
    ranked = _ranked(request, notes)
    kept, cut = relevant(ranked, request.settings, notes.trust)
    notes.cut += cut
    hits = _reread(request, _read(request, kept, notes), notes)
    chosen = _chosen(request, hits, estimate_tokens(notes.known), notes)
    left = request.settings.token_budget - sum(hit.tokens for hit in chosen)
    notes.profile = fit(notes.known, left) if chosen else ""
    query = notes.query or Query(request.message)
    return tuple(explained(hit, query, request.settings.zone) for hit in chosen)


def _ranked(request: RecallRequest, notes: _Notes) -> tuple[Candidate, ...]:
    with notes.timing("rewrite"):
        notes.query = rewrite(request)
    with notes.timing("retrieve"):
        found = retrieve(
            request, notes.query, notes.limit, meanwhile=partial(_get_to_know, request, notes)
        )
    notes.arms.update(found.arms)
    notes.degraded += found.degraded
    notes.trust = found.trust
    with notes.timing("fuse"):
        notes.considered = fuse(request, notes.query, found.candidates)
    if request.settings.recipe.has(LATE) and "embedding" in found.arms:
        with notes.timing("late interaction"):
            _compare(request, found.candidates, notes)
    return notes.considered


def _compare(request: RecallRequest, found: Sequence[Candidate], notes: _Notes) -> None:
    """Hold the question against the best passages word by word; their order may change. All that was
    found is put in order again, by its measurements and not by what came of them."""
    try:
        with notes.limit.stage():
            texts = passages(request, notes.considered)
    except (Error, TooSlow) as error:
        log.warning("passages not read", error=type(error).__name__)
        notes.degraded.append(NOT_READ)
        return
    query = notes.query or Query(request.message)
    candidates, degraded = compared(request, query, found, texts)
    notes.degraded += degraded
    notes.considered = fuse(request, query, candidates)


def _read(request: RecallRequest, kept: Sequence[Candidate], notes: _Notes) -> tuple[Hit, ...]:
    most = request.settings.most_read
    notes.cut += [Cut(each.drawer_id, TOO_MANY, "top_k") for each in kept[most:]]
    with notes.timing("read"), notes.limit.stage():
        hits = read_hits(request, kept[:most])
    if request.asked:
        return hits
    hits, echoes = without_echoes(request, hits)
    notes.cut += echoes
    return hits


def _get_to_know(request: RecallRequest, notes: _Notes) -> None:
    """Note what is known of the person. Drawers go without it rather than not at all."""
    if not request.settings.recipe.has(PROFILE):
        return
    try:
        with notes.timing("profile"), notes.limit.stage(SHARE):
            notes.known = profile_text(request)
    except (Error, TooSlow) as error:
        log.warning("profile not read", error=type(error).__name__)
        notes.degraded.append(NO_PROFILE)


def _reread(request: RecallRequest, hits: tuple[Hit, ...], notes: _Notes) -> tuple[Hit, ...]:
    """The hits in the order of a model that read them, where one was asked for."""
    settings = request.settings
    if not (settings.rerank and settings.recipe.has(READER)):
        return hits
    with notes.timing("rerank"):
        hits, degraded = rerank(request, hits)
    notes.degraded += degraded
    return hits


def _chosen(
    request: RecallRequest, hits: Sequence[Hit], spared: int, notes: _Notes
) -> tuple[Hit, ...]:
    def beside(chosen: Sequence[Hit]) -> Mapping[UUID, Sequence[Hit]]:
        """What was said beside the hits; they go without it rather than not at all. A search in a
        part of the palace wants nothing from beside that part."""
        if not (request.settings.recipe.has(NEIGHBOURS) and request.within.is_everywhere):
            return {}
        try:
            with notes.limit.stage():
                return neighbours(request, chosen)
        except (Error, TooSlow) as error:
            log.warning("neighbours not read", error=type(error).__name__)
            notes.degraded.append(NO_NEIGHBOURS)
            return {}

    with notes.timing("choose"):
        chosen = choose(hits, request.settings, beside, spared)
    notes.cut += chosen.cut
    return chosen.hits
