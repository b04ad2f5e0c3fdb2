"""Finds facts for recall by meaning, key or kind, and the drawers that support them.

Excludes deleted, rejected, merged, archived and waiting facts. Past facts are found too, and marked as such.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from llm.types import Vectors
from memory.models import EmbeddingSpace
from memory.search.index import prefix
from memory.search.queries import vector_text
from memory.sql import fetch_prepared

SOURCES_PER_FACT = 3
_OVERSAMPLING = 4

# Facts that a model may see, current or past.
_RECALLABLE = """
  fact.deleted_at IS NULL AND fact.archived_at IS NULL AND fact.merged_into_id IS NULL
  AND fact.status IN ('active', 'superseded')
"""
# The latest few drawers that support a fact.
_SOURCES = f"""
  ARRAY(SELECT DISTINCT source.drawer_id FROM memory_factsource source
        WHERE source.user_id = fact.user_id AND source.fact_id = fact.id
        ORDER BY source.drawer_id DESC LIMIT {SOURCES_PER_FACT})
"""  # noqa: S608 - made of the constant above only
_HOLDS = """
  (fact.valid_from <= %(until)s AND (fact.valid_to IS NULL OR fact.valid_to > %(since)s))
"""


@dataclass(frozen=True, slots=True)
class DateRange:
    """The period a question is about (inclusive); often a single moment."""

    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact that was found: whether it holds at that time, its latest drawers, and the raw cosine similarity
    of its statement (0 if it was not found by meaning).
    """

    id: UUID
    key: str
    object: str
    holds: bool
    sources: Sequence[UUID] = ()
    cosine: float = 0.0


def near_facts(
    user_id: UUID, space: EmbeddingSpace, query: Vectors, period: DateRange, limit: int
) -> list[FoundFact]:
    """Up to `limit` facts by exact cosine similarity of their statements, nearest first."""
    sql = f"""
        SELECT fact.id, fact.key, fact.object, {_HOLDS}, {_SOURCES}, -near.distance
        FROM (
          SELECT user_id, fact_id, embedding <#> %(vector)s::halfvec AS distance
          FROM memory_factvector WHERE user_id = %(user)s AND space_id = %(space)s
          ORDER BY distance LIMIT %(wider)s
        ) AS near
        JOIN memory_fact fact ON fact.user_id = near.user_id AND fact.id = near.fact_id
        WHERE {_RECALLABLE} ORDER BY near.distance, fact.id LIMIT %(limit)s
    """  # noqa: S608 - made of the constants above only
    vector = vector_text(prefix(query, space))
    parameters = {"vector": vector, "space": space.id, "wider": limit * _OVERSAMPLING, "limit": limit}
    return _found(user_id, sql, period, parameters)


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Facts of one of these kinds, or with one of these predicates."""

    kinds: tuple[str, ...]
    predicates: tuple[str, ...]


def facts_matching(
    user_id: UUID,
    criteria: FactFilter,
    space_and_query: tuple[EmbeddingSpace, Vectors],
    period: DateRange,
    limit: int,
) -> list[FoundFact]:
    """Up to `limit` matching facts that their owner stated or approved, nearest to a question first."""
    space, query = space_and_query
    sql = f"""
        SELECT fact.id, fact.key, fact.object, {_HOLDS}, {_SOURCES},
               -(vector.embedding <#> %(vector)s::halfvec) AS cosine
        FROM memory_fact fact JOIN memory_factvector vector
          ON vector.user_id = fact.user_id AND vector.fact_id = fact.id
        WHERE fact.user_id = %(user)s AND vector.space_id = %(space)s
          AND (fact.kind = ANY(%(kinds)s) OR fact.predicate = ANY(%(predicates)s))
          AND (fact.authority = 'user' OR fact.review_reason <> '')
          AND {_RECALLABLE} ORDER BY cosine DESC, fact.id LIMIT %(limit)s
    """  # noqa: S608 - made of the constants above only
    vector = vector_text(prefix(query, space))
    parameters = {"vector": vector, "space": space.id, "limit": limit}
    parameters |= {"kinds": list(criteria.kinds), "predicates": list(criteria.predicates)}
    return _found(user_id, sql, period, parameters)


def facts_by_key(
    user_id: UUID, keys: Iterable[str], families: Iterable[str], period: DateRange, limit: int
) -> list[FoundFact]:
    """Up to `limit` facts with these keys, or with keys that start with one of `families` and an underscore.

    Current facts first, then the newest.
    """
    sql = f"""
        SELECT fact.id, fact.key, fact.object, {_HOLDS} AS holds, {_SOURCES}
        FROM memory_fact fact
        WHERE fact.user_id = %(user)s AND (fact.key = ANY(%(keys)s) OR fact.key LIKE ANY(%(like)s))
          AND {_RECALLABLE} ORDER BY holds DESC, fact.valid_from DESC, fact.id LIMIT %(limit)s
    """  # noqa: S608 - made of the constants above only
    like = [re.sub(r"[\\%_]", r"\\\g<0>", family) + "\\_%" for family in families]
    return _found(user_id, sql, period, {"keys": list(keys), "like": like, "limit": limit})


def _found(user_id: UUID, sql: str, period: DateRange, parameters: dict[str, Any]) -> list[FoundFact]:
    all_parameters = {"user": user_id, "since": period.since, "until": period.until, **parameters}
    return [FoundFact(*row) for row in fetch_prepared(sql, all_parameters)]
