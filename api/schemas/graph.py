"""People, places and things and their dated relations, as the API tells and takes them."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from api.paging import Asked
from api.schemas.facts import Line
from api.schemas.values import Given, Moment, Name

Type = Literal["person", "animal", "place", "organisation", "project", "thing", "topic"]


class Entity(Schema):
    """A person, place or thing; the one of type `user` is the owner."""

    id: UUID
    name: str
    type: str
    attributes: dict[str, Any]
    created_at: datetime


class OtherName(Schema):
    """Another name under which an entity is found."""

    id: UUID
    name: str


class Words(Schema):
    """Words that say that a relation holds, or is over."""

    drawer_id: UUID
    words: str
    ends: bool


class Supported(Schema):
    """A relation with the words it rests on."""

    line: Line
    said: list[Words]


class Edit(Schema):
    """A change by its owner. Posting to `/graph/edits/{id}/undo` takes it back."""

    id: UUID
    kind: str
    at: datetime


class WholeEntity(Schema):
    """All that is known of an entity: what holds and what held, the newest first."""

    entity: Entity
    names: list[OtherName]
    current: list[Supported]
    past: list[Supported]
    near: list[Entity]
    edits: list[Edit]


class Turn(Schema):
    """A relation that began or `ended` then."""

    at: datetime
    ended: bool
    line: Line


class Neighbour(Schema):
    """An entity that is `hops` relations away."""

    entity: Entity
    hops: int


class Hop(Schema):
    """A step from one entity to the next, by any of these relations."""

    start: Entity
    end: Entity
    relations: list[Line]


class AsOf(Schema):
    """When: ever, if no moment is given."""

    at: Moment | None = None


class Near(AsOf):
    """How far to look, and when."""

    hops: Annotated[int, Field(ge=1, le=2)] = 1


class Between(AsOf):
    """Two entities, and when."""

    start: UUID
    end: UUID


class WantedEntities(Asked):
    """Which entities: those whose name has these words."""

    q: Annotated[str, Field(max_length=200)] = ""


class WantedRelations(Asked):
    """Which relations: of one entity or of all, ever or at a moment."""

    entity: UUID | None = None
    at: Moment | None = None


class EntityChange(Given):
    """Another name or type, and details by their names; an empty detail is taken away."""

    name: Name | None = None
    type: Type | None = None
    details: (
        Annotated[
            dict[
                Annotated[str, Field(min_length=1, max_length=100)],
                Annotated[str, Field(max_length=500)],
            ],
            Field(max_length=50),
        ]
        | None
    ) = None


class AlsoCalled(Given):
    """Another name."""

    name: Name


class SameAs(Given):
    """The entity that is taken for the same."""

    other: UUID


class Part(Given):
    """What is split off: its name and type, with the relations and names that go with it."""

    name: Name
    type: Type
    relations: Annotated[list[UUID], Field(max_length=500)] = []
    names: Annotated[list[UUID], Field(max_length=500)] = []


class Edited(Schema):
    """What was changed. Posting to `/graph/edits/{id}/undo` takes each of `edits` back."""

    edits: list[UUID]
