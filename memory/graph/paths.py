"""Walks the graph: what is near an entity, and how two are connected, now or as of a moment."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q

from memory.models import Entity, Relation

NEIGHBOURS = 200
PATHS = 5
LONGEST = 4
_EDGES = 2_000

# Each entity is met once a distance, so the work is bounded by entities × distance however many
# ways lead to one.
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
    AND reach.entity_id IS DISTINCT FROM %(closed)s::uuid
    AND edge.deleted_at IS NULL
    AND (%(at)s::timestamptz IS NULL
         OR (edge.valid_from <= %(at)s AND (edge.valid_to IS NULL OR edge.valid_to > %(at)s)))
)
SELECT entity_id, min(hops) FROM reach GROUP BY entity_id
"""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity that is `hops` relations away."""

    entity: Entity
    hops: int


@dataclass(frozen=True, slots=True)
class Hop:
    """A step from one entity to the next, by any of these relations, newest first."""

    start: Entity
    end: Entity
    relations: tuple[Relation, ...]


def neighbours(
    user_id: UUID,
    entity_id: UUID,
    *,
    hops: int = 1,
    at: datetime | None = None,
    closed: UUID | None = None,
) -> tuple[Neighbour, ...]:
    """Entities at 1 or 2 relations' distance, the nearest first, at most NEIGHBOURS of them.

    Nothing is reached through the entity `closed`, which may be near itself.
    """
    if hops not in (1, 2):
        raise ValueError("neighbours are at one or two hops")
    distances = _reach(user_id, entity_id, hops, at, closed)
    distances.pop(entity_id)
    entities = Entity.objects.filter(user_id=user_id, id__in=list(distances))
    ordered = sorted(entities, key=lambda each: (distances[each.id], each.name, each.id))
    return tuple(Neighbour(each, distances[each.id]) for each in ordered[:NEIGHBOURS])


def paths(
    user_id: UUID, start_id: UUID, end_id: UUID, *, at: datetime | None = None
) -> tuple[tuple[Hop, ...], ...]:
    """The shortest ways between two entities, in either direction of the relations: at most PATHS
    of them, each of at most LONGEST hops, the newest relations first. Empty when there is none."""
    from_start = _reach(user_id, start_id, LONGEST, at)
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


def _reach(
    user_id: UUID, start: UUID, hops: int, at: datetime | None, closed: UUID | None = None
) -> dict[UUID, int]:
    """How far every entity within reach is, the start itself included."""
    given: dict[str, Any] = {
        "user": user_id,
        "start": start,
        "hops": hops,
        "at": at,
        "closed": closed,
    }
    with connection.cursor() as cursor:
        cursor.execute(_REACH, given)
        return dict(cursor.fetchall())


def _steps(
    user_id: UUID, distances: Mapping[UUID, int], at: datetime | None
) -> dict[UUID, dict[UUID, list[Relation]]]:
    """The relations that lead one hop further, by where they start and end."""
    relations = Relation.objects.filter(
        user_id=user_id,
        subject_id__in=list(distances),
        object_id__in=list(distances),
        deleted_at=None,
    )
    if at is not None:
        relations = relations.filter(Q(valid_to=None) | Q(valid_to__gt=at), valid_from__lte=at)
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
