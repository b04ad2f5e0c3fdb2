"""Search one user's vectors and words, in all or part of the palace.

`memory.search.index` holds the SQL that writes them. Every query names the user and runs inside that user's
tenant.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from itertools import starmap
from math import log
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db import transaction

from llm.types import Vectors
from memory.models import EmbeddingSpace
from memory.search.index import prefix
from memory.search.sentence_vectors import nearest_sentence
from memory.sql import execute, fetch, fetch_prepared, fetch_value
from memory.text.stemming import FORMS
from memory.text.stop_words import COMMON_WORDS

MAX_WORD_CANDIDATES = 1000
MIN_RESCORED = 300
MIN_EF_SEARCH, MAX_EF_SEARCH = 800, 1000
MAX_SCANNED = 100_000
"""How many tuples the ANN index may scan for drawers inside the search scope."""

MAX_EXACT_DRAWERS = 3_000
"""Up to this many drawers in scope are all compared with the question."""

_CONDITIONS = {
    "wing_id": "drawer.wing_id = %(wing_id)s",
    "wing_kind": "drawer.wing_id IN (SELECT wing.id FROM memory_wing wing "
    "WHERE wing.user_id = drawer.user_id AND wing.kind = %(wing_kind)s)",
    "role": "drawer.role = %(role)s",
    "since": "drawer.said_at >= %(since)s",
    "until": "drawer.said_at < %(until)s",
}
_MATCH_ARGUMENTS = """
  %(driving)s::tsquery, %(terms)s::tsquery[], %(weights)s::real[],
  (SELECT greatest(1, words_indexed::real / greatest(1, drawers_indexed))::real
   FROM memory_palace WHERE user_id = %(user)s),
  %(candidates)s, %(most)s
"""
_MATCH = f"""
SELECT drawer_id, score, coverage FROM memory_match_words({_MATCH_ARGUMENTS})
"""  # noqa: S608 - made of the constant above only
_MATCH_WITHIN = f"""
SELECT drawer_id, score, coverage FROM memory_match_words_within({_MATCH_ARGUMENTS},
  %(few)s::uuid[],
  CASE WHEN %(wing_id)s::uuid IS NOT NULL OR %(wing_kind)s <> '' THEN
    ARRAY(SELECT wing.id FROM memory_wing wing WHERE wing.user_id = %(user)s
          AND (%(wing_id)s::uuid IS NULL OR wing.id = %(wing_id)s)
          AND (%(wing_kind)s = '' OR wing.kind = %(wing_kind)s)) END,
  %(role)s, %(since)s::timestamptz, %(until)s::timestamptz)
"""  # noqa: S608 - made of the constant above only

_Chunk = tuple[UUID, float, int, int]


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """The filters of a search; empty ones do not narrow it. `since` and `until` are half-open."""

    wing_id: UUID | None = None
    wing_kind: str = ""
    role: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_everywhere(self) -> bool:
        """Whether no filter narrows the search."""
        return self == EVERYWHERE

    @property
    def condition(self) -> str:
        """A SQL condition on the drawer table aliased `drawer`, using `parameters` by name."""
        return " AND ".join((*(_CONDITIONS[name] for name in self.parameters), "TRUE"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The values `condition` needs."""
        return {name: getattr(self, name) for name in _CONDITIONS if getattr(self, name)}


EVERYWHERE = SearchFilters()


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Filters, and the ids they select if there are few. The ids stay PostgreSQL array text, so that
    thousands of them are never parsed here. `indexed` searches vectors through the user's ANN index."""

    within: SearchFilters = EVERYWHERE
    drawer_ids: str | None = None
    indexed: bool = False


WHOLE_PALACE = SearchScope()


class NearDrawer(NamedTuple):
    """A drawer found by vector: the raw cosine of its best chunk or sentence, and the range of that."""

    drawer_id: UUID
    cosine: float
    start: int
    length: int


