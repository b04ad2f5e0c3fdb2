"""The values passed between the stages of mining."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from memory.aaak import Tags
from memory.facts.vocabulary import KINDS

Method = Literal["model", "reader"]
FallbackReason = Literal["", "no_endpoint", "unavailable", "budget", "declined", "unreadable", "nothing"]
Authority = Literal["user", "assistant", "tool", "external"]

WING_KINDS = ("person", "project", "topic", "agent")

FACT_KINDS = tuple(KINDS)


@dataclass(frozen=True, slots=True)
class WingGuess:
    """The subject a window belongs to, before it is resolved to a stored wing."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class TurnPlacement:
    """Where one turn is filed inside its room, and its tags."""

    message_id: UUID
    topic: str
    tags: Tags = field(default_factory=Tags)


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """One self-contained statement about the user with its exact source words.

    `span` is the half-open character range of `quote` in the content of the source turn.
    `valid_from` is when it started to be true (default: when it was said), `valid_to` when it
    stopped, if that was said; `event_time` when a dated event takes place. `single_valued`: a
    new object ends the old one ("lives in"). `ended`: the words say that the fact no longer holds ("I no
    longer use Ubuntu"), since `valid_to` or the time they were said. An `unsure` fact waits for review, and
    screening sets the `review_reason`, in sentences.
    """

    message_id: UUID
    kind: str
    key: str
    value: str
    statement: str
    predicate: str
    object: str
    quote: str
    span: tuple[int, int]
    confidence: float
    authority: Authority = "user"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    ended: bool = False
    event_time: datetime | None = None
    single_valued: bool = False
    persons: tuple[str, ...] = ()
    location: str = ""
    unsure: bool = False
    review_reason: str = ""


@dataclass(frozen=True, slots=True)
class ExtractedEntity:
    """A node of the knowledge graph named in a turn. `type` is person, place, organisation,
    project, animal, thing or topic."""

    name: str
    type: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractedRelation:
    """A dated edge between two entities, by name; "user" is the owner of the palace.

    `ended`: the words say that the relation no longer holds ("I no longer work at …").
    """

    message_id: UUID
    subject: str
    relation: str
    object: str
    quote: str
    confidence: float
    single_valued: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """One item that was not accepted. `reason` is a sentence for the owner that never repeats their words."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything extracted from one window. If the reader was used instead of a model, `notes` say why in
    sentences and `fallback_reason` as a keyword."""

    method: Method
    wing: WingGuess
    placements: tuple[TurnPlacement, ...]
    facts: tuple[ExtractedFact, ...] = ()
    entities: tuple[ExtractedEntity, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    fallback_reason: FallbackReason = ""
