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

from django.db import DatabaseError, connection
from django.utils.translation import gettext_noop

from llm.errors import EmbedderUnavailable, ModelError
from llm.tokens import estimate_tokens
from llm.types import Vectors
from memory.mining.progress import text_digest
from memory.models import Usage
from memory.recall.feedback import MISFITS_SQL, negative_feedback
from memory.recall.retrievers import known_facts, pointers, skills, unfiled, vectors, words
from memory.recall.retrievers.types import Asked, Finding, Meaning, Search, trust_in_meaning
from memory.recall.types import (
    Candidate,
    Degradation,
    Query,
    RecallRequest,
    Retrieved,
    RetrieverRun,
    Unfiled,
)
from memory.search.active_embedding import Reader, first_available, readers
from memory.search.embedding_prefetch import EmbeddingPrefetch
from memory.search.queries import id_array
from memory.search.scope import part_of
from memory.search.sentence_vectors import DENSE_LETTER
from memory.search.time_limit import TimeLimit, TooSlow
from memory.text.dates import closeness_of_events
from memory.text.languages import language_of
from memory.usage.budgets import BudgetSpent
from memory.usage.metering import earlier_embedder_for, prefetch_question
from memory.usage.records import Purpose

RETRIEVERS: Mapping[str, Search] = {
    "vectors": vectors.search,
    "words": words.search,
    "pointers": pointers.search,
    "known_facts": known_facts.search,
    "skills": skills.search,
    "unfiled": unfiled.search,
}
LEARNED = ("known_facts", "skills")
"""Retrievers that go by what was understood."""
WIDER = 4
"""How many times as many drawers they look for if only part of the palace counts: they search all of it."""
AFTER_EMBEDDING = frozenset(("vectors", "known_facts", "unfiled"))
MEANING = frozenset(("embedder", "vectors"))
"""Parts without which nothing is found by meaning."""
EMBEDDING = "embedding"
COMPLETED = "meaning of words"
SENTENCES = "sentences"
JUDGED = "judgements"
NOWHERE = UUID(int=0)
SHORT_TOKENS = 60
"""Longer messages always say something and are not examined."""
ENOUGH_WORDS = 6
_IN_A_QUESTION, _IN_A_CHEER = 12, 10
FEW, DENSE = 3, frozenset(("zh", "ja"))
"""How many of the nearest messages tell the language of the drawers, and languages written densely."""
SHARE = 0.6
"""The share of the remaining time one retriever may take."""

NO_MEANING = gettext_noop("Search by meaning is unavailable, so these were found by words only.")
HALF_THE_MEANING = gettext_noop(
    "Your previous embedding model is unavailable, and the new one has not read all drawers yet. The "
    "unread ones were found by words only."
)
NO_BUDGET = gettext_noop("This month’s budget is spent, so these were found by words only.")
UNFILED_AWAY = gettext_noop(
    "Your recent messages in other chats could not be searched, so they were left out."
)
SLOW = {
    "words": gettext_noop("Search by words took too long, so these were found by meaning only."),
    "vectors": gettext_noop("Search by meaning took too long, so these were found by words only."),
    "pointers": gettext_noop("The drawers you named could not be opened in time."),
    **dict.fromkeys(
        LEARNED,
        gettext_noop("Searching your facts took too long, so they were left out."),
    ),
    "unfiled": UNFILED_AWAY,
}
FAILED = {
    "words": gettext_noop("Search by words failed, so these were found by meaning only."),
    "vectors": gettext_noop("Search by meaning failed, so these were found by words only."),
    "pointers": gettext_noop("The drawers you named could not be opened."),
    **dict.fromkeys(
        LEARNED,
        gettext_noop("Your facts could not be searched, so they were left out."),
    ),
    "unfiled": UNFILED_AWAY,
}
NEITHER = gettext_noop(
    "Neither search by meaning nor search by words was available, so most of your memory could not be "
    "searched."
)
FAILURES = (TooSlow, DatabaseError)

