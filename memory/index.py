"""The only SQL for vectors and full text: filing, hiding, and the two searches of recall.

All functions work on one person's rows, inside that person's tenant.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from llm.types import EmbeddingModel, Vectors
from memory.models import DrawerVector, EmbeddingSpace, WideVector

MOST_WORD_CANDIDATES = 2000


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A vector ready to be filed: full length, unit, with its character range."""

    drawer_id: UUID
    start: int
    length: int
    vector: Vectors


@dataclass(frozen=True, slots=True)
class WordsRow:
    """Prepared text (`memory.lexical.index_text`) ready to be filed."""

    drawer_id: UUID
    room_id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class NearDrawer:
    """A drawer found by meaning: the raw cosine of its best chunk, and that chunk's range."""

    drawer_id: UUID
    room_id: UUID
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


def space_for(model: EmbeddingModel) -> EmbeddingSpace:
    """The stored number of an embedding model at its version."""
    return EmbeddingSpace.objects.get_or_create(
        name=model.name,
        version=model.version,
        defaults={
            "dimensions": model.dimensions,
            "search_dimensions": model.search_dimensions,
        },
    )[0]


def file_vectors(user_id: UUID, space: EmbeddingSpace, rows: Iterable[ChunkRow]) -> int:
    """Store the vectors that are not there yet; returns how many were given.

    Runs in a transaction, so that no vector is stored without the longer one behind it.
    """
    given = list(rows)
    DrawerVector.objects.bulk_create(
        (
            DrawerVector(
                user_id=user_id,
                drawer_id=row.drawer_id,
                space=space,
                start=row.start,
                length=row.length,
                embedding=HalfVector(_prefix(row.vector, space)),
            )
            for row in given
        ),
        ignore_conflicts=True,
    )
    if space.search_dimensions < space.dimensions:
        WideVector.objects.bulk_create(
            (
                WideVector(
                    user_id=user_id,
                    drawer_id=row.drawer_id,
                    space=space,
                    start=row.start,
                    embedding=HalfVector(row.vector),
                )
                for row in given
            ),
            ignore_conflicts=True,
        )
    return len(given)


def file_words(user_id: UUID, rows: Sequence[WordsRow]) -> None:
    """Make drawers findable by their words and count the rarity of each word."""
    if not rows:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO memory_drawerwords (user_id, id, room_id, length, words, hidden)
            SELECT %s, id, room_id, greatest(1, length(words)), words, false FROM (
              SELECT id, room_id, to_tsvector('english', text) AS words
              FROM unnest(%s::uuid[], %s::uuid[], %s::text[]) AS given(id, room_id, text)
            ) AS analysed
            """,
            [
                user_id,
                [row.drawer_id for row in rows],
                [row.room_id for row in rows],
                [row.text for row in rows],
            ],
        )
    _count_words(user_id, [row.drawer_id for row in rows], added=True)


def hide(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Take drawers out of every search at once."""
    _set_hidden(user_id, drawer_ids, hidden=True)


