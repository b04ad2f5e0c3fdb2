"""The two searches of recall, by meaning and by words. With `memory.index` and
`memory.inspecting` the only SQL for them.

All functions work on one person's rows, inside that person's tenant.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from pgvector import HalfVector

from llm.types import Vectors
from memory.common_words import COMMON_WORDS
from memory.index import prefix
from memory.models import EmbeddingSpace
from memory.word_forms import FORMS

MOST_WORD_CANDIDATES = 2000
RESCORED = 300
WEIGHED, MOST_WEIGHED = 800, 1000

_Chunk = tuple[UUID, int, int, float]


@dataclass(frozen=True, slots=True)
class NearDrawer:
    """A drawer found by meaning: the raw cosine of its best chunk, and that chunk's range."""

    drawer_id: UUID
    cosine: float
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class WordDrawer:
    """A drawer found by its words: a BM25-like score (a little over 0 to about 1), and the share
    (0 to 1) of the question's rarity that it covers."""

    drawer_id: UUID
    room_id: UUID
    score: float
    coverage: float


def nearest(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, most: int, *, indexed: bool = False
) -> list[NearDrawer]:
    """Up to `most` drawers by the cosine of their best chunk, best first. Exact; but with `indexed`
    the person's own index is asked, which may miss a few (`memory.own_index`). Where only the
    beginning of each vector is searched, the best few hundred are scored by the whole."""
    count = max(RESCORED, most * 2) if _is_partial(space) else most * 2
    while True:
        rows = _near_chunks(user_id, space, query, count, indexed=indexed)
        found = _best_chunks(rows)
        if len(found) >= most or len(rows) < count or indexed:
            return found[:most]
        count *= 4


def cosines(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, drawer_ids: Sequence[UUID]
) -> list[NearDrawer]:
    """The best chunk of each of these drawers, for those that have a vector."""
    if not drawer_ids:
        return []
    # One look by key for each, whatever the planner believes about the table.
    near = """
        SELECT user_id, drawer_id, space_id, start, length, -(embedding <#> %s::halfvec) AS cosine
        FROM unnest(%s::uuid[]) AS wanted CROSS JOIN LATERAL (
          SELECT * FROM memory_drawervector
          WHERE user_id = %s AND drawer_id = wanted AND space_id = %s
          ORDER BY user_id, drawer_id, space_id, start
        ) AS chunk
    """
    short = _text(prefix(query, space))
    rows = _scored(near, [short, list(drawer_ids), user_id, space.id], space, query)
    return _best_chunks(rows)


def _near_chunks(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, count: int, *, indexed: bool
) -> list[_Chunk]:
    vector, asked = "embedding", "%s::halfvec"
    if indexed:
        size = space.search_dimensions
        vector, asked = f"embedding::halfvec({size})", f"%s::halfvec({size})"
    near = f"""
        SELECT user_id, drawer_id, space_id, start, length, -({vector} <#> {asked}) AS cosine
        FROM memory_drawervector
        WHERE user_id = %s AND space_id = %s AND NOT hidden
        ORDER BY {vector} <#> {asked} LIMIT %s
    """  # noqa: S608 - made of a number of the space and constants only
    short = _text(prefix(query, space))
    with transaction.atomic(savepoint=False):
        if indexed:
            _look_well(count)
        return _scored(near, [short, user_id, space.id, short, count], space, query)


def _look_well(count: int) -> None:
    """Let the index of the next search weigh at least 800 candidates."""
    with connection.cursor() as cursor:
        weighed = str(min(MOST_WEIGHED, max(WEIGHED, count)))
        cursor.execute("SELECT set_config('hnsw.ef_search', %s, true)", [weighed])


def _scored(near: str, arguments: list[Any], space: EmbeddingSpace, query: Vectors) -> list[_Chunk]:
    """The chunks that `near` selects, best first, scored by their whole vectors."""
    whole, cosine = "", "near.cosine"
    if _is_partial(space):
        whole = "JOIN memory_widevector whole USING (user_id, drawer_id, space_id, start)"
        cosine = "-(whole.embedding <#> %s::halfvec)"
        arguments = [_text(query), *arguments]
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


def _text(vector: Vectors) -> str:
    text: str = HalfVector(vector).to_text()
    return text


