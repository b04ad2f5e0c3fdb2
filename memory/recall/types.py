"""The values passed between recall stages and to retrievers, and the trace."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from textwrap import shorten
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone

from llm.types import EmbeddingModel, Vectors
from memory.aaak import Pointer
from memory.facts.retrieval import DateRange
from memory.mining.transcripts import Turn
from memory.models import EmbeddingSpace, MemoryPreferences
from memory.recall.weights import MAX_LOADED, TIME_LIMIT_MS
from memory.search.queries import EVERYWHERE, WHOLE_PALACE, SearchFilters, SearchScope
from memory.text.dates import DateSpan
from memory.text.languages import language_of
from memory.text.stop_words import FUNCTION_WORDS

A_DAY = timedelta(days=1)
MAX_PLACE_LENGTH = 60
MIN_READ, READ_PER_HIT = 20, 5
MAX_HITS, SEVERAL_FACTOR = 20, 2
"""A question that several passages answer gets twice as many drawers as others, but never more than 20."""
END_OF_TIME = datetime.max.replace(tzinfo=UTC)
NONE: Mapping[str, Any] = MappingProxyType({})
TRUST_IN_LATIN_SCRIPT, TRUST_IN_OTHER_SCRIPTS = 0.25, 0.1
"""What similarity is worth in a language the model does not read: it still knows names and loanwords."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """A user's recall settings. An empty `embedding_model` is the deployment's default.

    `similarity_floor` is on the calibrated scale from 0 to 1; `recency` is its weight when a message names
    no date; `several_k` replaces `top_k` when several passages answer together; `use_history` lets vague
    messages borrow words from earlier ones. `never_remember` lists excluded words and phrases, one per
    line; `timezone` is an IANA name; `max_loaded` limits how many hits are loaded.
    """

    enabled: bool = True
    top_k: int = 10
    several_k: int = 20
    token_budget: int = 1500
    similarity_floor: float = 0.6
    rerank: bool = False
    rerank_model: str = "anthropic/claude-haiku-4.5"
    embedding_model: str = ""
    recency: float = 0.02
    inject_profile: bool = True
    use_history: bool = True
    never_remember: str = ""
    timezone: str = "UTC"
    time_limit_ms: int = TIME_LIMIT_MS
    max_loaded: int = MAX_LOADED

    @property
    def load_limit(self) -> int:
        """How many hits are loaded: more than top-K, because some repeat the question, some exceed the
        budget, and a reranker may promote others."""
        return min(self.max_loaded, max(MIN_READ, READ_PER_HIT * self.top_k))

    def limit_for(self, query: "Query") -> int:
        """The maximum number of hits for a question."""
        return self.several_k if query.several else self.top_k

    def limited_to(self, hits: int) -> "RecallSettings":
        """The settings with at most this many hits, whatever the question."""
        return replace(self, top_k=hits, several_k=hits)

    @property
    def zone(self) -> tzinfo:
        """The user's time zone; UTC when the name is unknown."""
        try:
            return ZoneInfo(self.timezone)
        except (KeyError, ValueError, OSError):
            return ZoneInfo("UTC")


