"""The values that pass between the stages of recall, and the trace they leave."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from django.utils import timezone

from memory.aaak import Pointer
from memory.narrowing import EVERYWHERE, Within
from memory.recall.dates import DateSpan
from memory.recall.recipes import DEFAULT, Recipe

A_DAY = timedelta(days=1)
LEAST_READ, READ_FOR_EACH = 20, 5
END_OF_TIME = datetime.max.replace(tzinfo=UTC)
NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """What a user chose about recall. An empty `embedding_model` is the deployment's default.

    `similarity_floor` lies on the calibrated scale from 0 to 1; `recency` is the weight of being
    recent, used when a message names no date; `timezone` is an IANA name. `time_limit_ms` takes
    the place of the recipe's own.
    """

    enabled: bool = True
    top_k: int = 5
    token_budget: int = 1500
    similarity_floor: float = 0.6
    rerank: bool = False
    rerank_model: str = "anthropic/claude-haiku-4.5"
    embedding_model: str = ""
    recency: float = 0.02
    inject_profile: bool = True
    timezone: str = "UTC"
    recipe: Recipe = DEFAULT
    time_limit_ms: int | None = None

    @property
    def patience_ms(self) -> int:
        """How long the database may work on one recall, in all."""
        return self.recipe.time_limit_ms if self.time_limit_ms is None else self.time_limit_ms

    @property
    def most_read(self) -> int:
        """How many hits are loaded to choose from: more than are told, because some repeat the
        question, some do not fit the budget, and a model may promote others."""
        return min(self.recipe.read, max(LEAST_READ, READ_FOR_EACH * self.top_k))

    @property
    def zone(self) -> tzinfo:
        """The user's time zone; UTC when this machine does not know its name."""
        try:
            return ZoneInfo(self.timezone)
        except (KeyError, ValueError, OSError):
            return ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """One message to find memories for. `history` holds the earlier turns of the user, newest
    last; drawers of `exclude_source_id`, the running conversation, are not recalled; those of
    `wing_id`, the project it is about, are preferred. `asked` says that the person asked for a
    search, which is then never skipped. `now` may be any moment;
    `called_at` is the real one, in whose month models are paid. `within` is for searches only."""

    user_id: UUID
    message: str
    now: datetime
    history: tuple[str, ...] = ()
    settings: RecallSettings = field(default_factory=RecallSettings)
    exclude_source_id: UUID | None = None
    wing_id: UUID | None = None
    asked: bool = False
    called_at: datetime = field(default_factory=timezone.now)
    within: Within = EVERYWHERE

    @property
    def horizon(self) -> datetime:
        """Before this moment lies what is recalled. From a day in the past one does not see what
        was said after it; today nothing is hidden, whatever the clock of an import said."""
        if self.called_at - self.now < A_DAY:
            return END_OF_TIME
        return datetime.combine(self.today + A_DAY, time.min, tzinfo=self.settings.zone)

    @property
    def today(self) -> date:
        """The user's own calendar day."""
        return self.now.astimezone(self.settings.zone).date()


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to search, with the reason as a sentence for the owner."""

    search: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for. `text` is what gets embedded; `words` is prepared for full-text search;
    `vague` says that the message alone would not have done and earlier turns were added."""

    text: str
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    span: DateSpan | None = None
    about_assistant: bool = False
    vague: bool = False


class Candidate(NamedTuple):
    """A drawer that some arm found, with what each signal gave it. Holds no text.

    `scores` are the measurements; `parts` says what each signal added to `score`, in its units.
    `brought_by` holds the ids of facts, people or things on which a signal rests.
    `span` is the half-open character range of its best passage; empty when no passage is known.
    """

    drawer_id: UUID
    room_id: UUID
    role: str
    said_at: datetime
    scores: Mapping[str, float] = NONE
    score: float = 0.0
    span: tuple[int, int] = (0, 0)
    parts: Mapping[str, float] = NONE
    brought_by: Mapping[str, tuple[UUID, ...]] = NONE

    def scored(self, score: float, parts: Mapping[str, float]) -> "Candidate":
        """The same candidate with this total, and with what each of these signals adds to it."""
        return Candidate(
            self.drawer_id,
            self.room_id,
            self.role,
            self.said_at,
            {**self.scores, **parts},
            score,
            self.span,
            {**self.parts, **parts},
            self.brought_by,
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """A recalled drawer with its address, its words, and one plain sentence why.

    `text` is verbatim; with `excerpt` it is a part of the drawer's words, still verbatim.
    `tokens` is its length, `span` the half-open character range of the best passage; `parts` and
    `brought_by` are those of the candidate. `remark` is what the owner wrote beside the words.
    """

    drawer_id: UUID
    pointer: Pointer
    wing: str
    wing_kind: str
    room: str
    closet: str
    room_id: UUID
    role: str
    said_at: datetime
    text: str
    reason: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    excerpt: bool = False
    tokens: int = 0
    span: tuple[int, int] = (0, 0)
    parts: Mapping[str, float] = field(default_factory=dict)
    brought_by: Mapping[str, tuple[UUID, ...]] = field(default_factory=dict)
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Degradation:
    """A part that could not do its work, and what that means, in a sentence."""

    part: str
    words: str


@dataclass(frozen=True, slots=True)
class Arm:
    """What one independent way of searching gave: drawers found, and how long it took."""

    found: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What the arms found together, how each of them fared, and what could not be asked.

    A candidate's scores are `cosine` (raw), `likeness` (calibrated) and `similarity` (the same
    within 0 to 1), `words` (BM25-like) and `coverage` (0 to 1), as far as an arm gave them, and
    `pointer` when the message names it. `trust` (0 to 1) is what likeness in meaning was worth.
    """

    candidates: tuple[Candidate, ...] = ()
    arms: Mapping[str, Arm] = field(default_factory=dict)
    degraded: tuple[Degradation, ...] = ()
    trust: float = 1.0


@dataclass(frozen=True, slots=True)
class Chosen:
    """What goes before the model, and what was left out and why."""

    hits: tuple[Hit, ...] = ()
    cut: tuple["Cut", ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """A candidate that was left out, at which stage (`floor`, `threshold`, `echo`, `top_k` or
    `budget`) and why, in a sentence."""

    drawer_id: UUID
    why: str
    stage: str


@dataclass(frozen=True, slots=True)
class Trace:
    """How a recall came to its result. Names drawers but never holds a copy of their words.

    `considered` are the best of the `found` candidates, `cut` those of them that were left out.
    `timings` gives milliseconds by stage, `profile_tokens` how much the profile took, `recipe` the
    name of the way it went.
    """

    decision: Decision
    query: Query | None = None
    arms: Mapping[str, Arm] = field(default_factory=dict)
    considered: tuple[Candidate, ...] = ()
    cut: tuple[Cut, ...] = ()
    degraded: tuple[Degradation, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    profile_tokens: int = 0
    recipe: str = DEFAULT.name
    found: int = 0


@dataclass(frozen=True, slots=True)
class Recall:
    """What to put before the model (empty when nothing fits), the drawers in it, and the trace.
    `profile` is what the block tells of the person."""

    block: str
    hits: tuple[Hit, ...]
    trace: Trace
    profile: str = ""