def matching(user_id: UUID, words: Sequence[str], most: int) -> list[WordDrawer]:
    """Up to `most` drawers by the rarity of the words they share with the question, best first.
    A word may be followed by other forms of it, each after a `|`; any of them counts as the word.

    The rarest words choose the candidates, at most about 2,000; every word counts in the score.
    """
    rarity = _rarity(user_id, words)
    if not rarity:
        return []
    driving = _driving(rarity)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT drawer_id, room_id, score, coverage FROM memory_match_words(
              %s::tsquery, %s::tsquery[], %s::real[],
              (SELECT greatest(1, words_indexed::real / greatest(1, drawers_indexed))::real
               FROM memory_palace WHERE user_id = %s),
              %s, %s)
            """,
            [
                " | ".join(term.query for term in driving),
                [term.query for term in rarity],
                [term.weight for term in rarity],
                user_id,
                MOST_WORD_CANDIDATES,
                most,
            ],
        )
        return [WordDrawer(*row) for row in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class _Term:
    lexemes: tuple[str, ...]
    drawers: int
    weight: float

    @property
    def query(self) -> str:
        """Any of its forms, as a query."""
        return " | ".join(_quoted(lexeme) for lexeme in self.lexemes)


def _rarity(user_id: UUID, words: Sequence[str]) -> list[_Term]:
    """The question's terms, rarest first, each with its share of the question's rarity. Of the
    forms of one word those count that somebody has said; the commonest tells how rare it is. A
    common word that nobody has said ("tell") is no part of it."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT asked.word, asked.lexeme, coalesce(known.drawers, 0), palace.drawers_indexed
            FROM (SELECT word, unnest(tsvector_to_array(
                    to_tsvector('english', translate(word, '|', ' ')))) AS lexeme
                  FROM unnest(%s::text[]) AS word) AS asked
            JOIN memory_palace palace ON palace.user_id = %s
            LEFT JOIN memory_lexeme known
              ON known.user_id = palace.user_id AND known.lexeme = asked.lexeme
            WHERE known.drawers > 0
               OR NOT asked.lexeme = ANY(tsvector_to_array(to_tsvector('english', %s)))
            """,
            [list(words), user_id, " ".join(COMMON_WORDS.intersection(words))],
        )
        rows = cursor.fetchall()
    total = rows[0][3] if rows else 0
    found = _terms([(word, lexeme, drawers) for word, lexeme, drawers, _ in rows])
    weighed = [(lexemes, count, _idf(count, total)) for lexemes, count in found]
    whole = sum(weight for _, _, weight in weighed)
    terms = [_Term(lexemes, count, weight / whole) for lexemes, count, weight in weighed if count]
    return sorted(terms, key=lambda term: (term.drawers, term.lexemes))


def _terms(rows: Sequence[tuple[str, str, int]]) -> list[tuple[tuple[str, ...], int]]:
    """The forms of each word that were said, and in how many drawers the commonest of them is;
    words whose forms are the same are one."""
    by_word: dict[str, dict[str, int]] = {}
    for word, lexeme, drawers in rows:
        one = word if FORMS in word else lexeme
        by_word.setdefault(one, {})[lexeme] = drawers
    found: dict[tuple[str, ...], int] = {}
    for forms in by_word.values():
        said = {lexeme: drawers for lexeme, drawers in forms.items() if drawers} or forms
        found[tuple(sorted(said))] = max(said.values())
    return list(found.items())


def _idf(drawers: int, total: int) -> float:
    seen = min(max(drawers, 1), total)
    return log(1 + (total - seen + 0.5) / (seen + 0.5))


def _driving(rarity: Sequence[_Term]) -> list[_Term]:
    chosen: list[_Term] = []
    expected = 0
    for term in rarity:
        expected += term.drawers
        if chosen and expected > MOST_WORD_CANDIDATES:
            break
        chosen.append(term)
    return chosen


def _quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _best_chunks(rows: Iterable[_Chunk]) -> list[NearDrawer]:
    best: dict[UUID, NearDrawer] = {}
    for drawer_id, start, length, cosine in rows:
        best.setdefault(drawer_id, NearDrawer(drawer_id, cosine, start, length))
    return list(best.values())
