"""What recall asks of drawers that a search has found already. SQL for vectors and words, as in
`memory.searching`.

All functions work on one person's rows, inside that person's tenant.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from llm.types import Vectors
from memory.id_arrays import id_array
from memory.index import prefix
from memory.models import EmbeddingSpace
from memory.sentences import nearest_sentence


@dataclass(frozen=True, slots=True)
class NearSentence:
    """The sentence of a drawer that is nearest to the question: its raw cosine and its range."""

    drawer_id: UUID
    cosine: float
    start: int
    length: int


def best_sentences(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, drawer_ids: Sequence[UUID]
) -> list[NearSentence]:
    """The best sentence of each of these drawers, for those that have any."""
    if not drawer_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT drawer_id, kept FROM memory_sentencevectors
            WHERE user_id = %s AND space_id = %s AND drawer_id = ANY(%s::uuid[]) AND kept <> ''
            """,
            [user_id, space.id, id_array(drawer_ids)],
        )
        rows = cursor.fetchall()
    short = prefix(query, space)
    found = ((drawer_id, nearest_sentence(bytes(kept), short)) for drawer_id, kept in rows)
    return [NearSentence(drawer_id, *best) for drawer_id, best in found if best is not None]


def naming(
    user_id: UUID, names: Sequence[str], drawer_ids: Sequence[UUID]
) -> list[tuple[UUID, float]]:
    """Which of these drawers have names (all words of one, prepared as for an index), and what
    share of the names each has."""
    if not names or not drawer_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH asked AS (
              SELECT array_agg(query) AS names
              FROM (SELECT plainto_tsquery('english', name) AS query
                    FROM unnest(%s::text[]) AS name) AS parsed
              WHERE numnode(query) > 0
            )
            SELECT entry.id, share.found FROM memory_drawerwords entry, asked, LATERAL (
              SELECT avg((entry.words @@ name)::integer)::float8 AS found
              FROM unnest(asked.names) AS name
            ) AS share
            WHERE entry.user_id = %s AND entry.id = ANY(%s::uuid[]) AND share.found > 0
            """,
            [list(names), user_id, id_array(drawer_ids)],
        )
        return [(drawer_id, found) for drawer_id, found in cursor.fetchall()]


def quoting(
    user_id: UUID, phrases: Sequence[str], drawer_ids: Sequence[UUID]
) -> list[tuple[UUID, float]]:
    """Which of these drawers say one of the phrases as it stands, but for capitals, and what share
    of the phrases each says."""
    if not phrases or not drawer_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT drawer.id, share.said FROM memory_drawer drawer, LATERAL (
              SELECT avg((strpos(lower(drawer.content), lower(phrase)) > 0)::integer)::float8 AS said
              FROM unnest(%s::text[]) AS phrase
            ) AS share
            WHERE drawer.user_id = %s AND drawer.id = ANY(%s::uuid[]) AND share.said > 0
            """,
            [list(phrases), user_id, id_array(drawer_ids)],
        )
        return [(drawer_id, said) for drawer_id, said in cursor.fetchall()]
