"""For recall: the entities a text names, and the drawers that mention their relations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.graph.resolution import key_of
from memory.models import OWNER, EntityName

MAX_NAMED = 20
MAX_MENTIONS = 200

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
    with connection.cursor() as cursor:
        cursor.execute(_NAMED_ENTITIES, {"user": user_id, "keys": keys, "owner": OWNER, "limit": MAX_NAMED})
        rows = cursor.fetchall()
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
    with connection.cursor() as cursor:
        cursor.execute(
            _MENTIONS,
            {
                "user": user_id,
                "ids": list(entity_ids),
                "relations": list(relations),
                "since": between[0],
                "until": between[1],
                "limit": MAX_MENTIONS,
            },
        )
        return [Mention(*row) for row in cursor.fetchall()]
