"""Values that many answers and requests share."""

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Schema
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, ConfigDict, Field

FIRST, LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


class Given(Schema):
    """Something a request brings; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


def _within_reach(moment: datetime) -> datetime:
    if not FIRST <= moment < LAST:
        raise ValueError("a moment lies between the years 1900 and 2199")
    return moment


Moment = Annotated[
    AwareDatetime,
    AfterValidator(_within_reach),
    Field(description="ISO 8601 with its time zone, such as 2026-03-01T09:30:00+01:00."),
]
Text = Annotated[str, BeforeValidator(str)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
OptionalName = Annotated[str, Field(max_length=200)]
Number = Annotated[int, Field(ge=0, le=2**31 - 1)]
Ids = Annotated[list[UUID], Field(min_length=1, max_length=200)]
Plain = dict[str, Any]


class Made(Schema):
    """The id of what was made."""

    id: UUID


class Count(Schema):
    """How many were concerned."""

    count: int


class Deleted(Schema):
    """What went into the trash together. Posting to `/trash/{id}/undo` takes it back for 30 days."""

    id: UUID
    drawers: int
    facts: int
    relations: int
