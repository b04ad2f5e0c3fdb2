"""The temporal knowledge graph: reading it, now and as it was, and what its owner changes."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router

from accounts.http import BearerRequest
from api.arranging import change_entity as changed
from api.doors import WRITE
from api.paging import Paged, paged
from api.schemas import facts as known
from api.schemas import graph as told
from memory.entities import EntityPage, entity_page
from memory.graph import editing
from memory.graph.paths import Hop, neighbours, paths
from memory.knowledge import RelationChoice, entities_named, line_of, relations_at
from memory.models import GraphEdit

router = Router(tags=["People and things"])


@router.get("entities", response=Paged[told.Entity], summary="People, places and things")
def entities(request: BearerRequest, asked: Query[told.WantedEntities]) -> Any:
    """All that have a name, in the order they were met."""
    return paged(entities_named(request.user.id, asked.q, asked.after, asked.limit))


@router.get("entities/{uuid:entity_id}", response=told.WholeEntity, summary="One of them")
def entity(request: BearerRequest, entity_id: UUID) -> Any:
    """Its relations of today and of the past, with the words they rest on."""
    return _page(request, entity_id)


@router.get(
    "entities/{uuid:entity_id}/timeline", response=list[told.Turn], summary="What happened when"
)
def entity_timeline(request: BearerRequest, entity_id: UUID) -> Any:
    """When each relation of an entity began and ended, newest first."""
    return _page(request, entity_id).events


@router.get(
    "entities/{uuid:entity_id}/neighbours",
    response=list[told.Neighbour],
    summary="What is near it",
)
def entity_neighbours(request: BearerRequest, entity_id: UUID, asked: Query[told.Near]) -> Any:
    """Entities at one or two relations' distance, the nearest first."""
    _page(request, entity_id)
    return neighbours(request.user.id, entity_id, hops=asked.hops, at=asked.at)


@router.get("relations", response=Paged[known.Line], summary="Relations, newest first")
def relations(request: BearerRequest, asked: Query[told.WantedRelations]) -> Any:
    """All relations or those of one entity, ever or as they were at a moment."""
    if asked.entity is not None:
        _page(request, asked.entity)
    chosen = RelationChoice(entity_id=asked.entity, at=asked.at)
    found = relations_at(request.user.id, chosen, after=asked.after, most=asked.limit)
    return paged(found)


@router.get("paths", response=list[list[told.Hop]], summary="How two are connected")
def paths_between(request: BearerRequest, asked: Query[told.Between]) -> Any:
    """The shortest ways between two entities, in either direction of the relations."""
    for each in (asked.start, asked.end):
        _page(request, each)
    found = paths(request.user.id, asked.start, asked.end, at=asked.at)
    return [[_hop(hop) for hop in way] for way in found]


@router.patch(
    "entities/{uuid:entity_id}", response=told.Edited, auth=WRITE, summary="Change one of them"
)
def change_entity(request: BearerRequest, entity_id: UUID, change: told.EntityChange) -> Any:
    """Another name or type, or details; its old name still finds it."""
    _page(request, entity_id)
    return {"edits": changed(request.user.id, entity_id, change, timezone.now())}


@router.post(
    "entities/{uuid:entity_id}/names", response=told.Edited, auth=WRITE, summary="Add a name"
)
def name_entity(request: BearerRequest, entity_id: UUID, new: told.AlsoCalled) -> Any:
    """Let it be found by another name too."""
    return _made(editing.add_name(request.user.id, entity_id, new.name, timezone.now()))


@router.delete(
    "entities/{uuid:entity_id}/names/{uuid:name_id}",
    response=told.Edited,
    auth=WRITE,
    summary="Take a name away",
)
def unname_entity(request: BearerRequest, entity_id: UUID, name_id: UUID) -> Any:
    """Let one of its other names no longer find it."""
    return _made(editing.remove_name(request.user.id, entity_id, name_id, timezone.now()))


@router.post(
    "entities/{uuid:entity_id}/merge", response=told.Edited, auth=WRITE, summary="Merge two"
)
def merge_entities(request: BearerRequest, entity_id: UUID, given: told.SameAs) -> Any:
    """Take another one for the same as this one, which keeps its name."""
    return _made(editing.merge(request.user.id, entity_id, given.other, timezone.now()))


@router.post(
    "entities/{uuid:entity_id}/split", response=told.Edited, auth=WRITE, summary="Split one in two"
)
def split_entity(request: BearerRequest, entity_id: UUID, given: told.Part) -> Any:
    """Make another one of some of its relations and names."""
    part = editing.Part(given.name, given.type, tuple(given.relations), tuple(given.names))
    return _made(editing.split(request.user.id, entity_id, part, timezone.now()))


@router.post(
    "graph/edits/{uuid:edit_id}/undo", response=told.Edited, auth=WRITE, summary="Take it back"
)
def undo_edit(request: BearerRequest, edit_id: UUID) -> Any:
    """Take back what was changed about a person, place or thing."""
    return _made(editing.undo(request.user.id, edit_id, timezone.now()))


def _page(request: BearerRequest, entity_id: UUID) -> EntityPage:
    return entity_page(request.user.id, entity_id, timezone.now())


def _made(edit: GraphEdit) -> dict[str, Any]:
    return {"edits": [edit.id]}


def _hop(hop: Hop) -> dict[str, Any]:
    lines = [line_of(relation) for relation in hop.relations]
    return {"start": hop.start, "end": hop.end, "relations": lines}