_ENDS = r".!?…。！？؟\n"
_SENTENCE = re.compile(rf"[^{_ENDS}]+[.!?…。！？؟]*")
_WORD = re.compile(r"[^\W_]+")
_TELLS_AT_ONCE = re.compile(
    rf"[^{_ENDS}\w]*[^\W_]+(?:[^{_ENDS}\w]+[^\W_]+){{{ENOUGH_WORDS - 1}}}[^{_ENDS}]*"
    rf"(?:[.…。\n]+(?![{_ENDS}])|\Z)"
)
"""A first sentence that is a statement of enough words."""
_ASKS = ("?", "？", "؟")
_CHEERS = ("!", "！")


class AllowedDrawer(NamedTuple):
    """A drawer that may be recalled. `in_project`: it belongs to the request's wing. `misfits`: recalls
    in which its owner called it not relevant. `short`: the words of a short user message, else empty.
    `times`: the dates in a user's message, as written, if the question names one."""

    id: UUID
    room_id: UUID
    role: str
    said_at: datetime
    pinned: bool
    in_project: bool
    misfits: Sequence[UUID] | None
    short: str
    times: Sequence[str] = ()


@dataclass(slots=True)
class _Found:
    """What the retrievers found out about one drawer."""

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
    drawers: dict[UUID, _Found] = field(default_factory=lambda: defaultdict(_Found))
    retrievers: dict[str, RetrieverRun] = field(default_factory=dict)
    degraded: list[Degradation] = field(default_factory=list)

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self.drawers[finding.drawer_id].add(finding)

    def having(self, signal: str) -> dict[UUID, float]:
        """The drawers found so far with this signal, and its value."""
        return {key: each.signals[signal] for key, each in self.drawers.items() if signal in each.signals}

    def without(self, signal: str) -> list[UUID]:
        """The drawers found so far without this signal."""
        return [key for key, each in self.drawers.items() if signal not in each.signals]

    def in_order(self, retrievers: Iterable[str]) -> dict[str, RetrieverRun]:
        """The parts in the order in which they ran."""
        names = [EMBEDDING, *retrievers, COMPLETED, SENTENCES, JUDGED]
        return {name: self.retrievers[name] for name in names if name in self.retrievers}


def retrieve(
    request: RecallRequest,
    query: Query,
    limit: TimeLimit,
    meanwhile: Callable[[], None] | None = None,
) -> Retrieved:
    """The candidates the retrievers find. A retriever that fails or runs out of time leaves the
    others. While a local model embeds the question, full text is searched and `meanwhile` runs."""
    found = _Findings()
    retrievers = request.settings.retrievers
    with EmbeddingPrefetch() as ahead:
        prefetch_question(request.settings.embedding_model, query.text, ahead)
        with limit.stage():
            asked = Asked(request, query, part=part_of(request.user_id, request.within))
        _search(asked, retrievers.keys() - AFTER_EMBEDDING, found, limit)
        if meanwhile is not None:
            meanwhile()
        asked = replace(asked, unfiled=_unfiled(request, found, limit))
        asked = replace(asked, meaning=_embed(request, query, found, ahead))
    _embed_unfiled(asked)
    _search(asked, retrievers.keys() & AFTER_EMBEDDING, found, limit)
    _look_closely(asked, found, limit)
    with limit.stage():
        drawers = tuple(allowed_drawers(request, list(found.drawers), dated=query.span is not None))
    for drawer in drawers if asked.unfiled else ():
        found.drawers[drawer.id].unfiled = None
    drawers = (*drawers, *_not_filed(found))
    _judge(asked, drawers, found, limit)
    candidates = tuple(_candidates(asked, drawers, found))
    trust = asked.meaning.trust if asked.meaning is not None else 1.0
    needed = _needed(asked, drawers, candidates)
    return Retrieved(candidates, found.in_order(retrievers), _agreeing(found.degraded), trust, needed)