def show(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Put hidden drawers back into every search."""
    _set_hidden(user_id, drawer_ids, hidden=False)


def forget_words(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Take drawers that are about to be erased out of the counts of words, and drop the words
    that no other drawer has."""
    hide(user_id, drawer_ids)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            DELETE FROM memory_lexeme known WHERE known.user_id = %s AND known.drawers = 0
              AND known.lexeme IN (
                SELECT unnest(tsvector_to_array(entry.words)) FROM memory_drawerwords entry
                WHERE entry.user_id = %s AND entry.id = ANY(%s))
            """,
            [user_id, user_id, list(drawer_ids)],
        )


def nearest(user_id: UUID, space: EmbeddingSpace, query: Vectors, most: int) -> list[NearDrawer]:
    """Up to `most` drawers by the cosine of their best chunk, exactly, best first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT near.drawer_id, drawer.room_id, near.start, near.length, near.cosine FROM (
              SELECT drawer_id, start, length, -(embedding <#> %s::halfvec) AS cosine
              FROM memory_drawervector
              WHERE user_id = %s AND space_id = %s AND NOT hidden
              ORDER BY embedding <#> %s::halfvec LIMIT %s
            ) AS near
            JOIN memory_drawerwords drawer ON drawer.user_id = %s AND drawer.id = near.drawer_id
            ORDER BY near.cosine DESC, near.drawer_id, near.start
            """,
            [*_search_arguments(user_id, space, query), most * 2, user_id],
        )
        rows = cursor.fetchall()
    return _best_chunks(rows)[:most]


def cosines(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, drawer_ids: Sequence[UUID]
) -> list[NearDrawer]:
    """The best chunk of each of these drawers, for those that have a vector."""
    if not drawer_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT vector.drawer_id, drawer.room_id, vector.start, vector.length,
                   -(vector.embedding <#> %s::halfvec) AS cosine
            FROM memory_drawervector vector
            JOIN memory_drawerwords drawer
              ON drawer.user_id = vector.user_id AND drawer.id = vector.drawer_id
            WHERE vector.user_id = %s AND vector.space_id = %s AND vector.drawer_id = ANY(%s)
            ORDER BY cosine DESC, vector.drawer_id, vector.start
            """,
            [*_search_arguments(user_id, space, query)[:3], list(drawer_ids)],
        )
        rows = cursor.fetchall()
    return _best_chunks(rows)


def matching(user_id: UUID, words: Sequence[str], most: int) -> list[WordDrawer]:
    """Up to `most` drawers by the rarity of the words they share with the question, best first.

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
                " | ".join(_quoted(term.lexeme) for term in driving),
                [_quoted(term.lexeme) for term in rarity],
                [term.weight for term in rarity],
                user_id,
                MOST_WORD_CANDIDATES,
                most,
            ],
        )
        return [WordDrawer(*row) for row in cursor.fetchall()]


def without_vectors(user_id: UUID, space: EmbeddingSpace, most: int) -> list[UUID]:
    """Live drawers that have no vector of this model yet, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT drawer.id FROM memory_drawer drawer
            WHERE drawer.user_id = %s AND drawer.deleted_at IS NULL AND drawer.content ~ '\\S'
              AND NOT EXISTS (
                SELECT 1 FROM memory_drawervector vector
                WHERE vector.user_id = drawer.user_id AND vector.drawer_id = drawer.id
                  AND vector.space_id = %s)
            ORDER BY drawer.id LIMIT %s
            """,
            [user_id, space.id, most],
        )
        return [row[0] for row in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class _Term:
    lexeme: str
    drawers: int
    weight: float


def _rarity(user_id: UUID, words: Sequence[str]) -> list[_Term]:
    """The question's lexemes, rarest first, each with its share of the question's rarity."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT asked.lexeme, coalesce(known.drawers, 0), palace.drawers_indexed
            FROM unnest(to_tsvector('english', %s)) AS asked
            JOIN memory_palace palace ON palace.user_id = %s
            LEFT JOIN memory_lexeme known
              ON known.user_id = palace.user_id AND known.lexeme = asked.lexeme
            ORDER BY 2, 1
            """,
            [" ".join(words), user_id],
        )
        rows = [(lexeme, count, _idf(count, total)) for lexeme, count, total in cursor]
    whole = sum(weight for _, _, weight in rows)
    return [_Term(lexeme, count, weight / whole) for lexeme, count, weight in rows if count]


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


def _prefix(vector: Vectors, space: EmbeddingSpace) -> Vectors:
    if space.search_dimensions >= space.dimensions:
        return vector
    part: Vectors = vector[: space.search_dimensions]
    length = float((part @ part) ** 0.5) or 1.0
    return part / length


def _search_arguments(
    user_id: UUID, space: EmbeddingSpace, query: Vectors
) -> tuple[str, UUID, int, str]:
    text = HalfVector(_prefix(query, space)).to_text()
    return text, user_id, space.id, text


def _best_chunks(rows: Iterable[tuple[UUID, UUID, int, int, float]]) -> list[NearDrawer]:
    best: dict[UUID, NearDrawer] = {}
    for drawer_id, room_id, start, length, cosine in rows:
        best.setdefault(drawer_id, NearDrawer(drawer_id, room_id, cosine, start, length))
    return list(best.values())


def _set_hidden(user_id: UUID, drawer_ids: Sequence[UUID], *, hidden: bool) -> None:
    ids = list(drawer_ids)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE memory_drawerwords SET hidden = %s
            WHERE user_id = %s AND id = ANY(%s) AND hidden <> %s RETURNING id
            """,
            [hidden, user_id, ids, hidden],
        )
        changed = [row[0] for row in cursor.fetchall()]
        cursor.execute(
            """
            UPDATE memory_drawervector SET hidden = %s
            WHERE user_id = %s AND drawer_id = ANY(%s) AND hidden <> %s
            """,
            [hidden, user_id, ids, hidden],
        )
    _count_words(user_id, changed, added=not hidden)


def _count_words(user_id: UUID, drawer_ids: Sequence[UUID], *, added: bool) -> None:
    sign = 1 if added else -1
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO memory_lexeme AS known (user_id, lexeme, drawers)
            SELECT %s, lexeme, count(*) FROM memory_drawerwords entry
            CROSS JOIN LATERAL unnest(tsvector_to_array(entry.words)) AS lexeme
            WHERE entry.user_id = %s AND entry.id = ANY(%s)
            GROUP BY lexeme ORDER BY lexeme
            ON CONFLICT (user_id, lexeme)
            DO UPDATE SET drawers = greatest(0, known.drawers + %s * EXCLUDED.drawers)
            """,
            [user_id, user_id, list(drawer_ids), sign],
        )
        cursor.execute(
            """
            UPDATE memory_palace SET
              drawers_indexed = greatest(0, drawers_indexed + %s * part.drawers),
              words_indexed = greatest(0, words_indexed + %s * part.words)
            FROM (SELECT count(*) AS drawers, coalesce(sum(length), 0) AS words
                  FROM memory_drawerwords WHERE user_id = %s AND id = ANY(%s)) AS part
            WHERE user_id = %s
            """,
            [sign, sign, user_id, list(drawer_ids), user_id],
        )