class WordDrawer(NamedTuple):
    """A drawer found by full text: a BM25-like score (up to about 1) and the share (0 to 1) of the
    question's IDF it covers."""

    drawer_id: UUID
    score: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the question: the forms of it that occur, the number of drawers holding the most
    common form, and the word's share (0 to 1) of the question's total IDF."""

    lexemes: tuple[str, ...]
    drawers: int
    weight: float

    @property
    def query(self) -> str:
        """A tsquery that matches any of the forms."""
        return " | ".join(_quoted(lexeme) for lexeme in self.lexemes)


def scope_of(user_id: UUID, within: SearchFilters) -> SearchScope:
    """The drawers these filters select; without filters, no query is made."""
    if within.is_everywhere:
        return WHOLE_PALACE
    sql = f"""
        WITH lying AS MATERIALIZED (
          SELECT drawer.id FROM memory_drawer drawer
          WHERE drawer.user_id = %(user)s AND drawer.deleted_at IS NULL AND {within.condition}
          LIMIT %(few)s + 1
        )
        SELECT CASE WHEN (SELECT count(*) FROM lying) <= %(few)s
                    THEN (SELECT coalesce(array_agg(id), '{{}}')::text FROM lying) END
    """  # noqa: S608 - made of constants only
    few = {"user": user_id, "few": MAX_EXACT_DRAWERS}
    return SearchScope(within, fetch_value(sql, {**few, **within.parameters}))


def id_array(ids: Iterable[UUID]) -> str:
    """Ids as a `%s::uuid[]` parameter: far cheaper than letting the adapter convert hundreds of UUIDs."""
    return f"{{{','.join([f'{each.int:032x}' for each in ids])}}}"


def vector_text(vector: Vectors) -> str:
    """A one-dimensional vector as `halfvec` text, in just enough digits to tell numbers apart; cached because
    recall sends the same vector several times."""
    return _format_halfvec(vector.astype("<f4", copy=False).tobytes())


@lru_cache(maxsize=16)
def _format_halfvec(vector: bytes) -> str:
    numbers = np.frombuffer(vector, dtype="<f4").astype("<f2").tolist()
    return f"[{','.join(['%.5g'] * len(numbers)) % tuple(numbers)}]"


def nearest(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, limit: int, scope: SearchScope = WHOLE_PALACE
) -> list[NearDrawer]:
    """Up to `limit` drawers by the cosine of their best chunk, best first. Exact unless the scope uses the
    user's ANN index. Spaces that search a vector prefix rescore the best few hundred by the full vector."""
    if scope.drawer_ids is not None:
        return _compare(user_id, space, query, scope.drawer_ids)[:limit]
    count = max(MIN_RESCORED, limit * 2) if _is_partial(space) else limit * 2
    while True:
        rows = _near_chunks(user_id, space, query, count, scope)
        found = _best_chunks(rows)
        if len(found) >= limit or len(rows) < count or scope.indexed:
            return found[:limit]
        count *= 4


def cosines(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, drawer_ids: Sequence[UUID]
) -> list[NearDrawer]:
    """The best chunk of each of these drawers that has a vector, best first."""
    if not drawer_ids:
        return []
    return _compare(user_id, space, query, id_array(drawer_ids))


def _compare(user_id: UUID, space: EmbeddingSpace, query: Vectors, drawer_ids: str) -> list[NearDrawer]:
    # One key lookup per drawer, whatever the planner's statistics say.
    near = """
        SELECT user_id, drawer_id, space_id, start, length, embedding <#> %(short)s::halfvec AS distance
        FROM unnest(%(wanted)s::uuid[]) AS wanted CROSS JOIN LATERAL (
          SELECT * FROM memory_drawervector
          WHERE user_id = %(user)s AND drawer_id = wanted AND space_id = %(space)s
          ORDER BY user_id, drawer_id, space_id, start
        ) AS chunk
    """
    rows = fetch_prepared(*_rescored(near, {"user": user_id, "wanted": drawer_ids}, space, query))
    return _best_chunks(rows)


