"""Store, hide and count vectors and words. `memory.search.queries` holds the SQL that searches them.

Every query names the user and runs inside that user's tenant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.db.models.functions import Length
from pgvector import HalfVector

from llm.types import EmbeddingModel, Vectors
from memory.models import Drawer, DrawerVector, EmbeddingSpace, SentenceVectors, WideVector
from memory.search.sentence_vectors import MIN_CHARACTERS
from memory.sql import execute, fetch, fetch_value

FIRST = UUID(int=0)
MIN_CHANGES, SHARE_CHANGED = 50, 0.1
"""Rows and share of a table that must change before it is analysed again."""


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A full-length unit vector to store, with the character range it covers."""

    drawer_id: UUID
    start: int
    length: int
    vector: Vectors


def space_for(model: EmbeddingModel) -> EmbeddingSpace:
    """The embedding space of a model at its version, created on first use."""
    return EmbeddingSpace.objects.get_or_create(
        name=model.name,
        version=model.version,
        defaults={
            "dimensions": model.dimensions,
            "search_dimensions": model.search_dimensions,
        },
    )[0]


def file_vectors(user_id: UUID, space: EmbeddingSpace, rows: Sequence[ChunkRow]) -> None:
    """Store missing vectors. Call inside a transaction, so that no search prefix is stored without its full
    vector."""
    places = [
        {"user_id": user_id, "drawer_id": row.drawer_id, "space": space, "start": row.start} for row in rows
    ]
    pairs = list(zip(rows, places, strict=True))
    searched = (
        DrawerVector(length=row.length, embedding=HalfVector(prefix(row.vector, space)), **place)
        for row, place in pairs
    )
    DrawerVector.objects.bulk_create(searched, ignore_conflicts=True)
    if space.search_dimensions < space.dimensions:
        whole = (WideVector(embedding=HalfVector(row.vector), **place) for row, place in pairs)
        WideVector.objects.bulk_create(whole, ignore_conflicts=True)
    _record_space(user_id, space)


def file_sentences(user_id: UUID, space: EmbeddingSpace, rows: Mapping[UUID, bytes]) -> None:
    """Store sentence vectors, packed by drawer, of drawers that have none in this space."""
    SentenceVectors.objects.bulk_create(
        (
            SentenceVectors(user_id=user_id, drawer_id=drawer_id, space=space, kept=kept)
            for drawer_id, kept in rows.items()
        ),
        ignore_conflicts=True,
    )


def _record_space(user_id: UUID, space: EmbeddingSpace) -> None:
    """Activate the first space with vectors; note when there are vectors of another space too."""
    execute(
        """
        UPDATE memory_palace
        SET active_space_id = coalesce(active_space_id, %s),
          mixed = coalesce(active_space_id <> %s, false)
        WHERE user_id = %s AND (active_space_id IS NULL OR active_space_id <> %s AND NOT mixed)
        """,
        [space.id, space.id, user_id, space.id],
    )


def file_words(user_id: UUID, rows: Sequence[tuple[UUID, UUID, str]]) -> None:
    """Add drawers to full-text search and update the document frequency of their words. Each row has the ids
    of the drawer and its room, and text prepared by `tokenization.index_text`."""
    if not rows:
        return
    drawer_ids, room_ids, texts = map(list, zip(*rows, strict=True))
    execute(
        """
        INSERT INTO memory_drawerwords (user_id, id, room_id, length, words, hidden)
        SELECT %s, id, room_id, greatest(1, length(words)), words, false FROM (
          SELECT id, room_id, to_tsvector('english', text) AS words
          FROM unnest(%s::uuid[], %s::uuid[], %s::text[]) AS given(id, room_id, text)
        ) AS analysed
        """,
        [user_id, drawer_ids, room_ids, texts],
    )
    _count_words(user_id, drawer_ids, added=True)


