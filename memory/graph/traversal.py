"""Reads the knowledge graph, now or as of a moment: entities, their neighbours, and paths between them.

For recall: the entities a text names, and the drawers that mention their relations.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from django.db.models import Q, QuerySet

from memory.facts.queries import Evidence, evidence_in, for_display, owner_of
from memory.graph.editing import edits_of
from memory.graph.resolution import key_of, known_entity
from memory.models import OWNER, ChangeSet, Entity, EntityName, Relation, RelationSource, held_at
from memory.sql import fetch, fetch_prepared

MAX_RELATIONS = 16
MAX_EVENTS = 16
MAX_NEARBY = 24
MAX_EDGES_PER_STEP = 120
MAX_NEIGHBOURS = 200
MAX_PATHS = 5
MAX_PATH_LENGTH = 4
MAX_NAMED = 20
MAX_MENTIONS = 200
_MAX_EDGES = 2_000
_SOURCE_FIELDS = (
    *("user_id", "edge_id", "drawer_id", "start", "end", "ends", "drawer__user_id", "drawer__role"),
)

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
class SourcedRelation:
    """A relation with its sources."""

    relation: Relation
    quotes: tuple[Evidence[RelationSource], ...]


@dataclass(frozen=True, slots=True)
class RelationEvent:
    """The moment a relation began or, if `ended`, ended."""

    at: datetime
    ended: bool
    relation: Relation

    @property
    def change(self) -> tuple[datetime, UUID, str, UUID]:
        """What began or ended, and when."""
        return self.at, self.relation.subject_id, self.relation.relation, self.relation.object_id


@dataclass(frozen=True, slots=True)
class EntityPage:
    """An entity with its aliases, current and past relations (newest first, limited), history, entities two
    hops away, and edits by its owner."""

    entity: Entity
    aliases: tuple[EntityName, ...]
    current: tuple[SourcedRelation, ...]
    past: tuple[SourcedRelation, ...]
    events: tuple[RelationEvent, ...]
    neighbours: tuple[Entity, ...]
    edits: tuple[ChangeSet, ...]

    @property
    def is_owner(self) -> bool:
        """Whether it is the owner of the palace."""
        return self.entity.type == OWNER

    @property
    def more(self) -> bool:
        """Whether there may be more relations than shown."""
        return max(len(self.current), len(self.past)) == MAX_RELATIONS


def entity_page(user_id: UUID, entity_id: UUID, now: datetime) -> EntityPage:
    """Everything the page of an entity shows. Raises NotFound."""
    entity = known_entity(user_id, entity_id)
    aliases = EntityName.objects.filter(user_id=user_id, entity_id=entity_id, is_alias=True)
    ended = Q(valid_to__lte=now)
    return EntityPage(
        entity=entity,
        aliases=tuple(aliases.order_by("name", "id")),
        current=_relations(entity, ~ended | Q(valid_to=None)),
        past=_relations(entity, ended),
        events=history_of(entity),
        neighbours=_two_hops_away(entity, now),
        edits=tuple(edits_of(user_id, entity_id)),
    )


def merged_into(user_id: UUID, entity_id: UUID) -> UUID | None:
    """The entity that an entity was merged into, or None."""
    merged = Entity.objects.filter(user_id=user_id, id=entity_id, merged_into_id__isnull=False)
    return merged.values_list("merged_into_id", flat=True).first()


def relations_of(entity: Entity, at: datetime | None = None) -> QuerySet[Relation]:
    """The relations of an entity in either direction, all or those that held at `at`, newest first."""
    ends = Q(subject_id=entity.id) | Q(object_id=entity.id)
    found = Relation.objects.filter(ends, user_id=entity.user_id, deleted_at=None)
    if at is not None:
        found = found.filter(held_at(at))
    return for_display(found).order_by("-valid_from", "id")


def latest_relations(
    entity: Entity, limit: int, when: Q | None = None, by: str = "valid_from"
) -> QuerySet[Relation]:
    """The latest relations of an entity in either direction. It may have thousands: each direction is read in
    the order of its index, and only those that are shown are joined."""
    latest = Relation.objects.filter(when or Q(), user_id=entity.user_id, deleted_at=None)
    ids = latest.order_by(f"-{by}", "id").values("id")
    either = ids.filter(subject_id=entity.id)[:limit].union(ids.filter(object_id=entity.id)[:limit])
    shown = Relation.objects.filter(user_id=entity.user_id, id__in=either)
    return for_display(shown).order_by(f"-{by}", "id")[:limit]


def _relations(entity: Entity, when: Q) -> tuple[SourcedRelation, ...]:
    relations = list(latest_relations(entity, MAX_RELATIONS, when))
    quotes = quotes_of(entity.user_id, [each.id for each in relations])
    return tuple(SourcedRelation(each, tuple(quotes[each.id])) for each in relations)


def quotes_of(
    user_id: UUID, relation_ids: Sequence[UUID]
) -> dict[UUID | None, list[Evidence[RelationSource]]]:
    """The words that support each of these relations or state its end, earliest first."""
    sources = RelationSource.objects.filter(user_id=user_id, edge_id__in=relation_ids)
    with_roles = sources.select_related("drawer").only(*_SOURCE_FIELDS)
    found: dict[UUID | None, list[Evidence[RelationSource]]] = defaultdict(list)
    for each in evidence_in(user_id, with_roles.order_by("at", "drawer__said_at", "id")):
        found[each.source.edge_id].append(each)
    return found


def history_of(entity: Entity) -> tuple[RelationEvent, ...]:
    """The most recent starts and ends of an entity's relations, newest first. One that begins again as it
    ends does neither, and one that ends as it begins only ends."""
    events = []
    for field in ("valid_from", "valid_to"):
        for row in latest_relations(entity, MAX_EVENTS, ~Q(**{field: None}), field):
            events.append(RelationEvent(getattr(row, field), field == "valid_to", row))
    ends = {event.change: event.relation.id for event in events if event.ended}
    starts = {event.change: event.relation.id for event in events if not event.ended}

    def is_change(event: RelationEvent) -> bool:
        if event.ended:
            return starts.get(event.change, event.relation.id) == event.relation.id
        return event.change not in ends

    events = sorted(
        filter(is_change, events), key=lambda each: (each.at, each.ended, each.relation.id), reverse=True
    )
    return tuple(events[:MAX_EVENTS])


def _two_hops_away(entity: Entity, now: datetime) -> tuple[Entity, ...]:
    """Entities exactly two hops away via current relations, not counting paths through the owner, who is
    connected with everyone."""
    owner = owner_of(entity.user_id)
    visited = {entity.id} | ({owner.id} if owner else set())
    holding = Relation.objects.filter(held_at(now), user_id=entity.user_id, deleted_at=None)
    near = _adjacent(holding, {entity.id}, visited)
    further = _adjacent(holding, near, visited | near.keys())
    direct = Q(subject_id=entity.id, object_id__in=further) | Q(object_id=entity.id, subject_id__in=further)
    for ends in holding.filter(direct).values_list("subject_id", "object_id"):
        for entity_id in ends:
            further.pop(entity_id, None)
    found = Entity.objects.filter(user_id=entity.user_id, id__in=list(further)[:MAX_NEARBY])
    return tuple(found.order_by("name", "id"))


def _adjacent(holding: QuerySet[Relation], starts: Iterable[UUID], visited: set[UUID]) -> dict[UUID, None]:
    """The other ends of the newest relations of these entities, without those visited."""
    found = holding.filter(Q(subject_id__in=starts) | Q(object_id__in=starts)).order_by("-valid_from", "id")
    rows = found.values_list("subject_id", "object_id")[:MAX_EDGES_PER_STEP]
    return {end: None for ends in rows for end in ends if end not in visited}


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
    """Entities at most `hops` (1 or 2) relations away, nearest first, at most MAX_NEIGHBOURS."""
    if hops not in (1, 2):
        raise ValueError("neighbours are one or two hops away")
    distances = _reach(user_id, entity_id, hops, at)
    distances.pop(entity_id)
    entities = Entity.objects.filter(user_id=user_id, id__in=list(distances))
    ordered = sorted(entities, key=lambda each: (distances[each.id], each.name, each.id))
    return tuple(Neighbour(each, distances[each.id]) for each in ordered[:MAX_NEIGHBOURS])


def paths(
    user_id: UUID, start_id: UUID, end_id: UUID, *, at: datetime | None = None
) -> tuple[tuple[Hop, ...], ...]:
    """The shortest paths between two entities along relations in either direction, newest relations first:
    at most MAX_PATHS of at most MAX_PATH_LENGTH hops each."""
    from_start = _reach(user_id, start_id, MAX_PATH_LENGTH, at)
    length = from_start.get(end_id, 0)
    if not length:
        return ()
    to_end = _reach(user_id, end_id, length, at)
    on_shortest_path = {
        entity_id: hops
        for entity_id, hops in from_start.items()
        if hops + to_end.get(entity_id, length + 1) == length
    }
    edges = _edges_forward(user_id, on_shortest_path, at)
    return tuple(islice(_walk(edges, start_id, end_id), MAX_PATHS))


def _reach(user_id: UUID, start: UUID, hops: int, at: datetime | None) -> dict[UUID, int]:
    """The distance of every entity within reach, the start included."""
    return dict(fetch(_REACH, {"user": user_id, "start": start, "hops": hops, "at": at}))


def _edges_forward(
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
    newest = for_display(relations).order_by("-valid_from", "id")
    found: dict[UUID, dict[UUID, list[Relation]]] = defaultdict(dict)
    for relation in newest[:_MAX_EDGES]:
        ends = sorted((relation.subject_id, relation.object_id), key=distances.__getitem__)
        if distances[ends[0]] + 1 == distances[ends[1]]:
            found[ends[0]].setdefault(ends[1], []).append(relation)
    return found


def _walk(
    edges: Mapping[UUID, Mapping[UUID, list[Relation]]], start_id: UUID, end_id: UUID
) -> Iterator[tuple[Hop, ...]]:
    if start_id == end_id:
        yield ()
        return
    for next_id, relations in edges.get(start_id, {}).items():
        for rest in _walk(edges, next_id, end_id):
            yield (_hop(start_id, relations), *rest)


def _hop(start_id: UUID, relations: list[Relation]) -> Hop:
    first = relations[0]
    outward = first.subject_id == start_id
    start, end = (first.subject, first.object) if outward else (first.object, first.subject)
    return Hop(start, end, tuple(relations))


_HOLDS = "(edge.valid_from <= %(until)s AND (edge.valid_to IS NULL OR edge.valid_to > %(since)s))"


def _edges(end: str, condition: str) -> str:
    """SQL for the newest relations that have one of the entities as this end."""
    return f"""
      SELECT side.* FROM unnest(%(ids)s::uuid[]) AS who (id), LATERAL (
        SELECT edge.user_id, edge.id, edge.subject_id, edge.relation, edge.object_id,
          edge.valid_from, {_HOLDS} AS holds
        FROM memory_relation edge
        WHERE edge.user_id = %(user)s AND edge.deleted_at IS NULL AND edge.{end} = who.id
          AND (%(relations)s::text[] = '{{}}' OR edge.relation = ANY(%(relations)s))
          AND {condition}
        ORDER BY edge.valid_from DESC, edge.id LIMIT %(limit)s
      ) AS side
    """  # noqa: S608 - made of the constants of this module only


# An entity may have thousands of relations: read the newest current ones in index order, past ones only if
# there are too few, and sources only of the chosen ones.
_ENDED = f"NOT {_HOLDS} AND (SELECT count(*) FROM holding) < %(limit)s"  # noqa: S608 - constants only
_MENTIONS = f"""
    WITH holding AS MATERIALIZED ({_edges("subject_id", _HOLDS)} UNION {_edges("object_id", _HOLDS)}),
      chosen AS (
        SELECT * FROM (
          SELECT * FROM holding UNION {_edges("subject_id", _ENDED)} UNION {_edges("object_id", _ENDED)}
        ) AS edge
        ORDER BY edge.holds DESC, edge.valid_from DESC, edge.id LIMIT %(limit)s
      )
    SELECT edge.subject_id, edge.relation, edge.object_id, edge.holds, source.drawer_id
    FROM chosen edge JOIN memory_relationsource source
      ON source.user_id = edge.user_id AND source.edge_id = edge.id
    ORDER BY edge.holds DESC, edge.valid_from DESC, edge.id, source.id DESC LIMIT %(limit)s
