"""Reads the knowledge graph as it is, or as it was."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memory.graph.resolution import find_entity
from memory.models import Entity, Relation

MOMENTS = 200


@dataclass(frozen=True, slots=True)
class Edge:
    """One relation seen from an entity: the other end, and `out` or `in`."""

    relation_id: UUID
    other_id: UUID
    other: str
    other_type: str
    relation: str
    direction: str
    valid_from: datetime
    valid_to: datetime | None
    confidence: float
    drawer_id: UUID


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """An entity and its relations, newest first."""

    entity_id: UUID
    name: str
    type: str
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """A relation that `began` or `ended` then."""

    at: datetime
    kind: str
    edge: Edge


def neighbourhood(user_id: UUID, name: str, *, at: datetime | None = None) -> Neighbourhood | None:
    """An entity by name with its relations: all of them, or those that held at `at`. None when
    nobody and nothing of that name is known."""
    entity = find_entity(user_id, name)
    if entity is None:
        return None
    edges = [_edge(entity.id, relation) for relation in relations_of(user_id, [entity.id], at=at)]
    return Neighbourhood(entity.id, entity.name, entity.type, tuple(edges))


def history_of(user_id: UUID, entity_id: UUID) -> tuple[Moment, ...]:
    """When each relation of an entity began and ended, newest first, at most MOMENTS of them."""
    moments = []
    for field, kind in (("valid_from", "began"), ("valid_to", "ended")):
        latest = _around(user_id, [entity_id]).filter(**{f"{field}__isnull": False})
        for relation in latest.order_by(f"-{field}", "id")[:MOMENTS]:
            moments.append(Moment(getattr(relation, field), kind, _edge(entity_id, relation)))
    moments.sort(key=lambda moment: (moment.at, moment.kind, moment.edge.relation_id), reverse=True)
    return tuple(moments[:MOMENTS])


def relations_of(
    user_id: UUID, entity_ids: Sequence[UUID], *, at: datetime | None = None
) -> list[Relation]:
    """Relations that start or end at any of these entities, newest first."""
    relations = _around(user_id, entity_ids)
    if at is not None:
        relations = relations.filter(Q(valid_to=None) | Q(valid_to__gt=at), valid_from__lte=at)
    return list(relations.order_by("-valid_from", "id"))


def _around(user_id: UUID, entity_ids: Sequence[UUID]) -> QuerySet[Relation]:
    ends = Q(subject_id__in=entity_ids) | Q(object_id__in=entity_ids)
    found = Relation.objects.filter(ends, user_id=user_id, deleted_at=None)
    return found.select_related("subject", "object")


def _edge(entity_id: UUID, relation: Relation) -> Edge:
    outward = relation.subject_id == entity_id
    other: Entity = relation.object if outward else relation.subject
    return Edge(
        relation_id=relation.id,
        other_id=other.id,
        other=other.name,
        other_type=other.type,
        relation=relation.relation,
        direction="out" if outward else "in",
        valid_from=relation.valid_from,
        valid_to=relation.valid_to,
        confidence=relation.confidence,
        drawer_id=relation.drawer_id,
    )