def settings_from(preferences: MemoryPreferences) -> RecallSettings:
    """The recall settings for these preferences; `RECALL_PATIENCE` scales the time limit on slow machines."""
    return RecallSettings(
        enabled=preferences.enabled,
        time_limit_ms=TIME_LIMIT_MS * settings.RECALL_PATIENCE,
        top_k=preferences.top_k,
        several_k=min(MAX_HITS, SEVERAL_FACTOR * preferences.top_k),
        token_budget=preferences.token_budget,
        similarity_floor=preferences.similarity_floor,
        rerank=preferences.use_rerank,
        rerank_model=preferences.rerank_model,
        embedding_model=preferences.embedding_model,
        inject_profile=preferences.inject_profile,
        use_history=preferences.use_history,
        recency=preferences.recency,
        never_remember=preferences.never_remember,
        timezone=preferences.time_zone,
    )


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """One message to find memories for.

    `history` holds the user's earlier turns, newest last. Drawers of `exclude_source_id`, the running
    conversation, are skipped; those of `wing_id`, its project, are preferred. `explicit` marks a search
    by the user or a program, which is never skipped; `within` narrows it. `quoted` says that the hits are
    quoted to the user and no model reads `history`, so its statements count too. `now` may be any moment;
    `called_at` is the real time, and model costs are booked to its month.
    """

    user_id: UUID
    message: str
    now: datetime
    history: tuple[str, ...] = ()
    settings: RecallSettings = field(default_factory=RecallSettings)
    exclude_source_id: UUID | None = None
    wing_id: UUID | None = None
    explicit: bool = False
    quoted: bool = False
    called_at: datetime = field(default_factory=timezone.now)
    within: SearchFilters = EVERYWHERE

    @property
    def horizon(self) -> datetime:
        """Drawers said from this moment on are hidden. That only affects recalls from a past day: today
        nothing is hidden, whatever clock an import used."""
        if self.called_at - self.now < A_DAY:
            return END_OF_TIME
        return datetime.combine(self.today + A_DAY, time.min, tzinfo=self.settings.zone)

    @property
    def today(self) -> date:
        """The day on the user's calendar."""
        return self.now.astimezone(self.settings.zone).date()


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to search, and why, as a sentence for the user."""

    search: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Query:
    """The query: `text` is embedded, `words` go to full-text search. `several` asks for a list, a count, an
    order or a comparison, which several passages answer together. `vague` says that terms from earlier
    turns were added."""

    text: str
    words: tuple[str, ...] = ()
    span: DateSpan | None = None
    about_assistant: bool = False
    several: bool = False
    vague: bool = False


@dataclass(frozen=True, slots=True)
class Unfiled:
    """A message that has no drawer yet, and its chat."""

    source_id: UUID
    title: str
    turn: Turn


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """The question's vector with its model and space. `trust` (0 to 1) is what similarity is worth in
    the question's language; `indexed` says that an ANN index covers the user's vectors."""

    model: EmbeddingModel
    space: EmbeddingSpace
    vector: Vectors
    trust: float = 1.0
    indexed: bool = False

    def calibrated(self, cosine: float) -> float:
        """The calibrated similarity (0 to 1) for a raw cosine, scaled by trust."""
        return self.trust * self.model.calibrated_question(cosine)


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What every retriever receives. `meaning` is None if the question has no vector; `scope` limits
    the search; `unfiled` are messages that have no drawer yet."""

    request: RecallRequest
    query: Query
    meaning: Meaning | None = None
    scope: SearchScope = WHOLE_PALACE
    unfiled: tuple[Unfiled, ...] = ()

    @property
    def user_id(self) -> UUID:
        return self.request.user_id

    @property
    def date_range(self) -> DateRange:
        """The time asked about: the days the question names, or else the present moment."""
        span, zone = self.query.span, self.request.settings.zone
        if span is None:
            return DateRange(self.request.now, self.request.now)
        return DateRange(
            datetime.combine(span.start, time.min, zone), datetime.combine(span.end, time.min, zone)
        )


class Finding(NamedTuple):
    """A drawer with its signals, the half-open character range of its best passage if known, and the
    ids of the facts (`facts`) and entities (`graph`) that led to it. `unfiled` is the message if it has no
    drawer yet; its drawer will have the same id."""

    drawer_id: UUID
    signals: Mapping[str, float]
    span: tuple[int, int] | None = None
    retrievers: Mapping[str, tuple[UUID, ...]] = NONE
    unfiled: Unfiled | None = None


Search = Callable[[SearchContext, int], Iterable[Finding]]
"""A retriever: takes the context and the maximum number of drawers."""


def trust_in_meaning(question: str, model: EmbeddingModel) -> float:
    """How far (0 to 1) this model's similarity can be trusted for the language of a question."""
    language = language_of(question)
    if not model.languages or not language or language in model.languages:
        return 1.0
    return TRUST_IN_LATIN_SCRIPT if language in FUNCTION_WORDS else TRUST_IN_OTHER_SCRIPTS