def _near_chunks(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, count: int, scope: SearchScope
) -> list[_Chunk]:
    vector, operand = "embedding", "%(short)s::halfvec"
    if scope.indexed:
        size = space.search_dimensions
        vector, operand = f"embedding::halfvec({size})", f"{operand}({size})"
    near = f"""
        SELECT user_id, drawer_id, space_id, start, length, {vector} <#> {operand} AS distance
        FROM memory_drawervector
        WHERE user_id = %(user)s AND space_id = %(space)s AND NOT hidden AND {_scope_condition(scope)}
        ORDER BY distance LIMIT %(count)s
    """  # noqa: S608 - made of a number of the space and constants only
    params = {"user": user_id, "count": count, **scope.within.parameters}
    # Not prepared: only a plan for this user can use their index.
    if not scope.indexed:
        return fetch(*_rescored(near, params, space, query))
    with transaction.atomic(savepoint=False):
        _configure_index_scan(count, scope)
        return fetch(*_rescored(near, params, space, query))


def _scope_condition(scope: SearchScope) -> str:
    """SQL that keeps only vectors of drawers in scope. With the index, each drawer is looked up as its
    vector arrives; otherwise the planner decides."""
    if scope.within.is_everywhere:
        return "TRUE"
    drawer = """memory_drawer drawer WHERE drawer.user_id = memory_drawervector.user_id
          AND drawer.id = memory_drawervector.drawer_id"""
    condition = scope.within.condition
    if scope.indexed:
        return f"(SELECT {condition} FROM {drawer})"  # noqa: S608 - made of constants only
    return f"EXISTS (SELECT FROM {drawer} AND {condition})"


def _configure_index_scan(count: int, scope: SearchScope) -> None:
    """Make the index weigh at least 800 candidates, and keep scanning while too few are in scope."""
    ef_search = str(min(MAX_EF_SEARCH, max(MIN_EF_SEARCH, count)))
    iterative_scan = "off" if scope.within.is_everywhere else "relaxed_order"
    execute(
        """
        SELECT set_config('hnsw.ef_search', %s, true),
          set_config('hnsw.iterative_scan', %s, true),
          set_config('hnsw.max_scan_tuples', %s, true)
        """,
        [ef_search, iterative_scan, str(MAX_SCANNED)],
    )


def _rescored(
    near: str, params: Mapping[str, Any], space: EmbeddingSpace, query: Vectors
) -> tuple[str, dict[str, Any]]:
    """A query for the chunks selected by `near`, rescored by their full vectors, best first."""
    whole, distance = "", "near.distance"
    values = {**params, "space": space.id, "short": vector_text(prefix(query, space))}
    if _is_partial(space):
        whole = "JOIN memory_widevector whole USING (user_id, drawer_id, space_id, start)"
        distance = "whole.embedding <#> %(whole)s::halfvec"
        values["whole"] = vector_text(query)
    rescored = f"""
        SELECT drawer_id, -({distance}) AS score, start, near.length FROM ({near}) AS near {whole}
        ORDER BY score DESC, drawer_id, start
    """  # noqa: S608 - made of the constants above only
    return rescored, values


def _is_partial(space: EmbeddingSpace) -> bool:
    return space.search_dimensions < space.dimensions


def best_sentences(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, drawer_ids: Sequence[UUID]
) -> list[NearDrawer]:
    """The best sentence of each of these drawers that has sentence vectors."""
    if not drawer_ids:
        return []
    rows = fetch_prepared(
        """
        SELECT drawer_id, kept FROM memory_sentencevectors
        WHERE user_id = %(user)s AND space_id = %(space)s AND drawer_id = ANY(%(ids)s::uuid[]) AND kept <> ''
        """,
        {"user": user_id, "space": space.id, "ids": id_array(drawer_ids)},
    )
    short = prefix(query, space)
    found = ((drawer_id, nearest_sentence(bytes(kept), short)) for drawer_id, kept in rows)
    return [NearDrawer(drawer_id, *best) for drawer_id, best in found if best is not None]


