"""Counts what depends on drawers, by store, for previews and receipts."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from memory.consolidation.summaries import summaries_around
from memory.models import (
    Drawer,
    DrawerVector,
    Fact,
    FactSource,
    Relation,
    RelationSource,
    SentenceVectors,
    Skill,
    SkillSource,
)

_TRACES = """
SELECT count(*) FROM memory_recalltrace WHERE user_id = %s AND EXISTS (
  SELECT 1 FROM jsonb_array_elements(hits) AS hit WHERE (hit ->> 'drawer_id')::uuid = ANY(%s))
"""


def counts_of(user_id: UUID, drawers: QuerySet[Drawer]) -> dict[str, int]:
    """How many rows of each store are removed with these drawers.

    Facts that other drawers also support stay, and are counted as `facts_kept`.
    """
    ids = drawers.values("id")
    facts, shared = facts_resting_on(user_id, ids), facts_resting_on(user_id, ids, shared=True)
    vectors = DrawerVector.objects.filter(user_id=user_id, drawer_id__in=ids)
    sentences = SentenceVectors.objects.filter(user_id=user_id, drawer_id__in=ids)
    return {
        "drawers": drawers.count(),
        "facts": facts.count(),
        "facts_kept": shared.count(),
        "relations": _relations(user_id, ids).count(),
        "vectors": vectors.count() + sentences.count(),
        "summaries": summaries_around(user_id, drawers).count(),
        "skills": _skills(user_id, ids, facts).count(),
        "traces": _traces(user_id, ids.values_list("id", flat=True)),
    }


def facts_resting_on(
    user_id: UUID, ids: QuerySet[Drawer, Any] | Sequence[UUID], *, shared: bool = False
) -> QuerySet[Fact]:
    """Facts with sources in these drawers and no other outside the trash, or `shared` with others."""
    sources = FactSource.objects.filter(user_id=user_id, fact_id=OuterRef("id"))
    others = Exists(sources.filter(drawer__deleted_at=None).exclude(drawer_id__in=ids))
    resting = Exists(sources.filter(drawer_id__in=ids))
    return Fact.objects.filter(resting, others if shared else ~others, user_id=user_id, deleted_at=None)


def _relations(user_id: UUID, ids: QuerySet[Drawer, Any]) -> QuerySet[Relation]:
    sources = RelationSource.objects.filter(user_id=user_id, edge_id=OuterRef("id"), ends=False)
    others = sources.filter(drawer__deleted_at=None).exclude(drawer_id__in=ids)
    resting = Exists(sources.filter(drawer_id__in=ids))
    return Relation.objects.filter(resting, ~Exists(others), user_id=user_id, deleted_at=None)


def _skills(user_id: UUID, ids: QuerySet[Drawer, Any], facts: QuerySet[Fact]) -> QuerySet[Skill]:
    drawn = SkillSource.objects.filter(user_id=user_id, drawer_id__in=ids)
    return Skill.objects.filter(
        Q(id__in=drawn.values("skill_id")) | Q(fact_id__in=facts.values("id")), user_id=user_id
    )


def _traces(user_id: UUID, ids: Iterable[UUID]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_TRACES, [user_id, list(ids)])
        (count,) = cursor.fetchone()
    return int(count)
