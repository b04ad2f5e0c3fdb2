"""Recall: from a message to the few drawers that matter, and a trace that says why."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

import structlog
from django.db import Error

from llm.tokens import estimate_tokens
from memory.recall.acquaintance import fit, profile_text
from memory.recall.budget import choose
from memory.recall.context import context_block
from memory.recall.echoes import without_echoes
from memory.recall.filters import should_search
from memory.recall.fusion import fuse
from memory.recall.reading import neighbours, read_hits
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
from memory.time_limit import TooSlow, at_most

READ_AT_MOST = 60
TRACED = 40

OFF = Decision(False, "Memory is switched off.")
ASKED = Decision(True, "You asked for a search.")
DATABASE_DOWN = Degradation(
    "database", "Memory could not be read just now, so this is answered without it."
)

NO_PROFILE = Degradation("profile", "Your profile could not be read just now, so it was left out.")

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Notes:
    """What the trace will say, gathered along the way."""

    decision: Decision
    query: Query | None = None
    arms: dict[str, Arm] = field(default_factory=dict)
    considered: tuple[Candidate, ...] = ()
    cut: list[Cut] = field(default_factory=list)
    degraded: list[Degradation] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    profile: str = ""

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.timings[stage] = (perf_counter() - started) * 1000

    def trace(self) -> Trace:
        return Trace(
            decision=self.decision,
            query=self.query,
            arms=self.arms,
            considered=self.considered[:TRACED],
            cut=tuple(self.cut[:TRACED]),
            degraded=tuple(self.degraded),
            timings=self.timings,
            profile_tokens=estimate_tokens(self.profile),
        )


def recall(request: RecallRequest) -> Recall:
    """The drawers to put before the model for this message, as hits and as one block of text.

    Never raises for a part that is down: what is left answers, and the trace says what was not.
    """
    started = perf_counter()
    decision = _decision(request)
    notes = _Notes(decision)
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
    notes = _Notes(Decision(True, ""))
    return _ranked(request, notes)


def _decision(request: RecallRequest) -> Decision:
    if not request.settings.enabled:
        return OFF
    return ASKED if request.asked else should_search(request.message)


def _search(request: RecallRequest, notes: _Notes) -> tuple[Hit, ...]:
    ranked = _ranked(request, notes)
    kept, cut = relevant(ranked, request.settings)
    notes.cut += cut
    limit = request.settings.time_limit_ms
    with notes.timing("read"), at_most(limit):
        hits = read_hits(request, kept[:READ_AT_MOST])
    if not request.asked:
        hits, echoes = without_echoes(request, hits)
        notes.cut += echoes
    if request.settings.rerank:
        with notes.timing("rerank"):
            hits, degraded = rerank(request, hits)
        notes.degraded += degraded
    profile = _profile(request, notes) if hits else ""
    spared = estimate_tokens(profile)
    with notes.timing("choose"), at_most(limit):
        chosen = choose(hits, request.settings, lambda hit: neighbours(request, hit), spared)
    notes.cut += chosen.cut
    left = request.settings.token_budget - sum(hit.tokens for hit in chosen.hits)
    notes.profile = fit(profile, left) if chosen.hits else ""
    return chosen.hits


def _profile(request: RecallRequest, notes: _Notes) -> str:
    """What is known of the person. Drawers go without it rather than not at all."""
    try:
        with notes.timing("profile"), at_most(request.settings.time_limit_ms):
            return profile_text(request)
    except (Error, TooSlow) as error:
        log.warning("profile not read", error=type(error).__name__)
        notes.degraded.append(NO_PROFILE)
        return ""


def _ranked(request: RecallRequest, notes: _Notes) -> tuple[Candidate, ...]:
    with notes.timing("rewrite"):
        notes.query = rewrite(request)
    with notes.timing("retrieve"):
        found = retrieve(request, notes.query)
    notes.arms.update(found.arms)
    notes.degraded += found.degraded
    with notes.timing("fuse"):
        notes.considered = fuse(request, notes.query, found.candidates)
    return notes.considered
