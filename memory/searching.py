"""The two searches of recall, by meaning and by words. With `memory.index`, `memory.inspecting` and
`memory.rarity` the only SQL for them.

All functions work on one person's rows, inside that person's tenant.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction

from llm.types import Vectors
from memory.id_arrays import id_array
from memory.index import prefix
from memory.models import EmbeddingSpace
from memory.narrowing import WHOLE_PALACE, Part
from memory.rarity import rarest, rarity_of
from memory.vector_text import vector_text

MOST_WORD_CANDIDATES = 1000
RESCORED = 300
WEIGHED, MOST_WEIGHED = 800, 1000
MOST_SCANNED = 100_000
"""How far an index goes on for drawers that lie where they are looked for."""

_ASKED = """
  %(driving)s::tsquery, %(terms)s::tsquery[], %(weights)s::real[],
  (SELECT greatest(1, words_indexed::real / greatest(1, drawers_indexed))::real
   FROM memory_palace WHERE user_id = %(user)s),
  %(candidates)s, %(most)s
"""
_MATCH = f"""
SELECT drawer_id, room_id, score, coverage FROM memory_match_words({_ASKED})
"""  # noqa: S608 - made of the constant above only
_MATCH_WITHIN = f"""
SELECT drawer_id, room_id, score, coverage FROM memory_match_words_within({_ASKED},
  %(few)s::uuid[],
  CASE WHEN %(wing_id)s::uuid IS NOT NULL OR %(wing_kind)s <> '' THEN
    ARRAY(SELECT wing.id FROM memory_wing wing WHERE wing.user_id = %(user)s
          AND (%(wing_id)s::uuid IS NULL OR wing.id = %(wing_id)s)
          AND (%(wing_kind)s = '' OR wing.kind = %(wing_kind)s)) END,
  %(role)s, %(since)s::timestamptz, %(until)s::timestamptz)
"""  # noqa: S608 - made of the constant above only

_Chunk = tuple[UUID, int, int, float]


class NearDrawer(NamedTuple):
    """A drawer found by meaning: the raw cosine of its best chunk, and that chunk's range."""

    drawer_id: UUID
    cosine: float
    start: int
    length: int


class WordDrawer(NamedTuple):
    """A drawer found by its words: a BM25-like score (a little over 0 to about 1), and the share
    (0 to 1) of the question's rarity that it covers."""

    drawer_id: UUID
    room_id: UUID
    score: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Reach:
    """What a search by meaning goes through: a part of the palace, and whether the person's own
    index is asked (`memory.own_index`), which may miss a few."""

    part: Part = WHOLE_PALACE
    indexed: bool = False


EVERYTHING = Reach()


def nearest(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, most: int, reach: Reach = EVERYTHING
) -> list[NearDrawer]:
    """Up to `most` drawers by the cosine of their best chunk, best first. Exact, but for an index.
    Where only the beginning of each vector is searched, the best few hundred are scored by the
    whole."""
    if reach.part.few is not None:
        return _compared(user_id, space, query, reach.part.few)[:most]
    count = max(RESCORED, most * 2) if _is_partial(space) else most * 2
    while True:
        rows = _near_chunks(user_id, space, query, count, reach)
        found = _best_chunks(rows)
        if len(found) >= most or len(rows) < count or reach.indexed:
            return found[:most]
        count *= 4


def cosines(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, drawer_ids: Sequence[UUID]
) -> list[NearDrawer]:
    """The best chunk of each of these drawers, for those that have a vector; best first."""
    if not drawer_ids:
        return []
    return _compared(user_id, space, query, id_array(drawer_ids))


def _compared(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, wanted: str
) -> list[NearDrawer]:
    # One look by key for each, whatever the planner believes about the table.
    near = """
        SELECT user_id, drawer_id, space_id, start, length, -(embedding <#> %(short)s::halfvec) AS cosine
        FROM unnest(%(wanted)s::uuid[]) AS wanted CROSS JOIN LATERAL (
          SELECT * FROM memory_drawervector
          WHERE user_id = %(user)s AND drawer_id = wanted AND space_id = %(space)s
          ORDER BY user_id, drawer_id, space_id, start
        ) AS chunk
    """
    rows = _scored(near, {"user": user_id, "wanted": wanted}, space, query)
    return _best_chunks(rows)


