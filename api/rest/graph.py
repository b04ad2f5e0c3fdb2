"""The temporal knowledge graph: entities, relations, paths, and edits."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import WRITE
from api.rest.facts import Quote, Relation
from api.rest.schemas import MergeSource, Moment, Name, NewName, Paged, PageQuery, SearchQuery, StrictSchema
from memory.facts.queries import RelationChoice, entities_page, relations_at
from memory.graph import editing, traversal
from memory.graph.resolution import known_entity
from memory.models import ChangeSet

router = Router(tags=["Graph"])
EntityType = Literal["person", "animal", "place", "organisation", "project", "thing", "topic"]
AttributeName = Annotated[str, Field(min_length=1, max_length=100)]
Attributes = dict[AttributeName, Annotated[str, Field(max_length=500)]]


class Entity(Schema):
    """A person, place or thing. The entity of type `user` is the owner."""

    id: UUID
    name: str
    type: str
    attributes: dict[str, Any]
    created_at: datetime


class Alias(Schema):
    """Another name of an entity."""

    id: UUID
    name: str


class RelationQuote(Quote):
    """The words that say that a relation holds, or that it `ends`."""

    ends: bool = Field(validation_alias="source.ends")


class RelationWithQuotes(Schema):
    """A relation with its quotes."""

    relation: Relation
    quotes: list[RelationQuote]


class GraphEdit(Schema):
    """An edit of an entity. Undo it with `POST /undo/{id}`."""

    id: UUID
    kind: str
    at: datetime = Field(validation_alias="made_at")


class EntityDetails(Schema):
    """An entity with its current and past relations, newest first."""

    entity: Entity
    aliases: list[Alias]
    current: list[RelationWithQuotes]
    past: list[RelationWithQuotes]
    neighbours: list[Entity]
    edits: list[GraphEdit]


class RelationEvent(Schema):
    """The beginning of a relation, or its end if `ended`."""

    at: datetime
    ended: bool
    relation: Relation


class Neighbour(Schema):
    """An entity that is `hops` relations away."""

    entity: Entity
    hops: int


class PathStep(Schema):
    """One step of a path and the relations that connect its two entities."""

    start: Entity
    end: Entity
    relations: list[Relation]


class AsOf(Schema):
    """The moment to look at; all time if omitted."""

    at: Moment | None = None


class NeighbourQuery(AsOf):
    """How far to look, and as of when."""

    hops: Annotated[int, Field(ge=1, le=2)] = 1


class PathQuery(AsOf):
    """The two entities to connect, and as of when."""

    start: UUID
    end: UUID


class RelationQuery(PageQuery):
    """Which relations to list: of one entity or all, at a moment or of all time."""

    entity: UUID | None = None
    at: Moment | None = None


class EntityUpdate(StrictSchema):
    """The fields to change. An attribute with an empty value is removed; others stay as they are."""

    name: Name | None = None
    type: EntityType | None = None
    attributes: Annotated[Attributes, Field(max_length=50)] | None = None


class EntitySplit(StrictSchema):
    """The new entity, and the relations and aliases that move to it."""

    name: Name
    type: EntityType
    relations: Annotated[list[UUID], Field(max_length=500)] = []
    aliases: Annotated[list[UUID], Field(max_length=500)] = []


class GraphEdits(Schema):
    """The ids of the edits made. Undo each with `POST /undo/{id}`."""

    edits: list[UUID]


@router.get("entities", response=Paged[Entity])
def list_entities(request: BearerRequest, query: Query[SearchQuery]) -> Any:
    """List people, places and things, oldest first."""
    return entities_page(request.user.id, query.q, query.after, query.limit)


@router.get("entities/{uuid:entity_id}", response=EntityDetails)
def get_entity(request: BearerRequest, entity_id: UUID) -> Any:
    """Get an entity with its current and past relations."""
    return traversal.entity_page(request.user.id, entity_id, timezone.now())


@router.get("entities/{uuid:entity_id}/timeline", response=list[RelationEvent])
def get_entity_timeline(request: BearerRequest, entity_id: UUID) -> Any:
    """List when the relations of an entity began and ended, newest first."""
    return list(traversal.history_of(known_entity(request.user.id, entity_id)))


@router.get("entities/{uuid:entity_id}/neighbours", response=list[Neighbour])
def list_entity_neighbours(request: BearerRequest, entity_id: UUID, query: Query[NeighbourQuery]) -> Any:
    """List the neighbours of an entity at one or two hops, nearest first."""
    known_entity(request.user.id, entity_id)
    return list(traversal.neighbours(request.user.id, entity_id, hops=query.hops, at=query.at))


@router.get("relations", response=Paged[Relation])
def list_relations(request: BearerRequest, query: Query[RelationQuery]) -> Any:
    """List relations, newest first."""
    if query.entity is not None:
        known_entity(request.user.id, query.entity)
    chosen = RelationChoice(entity_id=query.entity, at=query.at)
    return relations_at(request.user.id, chosen, after=query.after, limit=query.limit)


@router.get("paths", response=list[list[PathStep]])
def find_paths(request: BearerRequest, query: Query[PathQuery]) -> Any:
    """Find the shortest paths between two entities, ignoring the direction of relations."""
    for each in (query.start, query.end):
        known_entity(request.user.id, each)
    return list(traversal.paths(request.user.id, query.start, query.end, at=query.at))


@router.patch("entities/{uuid:entity_id}", response=GraphEdits, auth=WRITE)
def update_entity(request: BearerRequest, entity_id: UUID, change: EntityUpdate) -> Any:
    """Change the name, type or attributes of an entity.

    The old name still finds it."""
    user_id, now = request.user.id, timezone.now()
    known_entity(user_id, entity_id)
    made = []
    with transaction.atomic():
        if change.name is not None:
            made.append(editing.rename(user_id, entity_id, change.name, now))
        if change.type is not None:
            made.append(editing.retype(user_id, entity_id, change.type, now))
        for attribute in (change.attributes or {}).items():
            made.append(editing.set_detail(user_id, entity_id, attribute, now))
    return _edits(*made)


@router.post("entities/{uuid:entity_id}/aliases", response=GraphEdits, auth=WRITE)
def add_entity_alias(request: BearerRequest, entity_id: UUID, new: NewName) -> Any:
    """Add an alias to an entity."""
    return _edits(editing.add_name(request.user.id, entity_id, new.name, timezone.now()))


@router.delete("entities/{uuid:entity_id}/aliases/{uuid:alias_id}", response=GraphEdits, auth=WRITE)
def remove_entity_alias(request: BearerRequest, entity_id: UUID, alias_id: UUID) -> Any:
    """Remove an alias of an entity."""
    return _edits(editing.remove_name(request.user.id, entity_id, alias_id, timezone.now()))


@router.post("entities/{uuid:entity_id}/merge", response=GraphEdits, auth=WRITE)
def merge_entities(request: BearerRequest, entity_id: UUID, source: MergeSource) -> Any:
    """Merge another entity into this one, which keeps its name."""
    return _edits(editing.merge(request.user.id, entity_id, source.other, timezone.now()))


@router.post("entities/{uuid:entity_id}/split", response=GraphEdits, auth=WRITE)
def split_entity(request: BearerRequest, entity_id: UUID, split: EntitySplit) -> Any:
    """Split an entity in two."""
    part = editing.Part(split.name, split.type, tuple(split.relations), tuple(split.aliases))
    return _edits(editing.split(request.user.id, entity_id, part, timezone.now()))


def _edits(*made: ChangeSet) -> dict[str, Any]:
    return {"edits": [edit.id for edit in made]}
