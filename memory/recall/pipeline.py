"""Recall: filter → rewrite → retrieve → fuse → rerank → budget → context, with a trace that says why."""

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
from memory.recall.block import context_block, tokens_of_profile
from memory.recall.budget import TOO_MANY, choose
from memory.recall.context import fit_profile, profile_text
from memory.recall.filters import should_search
from memory.recall.fusion import fuse
from memory.recall.reading import neighbours, read_hits
from memory.recall.reasons import explain
from memory.recall.reranking import demote_repeated, is_bare_question, rerank
from memory.recall.retrieval import retrieve
from memory.recall.rewriting import rewrite
from memory.recall.threshold import relevant
from memory.recall.types import (
    Candidate,
    Cut,
    Decision,
    Degradation,
    Hit,
    Query,
    Recall,
    RecallRequest,
    RetrieverRun,
    Trace,
)
from memory.recall.weights import MAX_LOADED
from memory.search.time_limit import TimeLimit, TooSlow

TRACED = 40
SHARE = 0.3
"""The share of the remaining time for reading the profile, or the statements no longer true."""

OFF = Decision(False, gettext_noop("Memory is turned off."))
EXPLICIT = Decision(True, gettext_noop("You asked for a search."))
DATABASE_DOWN = Degradation("database", gettext_noop("Memory is unavailable, so nothing was recalled."))

NO_PROFILE = Degradation("profile", gettext_noop("Your profile could not be read, so it was left out."))
NO_ENDINGS = Degradation("endings", gettext_noop("Palace could not check which of these are no longer true."))
NO_NEIGHBOURS = Degradation(
    "neighbours", gettext_noop("The neighbouring messages of these could not be read.")
)

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Notes:
    """Collects the trace. `profile` is the part of `available_profile` that is used."""

    decision: Decision
    time_limit: TimeLimit
    query: Query | None = None
    retrievers: dict[str, RetrieverRun] = field(default_factory=dict)
    considered: tuple[Candidate, ...] = ()
    cut: list[Cut] = field(default_factory=list)
    degraded: list[Degradation] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    available_profile: str = ""
    profile: str = ""
    trust: float = 1.0
    margin: float = 0.0

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
            retrievers=self.retrievers,
            considered=traced,
            cut=tuple(cut for cut in self.cut if cut.drawer_id in ids),
            degraded=tuple(self.degraded),
            timings=self.timings,
            profile_tokens=estimate_tokens(self.profile),
            found=len(self.considered),
        )


def recall(request: RecallRequest) -> Recall:
    """Recall drawers for a message, as hits and as one block of text.

    Never raises when a part is unavailable: the others answer, and the trace names what was missing.
    """
    started = perf_counter()
    decision = _decision(request)
    notes = _new_notes(request, decision)
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
    """All candidates in order, before threshold and budget, for benchmarks."""
    return _rank(request, _new_notes(request, Decision(True, "")))


def _decision(request: RecallRequest) -> Decision:
    if not request.settings.enabled:
        return OFF
    return EXPLICIT if request.explicit else should_search(request.message)


def _new_notes(request: RecallRequest, decision: Decision) -> _Notes:
    return _Notes(decision, TimeLimit(request.settings.time_limit_ms))


def _search(request: RecallRequest, notes: _Notes) -> tuple[Hit, ...]:
    ranked = _rank(request, notes)
    kept, cut = relevant(ranked, request.settings, notes.trust, notes.margin)
    notes.cut += cut
    hits = _rerank(request, _read(request, kept, notes), notes)
    query = notes.query or Query(request.message)
    chosen = _choose(request, hits, query, notes)
    notes.profile = fit_profile(chosen, notes.available_profile, request.settings)
    return tuple(explain(hit, query, request.settings.zone) for hit in chosen)


def _rank(request: RecallRequest, notes: _Notes) -> tuple[Candidate, ...]:
    with notes.timing("rewrite"):
        notes.query = rewrite(request)
    with notes.timing("retrieve"):
        found = retrieve(
            request, notes.query, notes.time_limit, meanwhile=partial(_read_profile, request, notes)
        )
    notes.retrievers.update(found.retrievers)
    notes.degraded += found.degraded
    notes.trust, notes.margin = found.trust, found.margin
    with notes.timing("fuse"):
        notes.considered = fuse(request, notes.query, found.candidates)
    return notes.considered


def _read(request: RecallRequest, kept: Sequence[Candidate], notes: _Notes) -> tuple[Hit, ...]:
    limit = request.settings.load_limit
    notes.cut += [Cut(each.drawer_id, TOO_MANY, "top_k") for each in kept[limit:]]
    with notes.timing("read"):
        hits = _with_endings(request, kept[:limit], notes)
    if request.explicit:  # nothing is cut, and the same hits move on every page of a search
        return (*sorted(hits[:MAX_LOADED], key=is_bare_question), *hits[MAX_LOADED:])
    hits, repeated = demote_repeated(request, hits)
    notes.cut += repeated
    return hits


def _with_endings(request: RecallRequest, kept: Sequence[Candidate], notes: _Notes) -> tuple[Hit, ...]:
    """The hits with their statements that are no longer true, or without if facts cannot be read in time."""
    try:
        with notes.time_limit.stage(SHARE):
            return read_hits(request, kept)
    except (Error, TooSlow) as error:
        log.warning("endings not read", error=type(error).__name__)
    with notes.time_limit.stage():
        hits = read_hits(request, kept, endings=False)
    notes.degraded.append(NO_ENDINGS)
    return hits


def _read_profile(request: RecallRequest, notes: _Notes) -> None:
    """Read the profile; if that fails, recall continues without it."""
    try:
        with notes.timing("profile"), notes.time_limit.stage(SHARE):
            notes.available_profile = profile_text(request)
    except (Error, TooSlow) as error:
        log.warning("profile not read", error=type(error).__name__)
        notes.degraded.append(NO_PROFILE)


def _rerank(request: RecallRequest, hits: tuple[Hit, ...], notes: _Notes) -> tuple[Hit, ...]:
    """The hits, reranked by a language model if the user chose that."""
    if not request.settings.rerank:
        return hits
    with notes.timing("rerank"):
        hits, degraded = rerank(request, hits)
    notes.degraded += degraded
    return hits


def _choose(request: RecallRequest, hits: Sequence[Hit], query: Query, notes: _Notes) -> tuple[Hit, ...]:
    def neighbours_of(chosen: Sequence[Hit]) -> Mapping[UUID, Sequence[Hit]]:
        """The hits' neighbours; none on failure, and none for a filtered search, which must keep to its
        filters."""
        if not request.within.is_everywhere:
            return {}
        try:
            with notes.time_limit.stage():
                return neighbours(request, chosen)
        except (Error, TooSlow) as error:
            log.warning("neighbours not read", error=type(error).__name__)
            notes.degraded.append(NO_NEIGHBOURS)
            return {}

    with notes.timing("choose"):
        chosen = choose(
            hits, request.settings, neighbours_of, query, tokens_of_profile(notes.available_profile)
        )
    notes.cut += chosen.cut
    return chosen.hits