def _near_chunks(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, count: int, reach: Reach
) -> list[_Chunk]:
    vector, asked = "embedding", "%(short)s::halfvec"
    if reach.indexed:
        size = space.search_dimensions
        vector, asked = f"embedding::halfvec({size})", f"{asked}({size})"
    near = f"""
        SELECT user_id, drawer_id, space_id, start, length, -({vector} <#> {asked}) AS cosine
        FROM memory_drawervector
        WHERE user_id = %(user)s AND space_id = %(space)s AND NOT hidden AND {_lies(reach)}
        ORDER BY {vector} <#> {asked} LIMIT %(count)s
    """  # noqa: S608 - made of a number of the space and constants only
    given = {"user": user_id, "count": count, **reach.part.within.parameters}
    if not reach.indexed:
        return _scored(near, given, space, query)
    with transaction.atomic(savepoint=False):
        _look_well(count, reach)
        return _scored(near, given, space, query)


def _lies(reach: Reach) -> str:
    """That a vector is of a drawer in the part of the palace that is looked in. Beneath an index the
    drawer of each vector is looked up as the index brings it; else the planner chooses."""
    if reach.part.is_everywhere:
        return "TRUE"
    drawer = """memory_drawer drawer WHERE drawer.user_id = memory_drawervector.user_id
          AND drawer.id = memory_drawervector.drawer_id"""
    condition = reach.part.within.condition
    if reach.indexed:
        return f"(SELECT {condition} FROM {drawer})"  # noqa: S608 - made of constants only
    return f"EXISTS (SELECT FROM {drawer} AND {condition})"


def _look_well(count: int, reach: Reach) -> None:
    """Let the index of the next search weigh at least 800 candidates, and go on while those are
    too few that lie where they are looked for."""
    weighed = str(min(MOST_WEIGHED, max(WEIGHED, count)))
    going_on = "off" if reach.part.is_everywhere else "relaxed_order"
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT set_config('hnsw.ef_search', %s, true),
              set_config('hnsw.iterative_scan', %s, true),
              set_config('hnsw.max_scan_tuples', %s, true)
            """,
            [weighed, going_on, str(MOST_SCANNED)],
        )


def _scored(
    near: str, given: Mapping[str, Any], space: EmbeddingSpace, query: Vectors
) -> list[_Chunk]:
    """The chunks that `near` selects, best first, scored by their whole vectors."""
    whole, cosine = "", "near.cosine"
    arguments = {**given, "space": space.id, "short": vector_text(prefix(query, space))}
    if _is_partial(space):
        whole = "JOIN memory_widevector whole USING (user_id, drawer_id, space_id, start)"
        cosine = "-(whole.embedding <#> %(whole)s::halfvec)"
        arguments["whole"] = vector_text(query)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT drawer_id, start, near.length, {cosine} AS score FROM ({near}) AS near {whole}
            ORDER BY score DESC, drawer_id, start
            """,  # noqa: S608 - made of the constants above only
            arguments,
        )
        rows: list[_Chunk] = cursor.fetchall()
    return rows


def _is_partial(space: EmbeddingSpace) -> bool:
    return space.search_dimensions < space.dimensions


def matching(
    user_id: UUID, words: Sequence[str], most: int, part: Part = WHOLE_PALACE
) -> list[WordDrawer]:
    """Up to `most` drawers by the rarity of the words they share with the question, best first.
    A word may be followed by other forms of it, each after a `|`; any of them counts as the word.

    The rarest words choose the candidates, at most about 1,000; every word counts in the score.
    Where few drawers lie, every word chooses.
    """
    rarity = rarity_of(user_id, words)
    if not rarity:
        return []
    driving = rarest(rarity, MOST_WORD_CANDIDATES) if part.few is None else rarity
    function = _MATCH if part.is_everywhere else _MATCH_WITHIN
    given = {
        "driving": " | ".join(term.query for term in driving),
        "terms": [term.query for term in rarity],
        "weights": [term.weight for term in rarity],
        "user": user_id,
        "candidates": MOST_WORD_CANDIDATES,
        "most": most,
        "few": part.few,
        **asdict(part.within),
    }
    with connection.cursor() as cursor:
        cursor.execute(function, given)
        return [WordDrawer(*row) for row in cursor.fetchall()]


def _best_chunks(rows: Iterable[_Chunk]) -> list[NearDrawer]:
    best: dict[UUID, NearDrawer] = {}
    for drawer_id, start, length, cosine in rows:
        if drawer_id not in best:
            best[drawer_id] = NearDrawer(drawer_id, cosine, start, length)
    return list(best.values())