"""  # noqa: S608 - made of the constants above only

_NAMED_ENTITIES = """
    (SELECT id, TRUE FROM memory_entity
     WHERE user_id = %(user)s AND type = %(owner)s ORDER BY id LIMIT 1)
    UNION ALL
    (SELECT DISTINCT known.entity_id, FALSE FROM memory_entityname known
     JOIN memory_entity entity ON entity.user_id = known.user_id AND entity.id = known.entity_id
     WHERE known.user_id = %(user)s AND known.normalised = ANY(%(keys)s)
       AND entity.type <> %(owner)s
     ORDER BY known.entity_id LIMIT %(limit)s)
"""


@dataclass(frozen=True, slots=True)
class Mention:
    """A relation, a drawer that mentions it, and whether it holds at the time in question."""

    subject_id: UUID
    relation: str
    object_id: UUID
    holds: bool
    drawer_id: UUID

    def other(self, entity_id: UUID) -> UUID:
        return self.object_id if self.subject_id == entity_id else self.subject_id


def find_named_entities(user_id: UUID, names: Iterable[str]) -> tuple[tuple[UUID, ...], UUID | None]:
    """The entities with any of these names or aliases, ordered by id; and the owner's, if there is one."""
    keys = sorted({key_of(name) for name in names} - {""})
    rows = fetch_prepared(
        _NAMED_ENTITIES, {"user": user_id, "keys": keys, "owner": OWNER, "limit": MAX_NAMED}
    )
    named = tuple(entity_id for entity_id, is_owner in rows if not is_owner)
    return named, next((entity_id for entity_id, is_owner in rows if is_owner), None)


def names_of(user_id: UUID, entity_ids: Sequence[UUID]) -> list[tuple[UUID, str]]:
    """Every name and alias of these entities, as (entity, name)."""
    if not entity_ids:
        return []
    names = EntityName.objects.filter(user_id=user_id, entity_id__in=entity_ids)
    return list(names.order_by("entity_id", "normalised", "sense").values_list("entity_id", "name"))


def mentions_of(
    user_id: UUID,
    entity_ids: Sequence[UUID],
    between: tuple[datetime, datetime],
    relations: Sequence[str] = (),
) -> list[Mention]:
    """The relations of these entities with the drawers that mention them: those that hold first, then the
    newest; only `relations` if any are given."""
    if not entity_ids:
        return []
    since, until = between
    ids = {"user": user_id, "ids": list(entity_ids), "relations": list(relations)}
    rows = fetch_prepared(_MENTIONS, {**ids, "since": since, "until": until, "limit": MAX_MENTIONS})
    return [Mention(*row) for row in rows]