def hide(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Take drawers out of every search."""
    _set_hidden(user_id, drawer_ids, hidden=True)


def show(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Put hidden drawers back into every search."""
    _set_hidden(user_id, drawer_ids, hidden=False)


def _set_hidden(user_id: UUID, drawer_ids: Sequence[UUID], *, hidden: bool) -> None:
    ids = list(drawer_ids)
    changed = fetch(
        """
        UPDATE memory_drawerwords SET hidden = %s
        WHERE user_id = %s AND id = ANY(%s) AND hidden <> %s RETURNING id
        """,
        [hidden, user_id, ids, hidden],
    )
    vectors = DrawerVector.objects.filter(user_id=user_id, drawer_id__in=ids)
    vectors.exclude(hidden=hidden).update(hidden=hidden)
    _count_words(user_id, [drawer_id for (drawer_id,) in changed], added=not hidden)


def forget_words(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Remove drawers about to be erased from the word counts, with words that no other drawer has."""
    hide(user_id, drawer_ids)
    execute(
        """
        DELETE FROM memory_lexeme known WHERE known.user_id = %s AND known.drawers = 0
          AND known.lexeme IN (
            SELECT unnest(tsvector_to_array(entry.words)) FROM memory_drawerwords entry
            WHERE entry.user_id = %s AND entry.id = ANY(%s))
        """,
        [user_id, user_id, list(drawer_ids)],
    )


def without_vectors(user_id: UUID, space: EmbeddingSpace, limit: int, after: UUID = FIRST) -> list[UUID]:
    """Live drawers after the id `after` that have no vector in this space, oldest first.

    Usually there are none: every vector belongs to a drawer, so equal counts mean that none is missing, and
    counting is faster than comparing.
    """
    rows = fetch(
        """
        SELECT drawer.id FROM memory_drawer drawer
        WHERE (SELECT count(*) FROM memory_drawer WHERE user_id = %(user)s)
            > (SELECT count(DISTINCT drawer_id) FROM memory_drawervector
               WHERE user_id = %(user)s AND space_id = %(space)s)
          AND drawer.user_id = %(user)s AND drawer.id > %(after)s AND drawer.deleted_at IS NULL
          AND NOT EXISTS (
            SELECT 1 FROM memory_drawervector vector
            WHERE vector.user_id = drawer.user_id AND vector.drawer_id = drawer.id
              AND vector.space_id = %(space)s)
          AND EXISTS (  -- only few are read: a condition of the drawer itself would read all
            SELECT 1 FROM memory_drawer known
            WHERE known.user_id = drawer.user_id AND known.id = drawer.id AND known.content ~ '\\S')
        ORDER BY drawer.id LIMIT %(limit)s
        """,
        {"user": user_id, "space": space.id, "after": after, "limit": limit},
    )
    return [drawer_id for (drawer_id,) in rows]


def without_sentences(user_id: UUID, space: EmbeddingSpace, limit: int) -> list[UUID]:
    """Live drawers of the user's own words that have chunk vectors in this space but no sentence row, oldest
    first."""
    here = {"user_id": user_id, "space_id": space.id, "drawer_id": OuterRef("id")}
    said = Drawer.objects.live().filter(user_id=user_id, role__in=(Drawer.Role.USER, Drawer.Role.NOTE))
    missing = said.alias(length=Length("content")).filter(
        Exists(DrawerVector.objects.filter(length__gt=0, **here)),
        ~Exists(SentenceVectors.objects.filter(**here)),
        length__gte=MIN_CHARACTERS,
    )
    return list(missing.order_by("id").values_list("id", flat=True)[:limit])


def remove_other_vectors(user_id: UUID, space: EmbeddingSpace, limit: int) -> int:
    """Remove up to `limit` vectors of one kind from other spaces; returns how many, 0 when none is left."""
    for table in ("drawervector", "widevector", "sentencevectors", "factvector"):
        count = execute(
            f"""
            DELETE FROM memory_{table} WHERE user_id = %s AND ctid = ANY(ARRAY(
              SELECT ctid FROM memory_{table}
              WHERE user_id = %s AND space_id <> %s LIMIT %s))
            """,  # noqa: S608 - made of the constants above only
            [user_id, user_id, space.id, limit],
        )
        if count:
            return count
    return 0


def prefix(vector: Vectors, space: EmbeddingSpace | EmbeddingModel) -> Vectors:
    """The searched part of a vector at unit length: all of it, or its first dimensions."""
    if space.search_dimensions >= space.dimensions:
        return vector
    part: Vectors = vector[: space.search_dimensions]
    length = float((part @ part) ** 0.5) or 1.0
    return part / length


def _count_words(user_id: UUID, drawer_ids: Sequence[UUID], *, added: bool) -> None:
    sign = 1 if added else -1
    execute(
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
    execute(
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


def analyze_changed_tables() -> int:
    """Run ANALYZE on memory tables that changed a lot, because autovacuum may take minutes after an
    import; returns how many."""
    return int(fetch_value("SELECT memory_analyse_changed(%s, %s)", [MIN_CHANGES, SHARE_CHANGED]))


def discard_statistics() -> None:
    """Rebuild the planner's statistics, which keep samples of erased values until the next ANALYZE."""
    execute("SELECT memory_forget_samples()")
