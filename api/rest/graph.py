"""The temporal knowledge graph: reading it, now and as it was, and what its owner changes."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.rest import facts as known
from api.rest.facts import Line
from api.rest.paging import Asked, Paged, paged
from api.rest.values import Given, Moment, Name
from memory.facts.queries import RelationChoice, entities_named, line_of, relations_at
from memory.graph import editing
from memory.graph.traversal import Hop as Step
from memory.graph.traversal import neighbours, paths
from memory.models import ChangeSet
from memory.pages.graph.entity_queries import EntityPage, entity_page

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
    at: datetime = Field(validation_alias="made_at")


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


router = Router(tags=["Graph"])


@router.get("entities", response=Paged[Entity], summary="People, places and things")
def entities(request: BearerRequest, asked: Query[WantedEntities]) -> Any:
    """All that have a name, in the order they were met."""
    return paged(entities_named(request.user.id, asked.q, asked.after, asked.limit))


@router.get("entities/{uuid:entity_id}", response=WholeEntity, summary="One of them")
def entity(request: BearerRequest, entity_id: UUID) -> Any:
    """Its relations of today and of the past, with the words they rest on."""
    return _page(request, entity_id)


@router.get("entities/{uuid:entity_id}/timeline", response=list[Turn], summary="What happened when")
def entity_timeline(request: BearerRequest, entity_id: UUID) -> Any:
    """When each relation of an entity began and ended, newest first."""
    return _page(request, entity_id).events


@router.get(
    "entities/{uuid:entity_id}/neighbours",
    response=list[Neighbour],
    summary="What is near it",
)
def entity_neighbours(request: BearerRequest, entity_id: UUID, asked: Query[Near]) -> Any:
    """Entities at one or two relations' distance, the nearest first."""
    _page(request, entity_id)
    return neighbours(request.user.id, entity_id, hops=asked.hops, at=asked.at)


@router.get("relations", response=Paged[known.Line], summary="Relations, newest first")
def relations(request: BearerRequest, asked: Query[WantedRelations]) -> Any:
    """All relations or those of one entity, ever or as they were at a moment."""
    if asked.entity is not None:
        _page(request, asked.entity)
    chosen = RelationChoice(entity_id=asked.entity, at=asked.at)
    found = relations_at(request.user.id, chosen, after=asked.after, most=asked.limit)
    return paged(found)


@router.get("paths", response=list[list[Hop]], summary="How two are connected")
def paths_between(request: BearerRequest, asked: Query[Between]) -> Any:
    """The shortest ways between two entities, in either direction of the relations."""
    for each in (asked.start, asked.end):
        _page(request, each)
    found = paths(request.user.id, asked.start, asked.end, at=asked.at)
    return [[_hop(hop) for hop in way] for way in found]


@router.patch("entities/{uuid:entity_id}", response=Edited, auth=WRITE, summary="Change one of them")
def change_entity(request: BearerRequest, entity_id: UUID, change: EntityChange) -> Any:
    """Another name or type, or details; its old name still finds it."""
    _page(request, entity_id)
    return {"edits": _apply(request.user.id, entity_id, change, timezone.now())}


@router.post("entities/{uuid:entity_id}/names", response=Edited, auth=WRITE, summary="Add a name")
def name_entity(request: BearerRequest, entity_id: UUID, new: AlsoCalled) -> Any:
    """Let it be found by another name too."""
    return _made(editing.add_name(request.user.id, entity_id, new.name, timezone.now()))


@router.delete(
    "entities/{uuid:entity_id}/names/{uuid:name_id}",
    response=Edited,
    auth=WRITE,
    summary="Take a name away",
)
def unname_entity(request: BearerRequest, entity_id: UUID, name_id: UUID) -> Any:
    """Let one of its other names no longer find it."""
    return _made(editing.remove_name(request.user.id, entity_id, name_id, timezone.now()))


@router.post("entities/{uuid:entity_id}/merge", response=Edited, auth=WRITE, summary="Merge two")
def merge_entities(request: BearerRequest, entity_id: UUID, given: SameAs) -> Any:
    """Take another one for the same as this one, which keeps its name."""
    return _made(editing.merge(request.user.id, entity_id, given.other, timezone.now()))


@router.post("entities/{uuid:entity_id}/split", response=Edited, auth=WRITE, summary="Split one in two")
def split_entity(request: BearerRequest, entity_id: UUID, given: Part) -> Any:
    """Make another one of some of its relations and names."""
    part = editing.Part(given.name, given.type, tuple(given.relations), tuple(given.names))
    return _made(editing.split(request.user.id, entity_id, part, timezone.now()))


@router.post("graph/edits/{uuid:edit_id}/undo", response=Edited, auth=WRITE, summary="Take it back")
def undo_edit(request: BearerRequest, edit_id: UUID) -> Any:
    """Take back what was changed about a person, place or thing."""
    return _made(editing.undo(request.user.id, edit_id, timezone.now()))


def _page(request: BearerRequest, entity_id: UUID) -> EntityPage:
    return entity_page(request.user.id, entity_id, timezone.now())


def _made(edit: ChangeSet) -> dict[str, Any]:
    return {"edits": [edit.id]}


def _hop(hop: Step) -> dict[str, Any]:
    lines = [line_of(relation) for relation in hop.relations]
    return {"start": hop.start, "end": hop.end, "relations": lines}


def _apply(user_id: UUID, entity_id: UUID, change: EntityChange, now: datetime) -> list[UUID]:
    """Name an entity, say its type and note details as asked; returns what takes each change back.
    Raises NoSuchEntity and EditRefused, and changes nothing then."""
    made = []
    with transaction.atomic():
        if change.name is not None:
            made.append(editing.rename(user_id, entity_id, change.name, now))
        if change.type is not None:
            made.append(editing.retype(user_id, entity_id, change.type, now))
        for detail in (change.details or {}).items():
            made.append(editing.set_detail(user_id, entity_id, detail, now))
    return [edit.id for edit in made]
