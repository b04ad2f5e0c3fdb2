"""Facts and relations, as the API tells and takes them.

A fact is named in every vocabulary: `kind` and `memory_type` are ours; `nature` (factual,
preference, behavioral, episodic, procedural) and `section` (profile, preferences, technical,
projects, other) are those of older clients. Wherever a kind is asked for, any of them will do.
"""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import AfterValidator, Field

from api.schemas.values import Given, Ids, Moment
from memory.facts.statements import STATEMENT_LIMIT
from memory.kinds import KINDS, kind_of, nature_of, section_of

State = Literal["active", "pending_review", "superseded", "rejected"]
Subject = Literal[
    "",
    "name",
    "home_city",
    "employer",
    "occupation",
    "spouse",
    "partner",
    "birthday",
    "hometown",
    "diet",
    "university",
]


def _known_kind(name: str) -> str:
    kind = kind_of(name)
    if kind is None:
        raise ValueError(f"there is no such kind; there are {', '.join(KINDS)}")
    return kind


KindName = Annotated[
    str,
    Field(max_length=40, description="A kind of fact, in any of the vocabularies."),
    AfterValidator(_known_kind),
]
Statement = Annotated[str, Field(min_length=5, max_length=STATEMENT_LIMIT)]
Value = Annotated[str, Field(max_length=300)]


class Fact(Schema):
    """One statement about the owner of the palace, true from `valid_from` until `valid_to`, which
    is not included."""

    id: UUID
    kind: str
    memory_type: str
    nature: str
    section: str
    key: str
    value: str
    statement: str
    predicate: str
    object: str
    event_time: datetime | None
    persons: list[str]
    entities: list[str]
    location: str
    topic: str
    confidence: float
    importance: float
    authority: str
    source_kind: str
    status: str
    review_reason: str
    valid_from: datetime
    valid_to: datetime | None
    ended_at: datetime | None
    superseded_by_id: UUID | None
    version: int
    times_seen: int
    times_recalled: int
    last_recalled_at: datetime | None
    mined_by: str
    recorded_at: datetime
    archived_at: datetime | None

    @staticmethod
    def resolve_nature(fact: Any) -> str:
        """The kind in the vocabulary of natures."""
        return nature_of(fact.kind)

    @staticmethod
    def resolve_section(fact: Any) -> str:
        """The kind in the vocabulary of sections."""
        return section_of(fact.kind)


class Quote(Schema):
    """The words a fact rests on, and the drawer they stand in."""

    drawer_id: UUID
    words: str


class KnownFact(Schema):
    """A fact with its words, those that still exist."""

    fact: Fact
    quotes: list[Quote]


class FactInDrawer(Schema):
    """A fact known from a drawer; `start` and `end` are the half-open range of its words."""

    fact: Fact
    start: int
    end: int


class Line(Schema):
    """A relation: `subject` knows `object`, from when until when. An empty name is the owner."""

    id: UUID
    subject_id: UUID
    subject: str
    relation: str
    object_id: UUID
    object: str
    valid_from: datetime
    valid_to: datetime | None
    drawer_id: UUID


class Known(Schema):
    """What rests on the words of a drawer."""

    facts: list[FactInDrawer]
    relations: list[Line]


class Evidence(Schema):
    """The words around those a fact rests on; `start` and `end` count in `text`."""

    drawer_id: UUID
    text: str
    start: int
    end: int

    @staticmethod
    def resolve_drawer_id(evidence: Any) -> UUID:
        """The drawer is that of the source."""
        found: UUID = evidence.source.drawer_id
        return found


class Version(Schema):
    """A form the fact had before its owner decided about it, or, if `undone`, after that."""

    number: int
    statement: str
    status: str
    replaced_at: datetime
    undone: bool


class Relative(Schema):
    """A fact that means much the same, how much in percent, and whether it is the same."""

    fact: Fact
    percent: int
    is_same: bool


class WholeFact(Schema):
    """All there is to say about one fact."""

    fact: Fact
    evidence: list[Evidence]
    versions: list[Version]
    other_values: list[Fact]
    relatives: list[Relative]
    against: Fact | None


class Waiting(Schema):
    """A fact that waits for a decision, what it contradicts, and what it could be merged into."""

    known: KnownFact
    against: KnownFact | None
    relatives: list[Relative]


class NewFact(Given):
    """A fact to write down. What it is `about` can have one answer at a time: a new one ends the
    old one, and needs its `value`."""

    statement: Statement
    kind: KindName = "other"
    value: Value = ""
    since: Moment | None = None
    about: Subject = ""


class NewWording(Given):
    """A fact in other words; what is left out stays."""

    statement: Statement | None = None
    kind: KindName | None = None
    value: Value | None = None
    since: Moment | None = None


class Ending(Given):
    """When a fact was over: now, if nothing is given."""

    at: Moment | None = None


class Several(Given):
    """Facts to decide about at once."""

    facts: Ids


class MergedInto(Given):
    """The fact that another goes up in."""

    into: UUID


class Noted(Schema):
    """The fact that was written down; null when it was known already."""

    id: UUID | None


class DecidedFact(Schema):
    """A fact as a decision left it."""

    id: UUID
    status: str
    version: int


class Decided(Schema):
    """What was decided. Posting to `/decisions/{id}/undo` takes it back."""

    id: UUID
    facts: list[DecidedFact]
