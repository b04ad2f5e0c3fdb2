"""The shape of the model's answer, as checks for what came back and as the schema it must obey."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from memory.mining.types import FACT_KINDS, WING_KINDS

SCHEMA_NAME = "memory_extraction"
ENTITY_TYPES = ("person", "place", "organisation", "project", "animal", "thing", "topic")
SOURCES = ("stated", "inferred")

WingKind = Annotated[str, Field(json_schema_extra={"enum": list(WING_KINDS)})]
FactKind = Annotated[str, Field(json_schema_extra={"enum": list(FACT_KINDS)})]
EntityType = Annotated[str, Field(json_schema_extra={"enum": list(ENTITY_TYPES)})]
Source = Annotated[str, Field(json_schema_extra={"enum": list(SOURCES)})]
Confidence = Annotated[float, Field(allow_inf_nan=False)]


class Answered(BaseModel):
    """Anything in the answer: exact types, no key that was not asked for."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AnsweredTags(Answered):
    """Short phrases of one turn."""

    people: list[str]
    places: list[str]
    events: list[str]
    items: list[str]
    times: list[str]


class AnsweredWing(Answered):
    """The subject of the window."""

    kind: WingKind
    name: str


class AnsweredTurn(Answered):
    """Where one turn belongs; `id` is local to the window."""

    id: str
    topic: str
    tags: AnsweredTags


class AnsweredFact(Answered):
    """One statement about the user, or the end of one; dates are ISO 8601, of any precision from
    the year on."""

    turn: str
    kind: FactKind
    key: str
    value: str
    statement: str
    predicate: str
    object: str
    quote: str
    source: Source
    confidence: Confidence
    single_valued: bool
    valid_from: str | None
    valid_to: str | None
    ended: bool
    event_time: str | None
    persons: list[str]
    location: str


class AnsweredEntity(Answered):
    """A named node of the graph."""

    name: str
    type: EntityType
    aliases: list[str]


class AnsweredRelation(Answered):
    """A dated edge of the graph; "user" stands for the owner."""

    turn: str
    subject: str
    relation: str
    object: str
    quote: str
    confidence: Confidence
    single_valued: bool
    valid_from: str | None
    valid_to: str | None
    ended: bool


class Answer(Answered):
    """One whole answer. Used for the schema; what comes back is checked item by item."""

    wing: AnsweredWing
    turns: list[AnsweredTurn]
    facts: list[AnsweredFact]
    entities: list[AnsweredEntity]
    relations: list[AnsweredRelation]


def answer_schema() -> dict[str, Any]:
    """The JSON schema of an answer for strict structured output: every key required, no other."""
    return Answer.model_json_schema()
