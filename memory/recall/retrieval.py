"""Retrieve: run independent retrievers and admit the drawers they find as candidates."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from heapq import nlargest
from itertools import islice
from operator import itemgetter
from time import perf_counter
from typing import NamedTuple
from uuid import UUID

from django.db import DatabaseError
from django.utils.translation import gettext_noop

from llm.errors import EmbedderUnavailable, ModelError
from llm.tokens import estimate_tokens
from llm.types import EmbeddingModel
from memory.models import Usage
from memory.recall.feedback import NOT_RELEVANT_SQL, negative_feedback
from memory.recall.retrievers import known_facts, skills, unfiled
from memory.recall.retrievers.drawers import by_pointer, by_vector, by_words, rescore, sentences
from memory.recall.types import (
    Candidate,
    Degradation,
    Finding,
    Meaning,
    Query,
    RecallRequest,
    Retrieved,
    RetrieverRun,
    Search,
    SearchContext,
    Trace,
    Unfiled,
    trust_in_meaning,
)
from memory.recall.weights import RETRIEVER_LIMITS
from memory.search.active_embedding import first_available, model_spaces
from memory.search.embedding_prefetch import EmbeddingPrefetch
from memory.search.queries import id_array, scope_of
from memory.search.sentence_vectors import DENSE_LETTER
from memory.search.time_limit import TimeLimit, TooSlow
from memory.sql import fetch_prepared
from memory.text.dates import closeness_of_events
from memory.text.digests import text_digest
from memory.text.languages import language_of
from memory.usage.budgets import BudgetSpent
from memory.usage.metering import earlier_embedder_for, prefetch_question
from memory.usage.records import Purpose

RETRIEVERS: Mapping[str, Search] = {
    "vectors": by_vector,
    "words": by_words,
    "pointers": by_pointer,
    "known_facts": known_facts.search,
    "skills": skills.search,
    "unfiled": unfiled.search,
}
FACT_RETRIEVERS = ("known_facts", "skills")
"""Retrievers that search facts and skills."""
OVERFETCH = 4
"""How many times more drawers they fetch for a filtered search, because they search the whole palace."""
AFTER_EMBEDDING = frozenset(("vectors", "known_facts", "unfiled"))
MEANING_PARTS = frozenset(("embedder", "vectors"))
"""Parts that search by meaning depends on."""
EMBEDDING = "embedding"
RESCORED = "rescoring"
SENTENCES = "sentences"
FEEDBACK = "feedback"
NO_ID = UUID(int=0)
SHORT_TOKENS = 60
"""Longer messages are always informative and are not examined."""
ENOUGH_WORDS = 6
_FREE_QUESTION_WORDS, _MAX_CHEER_WORDS = 12, 10
NEAREST_MESSAGES, DENSE_LANGUAGES, MIN_UNREAD_WORDS = 3, frozenset(("zh", "ja")), 4
"""How many of the nearest messages decide the language of the drawers, and languages written densely."""
SHARE = 0.6
"""The share of the remaining time one retriever may take."""

NO_MEANING = gettext_noop("Search by meaning is unavailable, so these were found by words only.")
PARTIAL_MEANING = gettext_noop(
    "Your previous embedding model is unavailable, and the new one has not read all drawers yet. The "
    "unread ones were found by words only."
)
NO_BUDGET = gettext_noop("This month’s budget is spent, so these were found by words only.")
NO_UNFILED = gettext_noop("Your recent messages in other chats could not be searched, so they were left out.")
NO_FACTS = gettext_noop("Your facts could not be searched, so they were left out.")
UNAVAILABLE = {
    "words": gettext_noop("Search by words was unavailable, so these were found by meaning only."),
    "vectors": NO_MEANING,
    "pointers": gettext_noop("The drawers you named could not be opened."),
    **dict.fromkeys(FACT_RETRIEVERS, NO_FACTS),
    "unfiled": NO_UNFILED,
}
NEITHER = gettext_noop(
    "Neither search by meaning nor search by words was available, so most of your memory could not be "
    "searched."
)
FAILURES = (TooSlow, DatabaseError)

_ENDS = r".!?…。！？؟\n"
_SENTENCE = re.compile(rf"[^{_ENDS}]+[.!?…。！？؟]*")
_WORD = re.compile(r"[^\W_]+")
_INFORMATIVE_START = re.compile(
    rf"[^{_ENDS}\w]*[^\W_]+(?:[^{_ENDS}\w]+[^\W_]+){{{ENOUGH_WORDS - 1}}}[^{_ENDS}]*"
    rf"(?:[.…。\n]+(?![{_ENDS}])|\Z)"
)
"""A first sentence that is a long enough statement."""
_QUESTION_MARKS = ("?", "？", "؟")
_EXCLAMATION_MARKS = ("!", "！")


class AllowedDrawer(NamedTuple):
    """A drawer that may be recalled.

    `in_project`: it belongs to the request's wing. `not_relevant_in`: the recalls in which its owner marked
    it as not relevant. `short`: the text of a short user message, else empty. `times`: the dates in a user's
    message, as written, if the question names one.
    """

    id: UUID
    room_id: UUID
    role: str
    said_at: datetime
    pinned: bool
    in_project: bool
    not_relevant_in: Sequence[UUID] | None
    short: str
    times: Sequence[str] = ()


@dataclass(slots=True)
class _FoundDrawer:
    """What the retrievers found about one drawer."""

    signals: dict[str, float] = field(default_factory=dict)
    retrievers: dict[str, tuple[UUID, ...]] = field(default_factory=dict)
    span: tuple[int, int] = (0, 0)
    unfiled: Unfiled | None = None

    def add(self, finding: Finding) -> None:
        if not self.signals:
            self.signals.update(finding.signals)
        else:
            for name, value in finding.signals.items():
                self.signals[name] = max(value, self.signals.get(name, value))
        for name, ids in finding.retrievers.items():
            self.retrievers[name] = (*self.retrievers.get(name, ()), *ids)
        if finding.span is not None:
            self.span = finding.span
        self.unfiled = self.unfiled or finding.unfiled


@dataclass(slots=True)
class _Findings:
    drawers: dict[UUID, _FoundDrawer] = field(default_factory=lambda: defaultdict(_FoundDrawer))
    retrievers: dict[str, RetrieverRun] = field(default_factory=dict)
    degraded: list[Degradation] = field(default_factory=list)

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.drawers[finding.drawer_id].add(finding)


def retrieve(
    request: RecallRequest,
    query: Query,
    time_limit: TimeLimit,
    trace: Trace,
    meanwhile: Callable[[], None],
) -> Retrieved:
    """The candidates the retrievers find. If one fails or runs out of time, the others still count, and the
    trace says so. While a local model embeds the question, full text is searched and `meanwhile` runs."""
    found = _Findings()
    with EmbeddingPrefetch() as prefetch:
        prefetch_question(request.settings.embedding_model, query.text, prefetch)
        with time_limit.stage():
            context = SearchContext(request, query, scope=scope_of(request.user_id, request.within))
        _search(context, RETRIEVERS.keys() - AFTER_EMBEDDING, found, time_limit)
        meanwhile()
        context = replace(context, unfiled=_unfiled(request, found, time_limit))
        context = replace(context, meaning=_embed(request, query, found, prefetch))
    _embed_unfiled(context)
    _search(context, AFTER_EMBEDDING, found, time_limit)
    _rescore(context, found, time_limit)
    with time_limit.stage():
        drawers = tuple(allowed_drawers(request, list(found.drawers), dated=query.span is not None))
    for drawer in drawers if context.unfiled else ():
        found.drawers[drawer.id].unfiled = None
    drawers = (*drawers, *_unfiled_drawers(found))
    _add_feedback(context, drawers, found, time_limit)
    candidates = tuple(_candidates(context, drawers, found))
    trust = context.meaning.trust if context.meaning is not None else 1.0
    trace.retrievers |= found.retrievers
    trace.degraded += _consistent(found.degraded)
    return Retrieved(candidates, trust, _margin(context, drawers, candidates))


def _margin(
    context: SearchContext, drawers: Sequence[AllowedDrawer], candidates: Sequence[Candidate]
) -> float:
    """How much more similarity than usual an answer needs, by the languages of the question and of the
    nearest short messages."""
    if context.meaning is None:
        return 0.0
    short = (
        (candidate.scores["cosine"], drawer.short)
        for drawer, candidate in zip(drawers, candidates, strict=True)
        if drawer.short and "cosine" in candidate.scores
    )
    languages = {language_of(text) for _, text in nlargest(NEAREST_MESSAGES, short, key=itemgetter(0))} - {""}
    language, model = language_of(context.query.text), context.meaning.model
    words = len(context.query.text.split())
    return _extra_cosine(language, words, languages, model) / (model.question_ceiling - model.question_floor)


def _extra_cosine(language: str, words: int, languages: Set[str], model: EmbeddingModel) -> float:
    """How much higher than usual the cosine of an answer is, given the language and length of the question
    and the languages of the nearest messages. A short question in an unknown language may be English."""
    is_unread = bool(model.languages and languages) and languages.isdisjoint(model.languages)
    if is_unread and not language and words >= MIN_UNREAD_WORDS:
        return model.question_ceiling  # the model reads neither
    is_dense = language in DENSE_LANGUAGES and language in (languages or DENSE_LANGUAGES)
    return model.dense if is_dense else 0.0


def _search(context: SearchContext, names: Set[str], found: _Findings, time_limit: TimeLimit) -> None:
    within = context.request.within
    for name, max_found in RETRIEVER_LIMITS.items():
        max_found *= 1 if within.is_everywhere or name not in FACT_RETRIEVERS else OVERFETCH
        if name in names and (name != "vectors" or context.meaning is not None):
            _run(name, partial(_limited, max_found, RETRIEVERS[name], context), found, time_limit)


def _rescore(context: SearchContext, found: _Findings, time_limit: TimeLimit) -> None:
    """Add the similarity of drawers that other retrievers found, and of the sentences in all drawers."""
    if (meaning := context.meaning) is None:
        return
    without = [key for key, each in found.drawers.items() if "cosine" not in each.signals]
    _run(RESCORED, partial(rescore, context.user_id, meaning, without), found, time_limit)
    cosines = {key: each.signals["cosine"] for key, each in found.drawers.items() if "cosine" in each.signals}
    _run(SENTENCES, partial(sentences, context.user_id, meaning, cosines), found, time_limit)


def _consistent(degraded: list[Degradation]) -> list[Degradation]:
    """The degradations, reworded so that none names a lost part as the fallback."""
    lost = {each.part for each in degraded}
    if "words" not in lost or lost.isdisjoint(MEANING_PARTS):
        return degraded
    return [
        replace(each, words=NEITHER) if each.part in {"words", *MEANING_PARTS} else each for each in degraded
    ]


def _limited(max_found: int, search: Search, context: SearchContext) -> Iterable[Finding]:
    return islice(search(context, max_found), max_found)


def _run(name: str, search: Callable[[], Iterable[Finding]], found: _Findings, time_limit: TimeLimit) -> None:
    started = perf_counter()
    try:
        with time_limit.stage(SHARE):
            findings = tuple(search())
    except FAILURES:
        if name in UNAVAILABLE:
            found.degraded.append(Degradation(name, UNAVAILABLE[name]))
        return
    found.add(findings)
    found.retrievers[name] = RetrieverRun(len(findings), _elapsed_ms(started))


def _embed(
    request: RecallRequest, query: Query, found: _Findings, prefetch: EmbeddingPrefetch
) -> Meaning | None:
    started = perf_counter()
    purpose = Purpose(request.user_id, Usage.Source.EMBED, request.called_at)
    try:
        spaces = model_spaces(request.settings.embedding_model, purpose, prefetch)
        model_space, vector = first_available(
            spaces, lambda each: (each, each.embedder.embed_query(query.text).vectors[0])
        )
    except ModelError as error:
        found.degraded.append(Degradation("embedder", _embedding_failure(error)))
        return None
    if not model_space.answers:
        found.degraded.append(Degradation("embedder", PARTIAL_MEANING))
    found.retrievers[EMBEDDING] = RetrieverRun(1, _elapsed_ms(started))
    model = model_space.embedder.model
    trust = trust_in_meaning(query.text, model)
    return Meaning(model, model_space.space, vector, trust, model_space.indexed)


def _unfiled(request: RecallRequest, found: _Findings, time_limit: TimeLimit) -> tuple[Unfiled, ...]:
    try:
        with time_limit.stage(SHARE):
            return unfiled.read(request, RETRIEVER_LIMITS["unfiled"])
    except FAILURES:
        found.degraded.append(Degradation("unfiled", NO_UNFILED))
        return ()


def _embed_unfiled(context: SearchContext) -> None:
    """Embed unfiled messages, outside the time limit of the database; without a local model they are
    found by words only."""
    if not context.unfiled or context.meaning is None or not context.meaning.model.local:
        return
    model = context.meaning.model
    purpose = Purpose(context.user_id, Usage.Source.EMBED, context.request.called_at)
    with suppress(ModelError):
        embedder = earlier_embedder_for((model.name, model.version), purpose)
        unfiled.embed(context.unfiled, embedder, context.request.now)


def _unfiled_drawers(found: _Findings) -> Iterator[AllowedDrawer]:
    """The messages found that are still unfiled."""
    for drawer_id, each in found.drawers.items():
        if each.unfiled is not None:
            turn = each.unfiled.turn
            short = turn.role == "user" and estimate_tokens(turn.content) <= SHORT_TOKENS
            yield AllowedDrawer(
                drawer_id, each.unfiled.source_id, turn.role, turn.said_at, False, False, None,
                turn.content if short else "",
            )  # fmt: skip


def _embedding_failure(error: ModelError) -> str:
    if isinstance(error, BudgetSpent):
        return NO_BUDGET
    return f"{NO_MEANING} {error.reason}" if isinstance(error, EmbedderUnavailable) else NO_MEANING


def _add_feedback(
    context: SearchContext, drawers: Sequence[AllowedDrawer], found: _Findings, time_limit: TimeLimit
) -> None:
    """Add negative feedback, if there is any."""
    found.retrievers[FEEDBACK] = RetrieverRun(0, 0.0)
    if marked := {drawer.id: drawer.not_relevant_in for drawer in drawers if drawer.not_relevant_in}:
        _run(FEEDBACK, partial(negative_feedback, context, marked), found, time_limit)


def _candidates(
    context: SearchContext, drawers: Sequence[AllowedDrawer], found: _Findings
) -> Iterator[Candidate]:
    zone = context.request.settings.zone
    for drawer in drawers:
        known = found.drawers[drawer.id]
        if drawer.pinned:
            known.signals["pinned"] = 1.0
        if drawer.in_project:
            known.signals["project"] = 1.0
        if drawer.short and (penalty := uninformativeness(drawer.short)):
            known.signals["uninformative"] = penalty
        if context.query.span is not None and drawer.times:
            said_on = drawer.said_at.astimezone(zone).date()
            known.signals["about"] = closeness_of_events(drawer.times, said_on, context.query.span)
        yield Candidate(
            drawer.id,
            drawer.room_id,
            drawer.role,
            drawer.said_at,
            known.signals,
            span=known.span,
            retrievers=known.retrievers,
            unfiled=known.unfiled,
        )


def _elapsed_ms(started: float) -> float:
    return (perf_counter() - started) * 1000


def allowed_drawers(
    request: RecallRequest, drawer_ids: Sequence[UUID], *, dated: bool = False
) -> Iterator[AllowedDrawer]:
    """The drawers that may be recalled, by id: none in the trash, sensitive, from the running chat, equal
    to the message itself, or outside the search filters. `dated` reads the dates in them."""
    sql = f"""
        SELECT drawer.id, drawer.room_id, drawer.role,
          extract(epoch FROM drawer.said_at)::float8, drawer.pinned,
          drawer.wing_id = %(project)s, nullif({NOT_RELEVANT_SQL}, '{{}}'),
          CASE WHEN drawer.role = 'user' AND drawer.token_count <= {SHORT_TOKENS}
            THEN drawer.content ELSE '' END,
          CASE WHEN %(dated)s AND drawer.role = 'user' THEN drawer.times ELSE '{{}}' END
        FROM memory_drawer drawer
        WHERE drawer.user_id = %(user)s AND drawer.id = ANY(%(ids)s::uuid[]) AND drawer.deleted_at IS NULL
          AND NOT drawer.sensitive AND drawer.source_id <> %(running)s
          AND NOT (drawer.role = 'user' AND drawer.content_hash = %(own)s)
          AND drawer.said_at < %(horizon)s AND {request.within.condition}
        ORDER BY drawer.id
    """  # noqa: S608 - made of constants only
    params = {
        "user": request.user_id,
        "ids": id_array(drawer_ids),
        "dated": dated,
        "running": request.exclude_source_id or NO_ID,
        # An earlier copy of the question is no answer, but an explicit search excludes nothing.
        "own": b"" if request.explicit else text_digest(request.message),
        "project": request.wing_id or NO_ID,
        "horizon": request.horizon,
        **request.within.parameters,
    }
    return (
        AllowedDrawer(id, room, role, datetime.fromtimestamp(at, UTC), *others)
        for id, room, role, at, *others in fetch_prepared(sql, params)
    )


def uninformativeness(text: str) -> float:
    """How little a message says: 0 for a statement, 1 for one that only asks or cheers.

    Such messages are often the nearest to a question but answer nothing. A question counts only beyond
    its first twelve words, a cheer only if it has more than ten. A dense letter counts as a word.
    """
    spaced = text if text.isascii() else DENSE_LETTER.sub(" x ", text)
    if _INFORMATIVE_START.match(spaced):
        return 0.0
    count = 0
    for match in _SENTENCE.finditer(spaced):
        count += _informative_words(match[0].strip())
        if count >= ENOUGH_WORDS:
            return 0.0
    return 1.0 - count / ENOUGH_WORDS


def _informative_words(sentence: str) -> int:
    count = len(_WORD.findall(sentence))
    if sentence.endswith(_QUESTION_MARKS):
        return max(0, count - _FREE_QUESTION_WORDS)
    if sentence.endswith(_EXCLAMATION_MARKS) and count <= _MAX_CHEER_WORDS:
        return 0
    return count
