"""Recall: filter → rewrite → retrieve → fuse → rerank → budget → context, with a trace that says why."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
from memory.recall.reranking import demote_repeated, is_bare_question, prefer_newer, rerank
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
    Retrieved,
    Trace,
)
from memory.recall.weights import MAX_LOADED
from memory.search.time_limit import TimeLimit, TooSlow

TRACED = 40
MAX_COMPARED = 10
"""How many of the best hits are checked for newer ones that outdate them."""
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
class _Run:
    """A recall in progress: its trace, its remaining time, and the profile that could be used."""

    trace: Trace
    time_limit: TimeLimit
    profile: str = ""

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.trace.timings[stage] = (perf_counter() - started) * 1000

    def degrade(self, part: Degradation, error: Exception) -> None:
        """Note that a part failed; the others answer."""
        log.warning("part of recall failed", part=part.part, error=type(error).__name__)
        self.trace.degraded.append(part)


def recall(request: RecallRequest) -> Recall:
    """Recall drawers for a message, as hits and as one block of text.

    Never raises when a part is unavailable: the others answer, and the trace names what was missing.
    """
    started = perf_counter()
    run = _new_run(request, _decision(request))
    hits: tuple[Hit, ...] = ()
    profile = ""
    if run.trace.decision.search:
        try:
            hits, profile = _search(request, run)
        except (Error, TooSlow) as error:
            run.degrade(DATABASE_DOWN, error)
    block = context_block(hits, request.settings.zone, profile)
    run.trace.timings["total"] = (perf_counter() - started) * 1000
    return Recall(block, hits, _finished(run.trace, profile), profile)


def ranking(request: RecallRequest) -> tuple[Candidate, ...]:
    """All candidates in order, before threshold and budget, for benchmarks."""
    return _rank(request, _new_run(request, Decision(True, ""))).candidates


def _decision(request: RecallRequest) -> Decision:
    if not request.settings.enabled:
        return OFF
    return EXPLICIT if request.explicit else should_search(request.message)


def _new_run(request: RecallRequest, decision: Decision) -> _Run:
    return _Run(Trace(decision), TimeLimit(request.settings.time_limit_ms))


def _finished(trace: Trace, profile: str) -> Trace:
    """The trace of the best candidates."""
    trace.found = len(trace.considered)
    trace.considered = trace.considered[:TRACED]
    ids = {candidate.drawer_id for candidate in trace.considered}
    trace.cut = [cut for cut in trace.cut if cut.drawer_id in ids]
    trace.profile_tokens = estimate_tokens(profile)
    return trace


def _search(request: RecallRequest, run: _Run) -> tuple[tuple[Hit, ...], str]:
    """The hits, and the profile beside them."""
    ranked = _rank(request, run)
    kept, cut = relevant(ranked.candidates, request.settings, ranked.trust, ranked.margin)
    run.trace.cut += cut
    hits = _rerank(request, _read(request, kept, run), run)
    query = run.trace.query or Query(request.message)
    chosen = _choose(request, hits, query, run)
    profile = fit_profile(chosen, run.profile, request.settings)
    asked_by = "your search" if request.explicit else "your message"
    return tuple(explain(hit, query, request.settings.zone, asked_by) for hit in chosen), profile


def _rank(request: RecallRequest, run: _Run) -> Retrieved:
    trace = run.trace
    with run.timing("rewrite"):
        trace.query = rewrite(request)
    with run.timing("retrieve"):
        meanwhile = partial(_read_profile, request, run)
        found = retrieve(request, trace.query, run.time_limit, trace, meanwhile)
    with run.timing("fuse"):
        trace.considered = fuse(request, trace.query, found.candidates)
    return replace(found, candidates=trace.considered)


def _read(request: RecallRequest, kept: Sequence[Candidate], run: _Run) -> tuple[Hit, ...]:
    limit = request.settings.load_limit
    run.trace.cut += [Cut(each.drawer_id, TOO_MANY, "top_k") for each in kept[limit:]]
    with run.timing("read"):
        hits = _with_endings(request, kept[:limit], run)
    is_timeless = run.trace.query is None or run.trace.query.span is None
    if is_timeless and not request.explicit:
        hits = (*prefer_newer(hits[:MAX_COMPARED]), *hits[MAX_COMPARED:])
    if request.explicit:  # nothing is cut, and the same hits move on every page of a search
        return (*sorted(hits[:MAX_LOADED], key=is_bare_question), *hits[MAX_LOADED:])
    hits, repeated = demote_repeated(request, hits)
    run.trace.cut += repeated
    return hits


def _with_endings(request: RecallRequest, kept: Sequence[Candidate], run: _Run) -> tuple[Hit, ...]:
    """The hits with their statements that are no longer true, or without if facts cannot be read in time."""
    try:
        with run.time_limit.stage(SHARE):
            return read_hits(request, kept)
    except (Error, TooSlow) as error:
        failure = error
    with run.time_limit.stage():
        hits = read_hits(request, kept, endings=False)
    run.degrade(NO_ENDINGS, failure)
    return hits


def _read_profile(request: RecallRequest, run: _Run) -> None:
    """Read the profile; if that fails, recall continues without it."""
    try:
        with run.timing("profile"), run.time_limit.stage(SHARE):
            run.profile = profile_text(request)
    except (Error, TooSlow) as error:
        run.degrade(NO_PROFILE, error)


def _rerank(request: RecallRequest, hits: tuple[Hit, ...], run: _Run) -> tuple[Hit, ...]:
    """The hits, reranked by a language model if the user chose that."""
    if not request.settings.rerank:
        return hits
    with run.timing("rerank"):
        hits, degraded = rerank(request, hits)
    run.trace.degraded += degraded
    return hits


def _choose(request: RecallRequest, hits: Sequence[Hit], query: Query, run: _Run) -> tuple[Hit, ...]:
    def neighbours_of(chosen: Sequence[Hit]) -> Mapping[UUID, Sequence[Hit]]:
        """The hits' neighbours; none on failure, and none for a filtered search, which must keep to its
        filters."""
        if not request.within.is_everywhere:
            return {}
        try:
            with run.time_limit.stage():
                return neighbours(request, chosen)
        except (Error, TooSlow) as error:
            run.degrade(NO_NEIGHBOURS, error)
            return {}

    with run.timing("choose"):
        chosen = choose(hits, request.settings, neighbours_of, query, tokens_of_profile(run.profile))
    run.trace.cut += chosen.cut
    return chosen.hits