@dataclass(frozen=True, slots=True)
class Candidate:
    """A drawer found by some retriever, or a message that is `unfiled`. Holds no text of drawers.

    `scores` are raw signals; `parts` what each contributed to `score`. `retrievers` holds the ids of facts
    and entities that led here. `span` is the half-open range of the best passage, empty if unknown.
    """

    drawer_id: UUID
    room_id: UUID
    role: str
    said_at: datetime
    scores: Mapping[str, float] = field(default_factory=dict)
    score: float = 0.0
    span: tuple[int, int] = (0, 0)
    parts: Mapping[str, float] = field(default_factory=dict)
    retrievers: Mapping[str, tuple[UUID, ...]] = field(default_factory=dict)
    unfiled: Unfiled | None = None

    def scored(self, score: float, parts: Mapping[str, float]) -> "Candidate":
        """The same candidate with this score and its parts."""
        return replace(self, scores={**self.scores, **parts}, score=score, parts=parts)

    @property
    def unfiled_in(self) -> UUID | None:
        """The chat of a message that is not filed yet."""
        return self.unfiled.source_id if self.unfiled else None


class Ended(NamedTuple):
    """A fact that a drawer states, and the moment from which it is no longer true."""

    statement: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(Candidate):
    """A recalled candidate with its address, its text, and a sentence that says why it was recalled.

    `text` is verbatim, a part of the drawer when `excerpt` is set; `tokens` is its length. `remark` is the
    user's annotation, `ended` what the drawer says that is no longer true. A message that is not filed yet
    has no pointer and no wing, and the chat's title as its room.
    """

    text: str
    reason: str = ""
    pointer: Pointer | None = None
    wing: str = ""
    wing_kind: str = ""
    room: str = ""
    closet: str = ""
    excerpt: bool = False
    tokens: int = 0
    remark: str = ""
    ended: tuple[Ended, ...] = ()

    @property
    def place(self) -> str:
        """Its place, as people and models read it: wing and closet, or the chat."""
        if self.unfiled is None:
            return f"{self.wing} › {self.closet}"
        return shorten(self.room, MAX_PLACE_LENGTH, placeholder=" …") or "a chat"


@dataclass(frozen=True, slots=True)
class Degradation:
    """A part that failed, and a sentence about the consequences."""

    part: str
    words: str


@dataclass(frozen=True, slots=True)
class RetrieverRun:
    """The drawers one retriever found, and how long it took."""

    found: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The candidates of all retrievers.

    Candidate scores: `cosine` (raw), `scaled_cosine` (calibrated), `similarity` (the same clamped to 0 to 1),
    `words` (BM25-like), `coverage`, `known` and `skill` (0 to 1), `known_boost` and `pointer`. `trust` (0 to
    1) is what similarity is worth in the question's language, `margin` how much more similarity than usual
    an answer needs, given the languages of the question and the drawers.
    """

    candidates: tuple[Candidate, ...]
    trust: float
    margin: float


class Chosen(NamedTuple):
    """The recalled hits, and what was left out."""

    hits: tuple[Hit, ...]
    cut: tuple["Cut", ...]


class Cut(NamedTuple):
    """A candidate that was left out, why, and at which stage: `floor`, `threshold`, `echo`, `copy`, `top_k`
    or `budget`. In the first two, its `similarity` is below the `minimum`."""

    drawer_id: UUID
    why: str
    stage: str
    similarity: float | None = None
    minimum: float | None = None


@dataclass(slots=True)
class Trace:
    """How a recall arrived at its result, without the words of any drawer. The stages add to it.

    `considered` are the best of the `found` candidates, `cut` those of them that were left out; `timings`
    are in milliseconds by stage.
    """

    decision: Decision
    query: Query | None = None
    retrievers: dict[str, RetrieverRun] = field(default_factory=dict)
    considered: tuple[Candidate, ...] = ()
    cut: list[Cut] = field(default_factory=list)
    degraded: list[Degradation] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    profile_tokens: int = 0
    found: int = 0


@dataclass(frozen=True, slots=True)
class Recall:
    """The recalled context block (empty when nothing matches), its hits, the profile text in it and the
    trace."""

    block: str
    hits: tuple[Hit, ...]
    trace: Trace
    profile: str = ""
