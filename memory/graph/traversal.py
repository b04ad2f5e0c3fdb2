"""Reads the knowledge graph, now or as of a moment.

The relations of an entity, its history, its neighbours, and how two entities are connected.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from memory.graph.resolution import find_entity
from memory.models import Entity, Relation, held_at

NEIGHBOURS = 200
PATHS = 5
MAX_LENGTH = 4
_EDGES = 2_000
MOMENTS = 200

# Each entity is visited once per distance, which bounds the work however many paths lead to it.
_REACH = """
WITH RECURSIVE reach (entity_id, hops) AS (
  SELECT %(start)s::uuid, 0
  UNION
  SELECT CASE WHEN edge.subject_id = reach.entity_id THEN edge.object_id ELSE edge.subject_id END,
         reach.hops + 1
  FROM reach
  JOIN memory_relation AS edge
    ON edge.user_id = %(user)s
   AND (edge.subject_id = reach.entity_id OR edge.object_id = reach.entity_id)
  WHERE reach.hops < %(hops)s
    AND edge.deleted_at IS NULL
    AND (%(at)s::timestamptz IS NULL
         OR (edge.valid_from <= %(at)s AND (edge.valid_to IS NULL OR edge.valid_to > %(at)s)))
)
SELECT entity_id, min(hops) FROM reach GROUP BY entity_id
"""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation seen from one entity: the other end, and the direction `out` or `in`."""

    relation_id: UUID
    other_id: UUID
    other: str
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
    """A moment at which a relation `began` or `ended`."""

    at: datetime
    kind: str
    edge: Edge


def neighbourhood(user_id: UUID, name: str, *, at: datetime | None = None) -> Neighbourhood | None:
    """The entity of a name with all its relations, or those that held at `at`; None if it is unknown."""
    entity = find_entity(user_id, name)
    if entity is None:
        return None
    edges = [_edge(entity.id, relation) for relation in relations_of(user_id, [entity.id], at=at)]
    return Neighbourhood(entity.id, entity.name, entity.type, tuple(edges))


def history_of(user_id: UUID, entity_id: UUID) -> tuple[Moment, ...]:
    """When the relations of an entity began and ended, newest first, at most MOMENTS."""
    moments = []
    for field, kind in (("valid_from", "began"), ("valid_to", "ended")):
        latest = _around(user_id, [entity_id]).filter(**{f"{field}__isnull": False})
        for relation in latest.order_by(f"-{field}", "id")[:MOMENTS]:
            moments.append(Moment(getattr(relation, field), kind, _edge(entity_id, relation)))
    moments.sort(key=lambda moment: (moment.at, moment.kind, moment.edge.relation_id), reverse=True)
    return tuple(moments[:MOMENTS])


def relations_of(user_id: UUID, entity_ids: Sequence[UUID], *, at: datetime | None = None) -> list[Relation]:
    """Relations that start or end at any of these entities, newest first."""
    relations = _around(user_id, entity_ids)
    if at is not None:
        relations = relations.filter(held_at(at))
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
        relation=relation.relation,
        direction="out" if outward else "in",
        valid_from=relation.valid_from,
        valid_to=relation.valid_to,
        confidence=relation.confidence,
        drawer_id=relation.drawer_id,
    )


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity `hops` relations away."""

    entity: Entity
    hops: int


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a path, by any of these relations, newest first."""

    start: Entity
    end: Entity
    relations: tuple[Relation, ...]


def neighbours(
    user_id: UUID,
    entity_id: UUID,
    *,
    hops: int = 1,
    at: datetime | None = None,
) -> tuple[Neighbour, ...]:
    """Entities at most `hops` (1 or 2) relations away, nearest first, at most NEIGHBOURS."""
    if hops not in (1, 2):
        raise ValueError("neighbours are one or two hops away")
    distances = _reach(user_id, entity_id, hops, at)
    distances.pop(entity_id)
    entities = Entity.objects.filter(user_id=user_id, id__in=list(distances))
    ordered = sorted(entities, key=lambda each: (distances[each.id], each.name, each.id))
    return tuple(Neighbour(each, distances[each.id]) for each in ordered[:NEIGHBOURS])


def paths(
    user_id: UUID, start_id: UUID, end_id: UUID, *, at: datetime | None = None
) -> tuple[tuple[Hop, ...], ...]:
    """The shortest paths between two entities along relations in either direction, newest relations first:
    at most PATHS of at most LONGEST hops each."""
    from_start = _reach(user_id, start_id, MAX_LENGTH, at)
    length = from_start.get(end_id, 0)
    if not length:
        return ()
    to_end = _reach(user_id, end_id, length, at)
    on_the_way = {
        entity_id: hops
        for entity_id, hops in from_start.items()
        if hops + to_end.get(entity_id, length + 1) == length
    }
    steps = _steps(user_id, on_the_way, at)
    return tuple(islice(_walk(steps, start_id, end_id), PATHS))


def _reach(user_id: UUID, start: UUID, hops: int, at: datetime | None) -> dict[UUID, int]:
    """The distance of every entity within reach, the start included."""
    with connection.cursor() as cursor:
        cursor.execute(_REACH, {"user": user_id, "start": start, "hops": hops, "at": at})
        return dict(cursor.fetchall())


def _steps(
    user_id: UUID, distances: Mapping[UUID, int], at: datetime | None
) -> dict[UUID, dict[UUID, list[Relation]]]:
    """The relations that lead one hop further, by both ends."""
    relations = Relation.objects.filter(
        user_id=user_id,
        subject_id__in=list(distances),
        object_id__in=list(distances),
        deleted_at=None,
    )
    if at is not None:
        relations = relations.filter(held_at(at))
    newest = relations.select_related("subject", "object").order_by("-valid_from", "id")
    found: dict[UUID, dict[UUID, list[Relation]]] = defaultdict(dict)
    for relation in newest[:_EDGES]:
        ends = sorted((relation.subject_id, relation.object_id), key=distances.__getitem__)
        if distances[ends[0]] + 1 == distances[ends[1]]:
            found[ends[0]].setdefault(ends[1], []).append(relation)
    return found


def _walk(
    steps: Mapping[UUID, Mapping[UUID, list[Relation]]], start_id: UUID, end_id: UUID
) -> Iterator[tuple[Hop, ...]]:
    if start_id == end_id:
        yield ()
        return
    for next_id, relations in steps.get(start_id, {}).items():
        for rest in _walk(steps, next_id, end_id):
            yield (_hop(start_id, relations), *rest)


def _hop(start_id: UUID, relations: list[Relation]) -> Hop:
    first = relations[0]
    outward = first.subject_id == start_id
    start, end = (first.subject, first.object) if outward else (first.object, first.subject)
    return Hop(start, end, tuple(relations))