def _needed(asked: Asked, drawers: Sequence[AllowedDrawer], candidates: Sequence[Candidate]) -> float:
    """How much more similarity than usual an answer needs, by the languages of the question and of the
    nearest short messages."""
    if asked.meaning is None:
        return 0.0
    short = (
        (candidate.scores["cosine"], drawer.short)
        for drawer, candidate in zip(drawers, candidates, strict=True)
        if drawer.short and "cosine" in candidate.scores
    )
    languages = {language_of(text) for _, text in nlargest(FEW, short, key=itemgetter(0))} - {""}
    spoken, model = language_of(asked.query.text), asked.meaning.model
    dense = model.dense if spoken in DENSE else 0.0
    higher = -model.across if spoken and languages and spoken not in languages else dense
    return higher / (model.question_ceiling - model.question_floor)


def _search(asked: Asked, names: Set[str], found: _Findings, limit: TimeLimit) -> None:
    within = asked.request.within
    for name, most in asked.request.settings.retrievers.items():
        most *= 1 if within.is_everywhere or name not in LEARNED else WIDER
        if name in names and (name != "vectors" or asked.meaning is not None):
            _look(name, partial(_at_most, most, RETRIEVERS[name], asked), found, limit)


def _look_closely(asked: Asked, found: _Findings, limit: TimeLimit) -> None:
    """Add the similarity of the question to what the other retrievers found."""
    if asked.meaning is not None:
        _look(COMPLETED, partial(vectors.complete, asked, found.without("cosine")), found, limit)
        _look(SENTENCES, partial(vectors.sentences, asked, found.having("cosine")), found, limit)


def _agreeing(degraded: Sequence[Degradation]) -> tuple[Degradation, ...]:
    """The degradations, never naming a lost part as the fallback of another lost part."""
    lost = {each.part for each in degraded}
    if "words" not in lost or lost.isdisjoint(MEANING):
        return tuple(degraded)
    return tuple(
        replace(each, words=NEITHER) if each.part in {"words", *MEANING} else each for each in degraded
    )


def _at_most(most: int, search: Search, asked: Asked) -> Iterable[Finding]:
    return islice(search(asked, most), most)


def _look(name: str, search: Callable[[], Iterable[Finding]], found: _Findings, limit: TimeLimit) -> None:
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
    found.retrievers[name] = RetrieverRun(len(findings), _since(started))


def _embed(
    request: RecallRequest, query: Query, found: _Findings, ahead: EmbeddingPrefetch
) -> Meaning | None:
    started = perf_counter()
    purpose = Purpose(request.user_id, Usage.Source.EMBED, request.called_at)
    try:
        asked = readers(request.settings.embedding_model, purpose, ahead)
        reader, vector = first_available(asked, lambda reader: _question(reader, query))
    except ModelError as error:
        found.degraded.append(Degradation("embedder", _without_meaning(error)))
        return None
    if not reader.answers:
        found.degraded.append(Degradation("embedder", HALF_THE_MEANING))
    found.retrievers[EMBEDDING] = RetrieverRun(1, _since(started))
    model = reader.embedder.model
    trust = trust_in_meaning(query.text, model)
    return Meaning(model, reader.space, vector, trust, reader.indexed)


def _unfiled(request: RecallRequest, found: _Findings, limit: TimeLimit) -> tuple[Unfiled, ...]:
    try:
        with limit.stage(SHARE):
            return unfiled.read(request, request.settings.retrievers.get("unfiled", 0))
    except FAILURES:
        found.degraded.append(Degradation("unfiled", UNFILED_AWAY))
        return ()


def _embed_unfiled(asked: Asked) -> None:
    """Embed unfiled messages, outside the time limit of the database; without a local model they are
    found by words only."""
    if not asked.unfiled or asked.meaning is None or not asked.meaning.model.local:
        return
    model = asked.meaning.model
    purpose = Purpose(asked.user_id, Usage.Source.EMBED, asked.request.called_at)
    with suppress(ModelError):
        embedder = earlier_embedder_for((model.name, model.version), purpose)
        unfiled.embed(asked.unfiled, embedder, asked.request.now)


def _not_filed(found: _Findings) -> Iterator[AllowedDrawer]:
    """The messages found that are still not filed."""
    for drawer_id, each in found.drawers.items():
        if each.unfiled is not None:
            turn = each.unfiled.turn
            short = turn.role == "user" and estimate_tokens(turn.content) <= SHORT_TOKENS
            yield AllowedDrawer(
                drawer_id, each.unfiled.source_id, turn.role, turn.said_at, False, False, None,
                turn.content if short else "",
            )  # fmt: skip