def matching(
    user_id: UUID, words: Sequence[str], limit: int, scope: SearchScope = WHOLE_PALACE
) -> list[WordDrawer]:
    """Up to `limit` drawers by the IDF of the words they share with the question, best first. A word
    may list alternative forms separated by `|`.

    The rarest words select at most about 1,000 candidates; every word counts in the score. In a small
    part of the palace, every word selects.
    """
    terms = terms_of(user_id, words)
    if not terms:
        return []
    driving = _rarest_terms(terms, MAX_WORD_CANDIDATES) if scope.drawer_ids is None else terms
    function = _MATCH if scope.within.is_everywhere else _MATCH_WITHIN
    params = {
        "driving": " | ".join(term.query for term in driving),
        "terms": [term.query for term in terms],
        "weights": [term.weight for term in terms],
        "user": user_id,
        "candidates": MAX_WORD_CANDIDATES,
        "most": limit,
        "few": scope.drawer_ids,
        **asdict(scope.within),
    }
    return list(starmap(WordDrawer, fetch_prepared(function, params)))


def _best_chunks(rows: Iterable[_Chunk]) -> list[NearDrawer]:
    best: dict[UUID, _Chunk] = {}
    for chunk in rows:
        best.setdefault(chunk[0], chunk)
    return list(map(NearDrawer._make, best.values()))


def terms_of(user_id: UUID, words: Sequence[str], unfiled: Sequence[Set[str]] = ()) -> list[Term]:
    """The question's terms, rarest first, each with its share of the question's IDF. Only forms that
    occur count, and the most common one sets the IDF. Stop words that never occur are ignored. `unfiled`
    are the lexemes of texts that are not in the index."""
    rows = fetch_prepared(
        """
        SELECT asked.word, asked.lexeme, coalesce(known.drawers, 0),
          (SELECT coalesce(max(drawers_indexed), 0) FROM memory_palace WHERE user_id = %(user)s)
        FROM (SELECT word, unnest(tsvector_to_array(
                to_tsvector('english', translate(word, '|', ' ')))) AS lexeme
              FROM unnest(%(words)s::text[]) AS word) AS asked
        LEFT JOIN LATERAL (  -- a key lookup per word, whatever the planner's statistics say
          SELECT drawers FROM memory_lexeme WHERE user_id = %(user)s AND lexeme = asked.lexeme LIMIT 1
        ) AS known ON TRUE
        WHERE known.drawers > 0
           OR NOT asked.lexeme = ANY(tsvector_to_array(to_tsvector('english', %(common)s)))
        """,
        {"words": list(words), "user": user_id, "common": " ".join(COMMON_WORDS.intersection(words))},
    )
    total = (rows[0][3] if rows else 0) + len(unfiled)
    unfiled_counts = Counter(lexeme for lexemes in unfiled for lexeme in lexemes)
    found = _group_forms(
        [(word, lexeme, drawers + unfiled_counts[lexeme]) for word, lexeme, drawers, _ in rows]
    )
    weighed = [(lexemes, count, _idf(count, total)) for lexemes, count in found]
    whole = sum(weight for _, _, weight in weighed) or 1.0
    terms = [Term(lexemes, count, weight / whole) for lexemes, count, weight in weighed if count]
    return sorted(terms, key=lambda term: (term.drawers, term.lexemes))


def _group_forms(rows: Sequence[tuple[str, str, int]]) -> list[tuple[tuple[str, ...], int]]:
    """The forms of each word that occur, with the drawer count of the most common one. Words with
    the same forms are merged."""
    by_word: dict[str, dict[str, int]] = {}
    for word, lexeme, drawers in rows:
        one = word if FORMS in word else lexeme
        by_word.setdefault(one, {})[lexeme] = drawers
    found: dict[tuple[str, ...], int] = {}
    for forms in by_word.values():
        occurring = {lexeme: drawers for lexeme, drawers in forms.items() if drawers} or forms
        found[tuple(sorted(occurring))] = max(occurring.values())
    return list(found.items())


def _idf(drawers: int, total: int) -> float:
    seen = min(max(drawers, 1), total)
    return log(1 + (total - seen + 0.5) / (seen + 0.5))


def _rarest_terms(terms: Sequence[Term], limit: int) -> list[Term]:
    """The rarest terms that together occur in at most about `limit` drawers; at least one."""
    chosen: list[Term] = []
    expected = 0
    for term in terms:
        expected += term.drawers
        if chosen and expected > limit:
            break
        chosen.append(term)
    return chosen


def _quoted(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
