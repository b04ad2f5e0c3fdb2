"""Schemas that several resources share: identifiers, undo references, and cursor pagination."""

from base64 import b64decode, urlsafe_b64encode
from binascii import Error
from datetime import UTC, datetime
from operator import not_
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from django.db.models import QuerySet
from ninja import Schema
from pydantic import AfterValidator, AwareDatetime, BeforeValidator, ConfigDict, Field

from memory.paging import CursorUnreadable, Page, paginate

EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
DEFAULT_LIMIT, MAX_LIMIT = 50, 100
Item = TypeVar("Item")


class StrictSchema(Schema):
    """A request body; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid")


def _in_range(moment: datetime) -> datetime:
    if not EARLIEST <= moment < LATEST:
        raise ValueError("Input should be between the years 1900 and 2199")
    return moment


Moment = Annotated[
    AwareDatetime,
    AfterValidator(_in_range),
    Field(description="ISO 8601 with a UTC offset, such as 2026-03-01T08:30:00Z."),
]
Year = Annotated[int, Field(ge=1, le=9998)]
Text = Annotated[str, BeforeValidator(str)]
Truncated = Annotated[bool, AfterValidator(not_), Field(validation_alias="is_whole")]
Name = Annotated[str, Field(min_length=1, max_length=200)]
OptionalName = Annotated[str, Field(max_length=200)]
SearchWords = Annotated[str, Field(max_length=200, description="Words to search for.")]
Ids = Annotated[list[UUID], Field(min_length=1, max_length=200)]
JsonObject = dict[str, Any]


class Id(Schema):
    """The id of the object that was created or changed."""

    id: UUID


class OptionalId(Schema):
    """The id of the object that was created; null if there was nothing to create."""

    id: UUID | None


class Count(Schema):
    """How many objects the request affected."""

    count: int


class Deletion(Schema):
    """What was moved to the trash. Undo it within 30 days with `POST /undo/{id}`."""

    id: UUID
    drawers: int = Field(validation_alias="counts.drawers")
    facts: int = Field(validation_alias="counts.facts")
    relations: int = Field(validation_alias="counts.relations")


class Revision(Schema):
    """The status and version of an object after a decision."""

    id: UUID
    status: str
    version: int


class NewName(StrictSchema):
    """A new name."""

    name: Name


class MergeSource(StrictSchema):
    """The object to merge into the one named in the path."""

    other: UUID


class Destination(StrictSchema):
    """Where to move or merge the object named in the path."""

    into: UUID


class PageQuery(Schema):
    """Which page of a list to return."""

    cursor: Annotated[
        str, Field(max_length=200, description="`next` of the previous page; empty for the first page.")
    ] = ""
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT, description="Maximum number of items.")] = DEFAULT_LIMIT

    @property
    def after(self) -> str:
        """The decoded cursor. Raises CursorUnreadable."""
        if not self.cursor:
            return ""
        try:
            padded = self.cursor + "=" * (-len(self.cursor) % 4)
            return b64decode(padded.encode("ascii"), b"-_", validate=True).decode("ascii")
        except (Error, ValueError) as error:
            raise CursorUnreadable from error

    def page_of(self, rows: "QuerySet[Any, Item]", moment: str) -> Page[Item]:
        """The page of these rows, ordered by time and then by id, such as `-created_at`. Raises
        CursorUnreadable."""
        sign = "-" if moment.startswith("-") else ""
        return paginate(rows, moment, f"{sign}id", self.after, self.limit)


class SearchQuery(PageQuery):
    """The words to search for, and which page of the matches to return."""

    q: SearchWords = ""


def _opaque(after: str) -> str | None:
    return urlsafe_b64encode(after.encode()).decode().rstrip("=") or None


class Paged(Schema, Generic[Item]):
    """A page of a list. `next` is the cursor of the next page; null on the last one."""

    items: list[Item]
    next: Annotated[str | None, BeforeValidator(_opaque), Field(validation_alias="after")]