def _question(reader: Reader, query: Query) -> tuple[Reader, Vectors]:
    return reader, reader.embedder.embed_query(query.text).vectors[0]


def _without_meaning(error: ModelError) -> str:
    if isinstance(error, BudgetSpent):
        return NO_BUDGET
    return f"{NO_MEANING} {error.reason}" if isinstance(error, EmbedderUnavailable) else NO_MEANING


def _judge(asked: Asked, drawers: Sequence[AllowedDrawer], found: _Findings, limit: TimeLimit) -> None:
    """Add negative feedback, if there is any."""
    found.retrievers[JUDGED] = RetrieverRun(0, 0.0)
    if misfits := {drawer.id: drawer.misfits for drawer in drawers if drawer.misfits}:
        _look(JUDGED, partial(negative_feedback, asked, misfits), found, limit)


def _candidates(asked: Asked, drawers: Sequence[AllowedDrawer], found: _Findings) -> Iterator[Candidate]:
    zone = asked.request.settings.zone
    for drawer in drawers:
        known = found.drawers[drawer.id]
        if drawer.pinned:
            known.signals["pinned"] = 1.0
        if drawer.in_project:
            known.signals["project"] = 1.0
        if drawer.short and (little := says_little(drawer.short)):
            known.signals["little"] = little
        if asked.query.span is not None and drawer.times:
            said_on = drawer.said_at.astimezone(zone).date()
            known.signals["about"] = closeness_of_events(drawer.times, said_on, asked.query.span)
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


def _since(started: float) -> float:
    return (perf_counter() - started) * 1000


def allowed_drawers(
    request: RecallRequest, drawer_ids: Sequence[UUID], *, dated: bool = False
) -> Iterator[AllowedDrawer]:
    """The drawers that may be recalled, by id: none in the trash, sensitive, from the running chat, equal
    to the message itself, or outside the search filters. `dated` reads the dates in them."""
    sql = f"""
        SELECT drawer.id, drawer.room_id, drawer.role,
          extract(epoch FROM drawer.said_at)::float8, drawer.pinned,
          drawer.wing_id = %(project)s, nullif({MISFITS_SQL}, '{{}}'),
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
    given = {
        "user": request.user_id,
        "ids": id_array(drawer_ids),
        "dated": dated,
        "running": request.exclude_source_id or NOWHERE,
        "own": _own_digest(request),
        "project": request.wing_id or NOWHERE,
        "horizon": request.horizon,
        **request.within.parameters,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, given)
        rows = cursor.fetchall()
    return (
        AllowedDrawer(id, room, role, datetime.fromtimestamp(at, UTC), *others)
        for id, room, role, at, *others in rows
    )


def _own_digest(request: RecallRequest) -> bytes:
    """The digest of the message, since the same question asked before is no answer. An explicit search
    excludes nothing."""
    return b"" if request.asked else text_digest(request.message)


def says_little(text: str) -> float:
    """How little a message says: 0 for a statement, 1 for one that only asks or cheers.

    Such messages often sit nearest to a question and answer nothing. Only words beyond the first twelve
    of a question, and cheers of more than ten words, count. A dense letter counts as a word.
    """
    spaced = text if text.isascii() else DENSE_LETTER.sub(" x ", text)
    if _TELLS_AT_ONCE.match(spaced):
        return 0.0
    count = 0
    for match in _SENTENCE.finditer(spaced):
        count += _informative_words(match[0].strip())
        if count >= ENOUGH_WORDS:
            return 0.0
    return 1.0 - count / ENOUGH_WORDS


def _informative_words(sentence: str) -> int:
    words = len(_WORD.findall(sentence))
    if sentence.endswith(_ASKS):
        return max(0, words - _IN_A_QUESTION)
    if sentence.endswith(_CHEERS) and words <= _IN_A_CHEER:
        return 0
    return words
