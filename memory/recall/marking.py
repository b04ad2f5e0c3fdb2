"""Counts which facts recall made use of, after the reply: nothing in it waits for this."""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from memory.facts import mark_recalled
from memory.models import RecallTrace

OF_FACTS = ("facts", "profile", "preferences")
AT_ONCE = 200


def count_recalled(user_id: UUID) -> int:
    """Count, once for each stored recall, the facts that led to its drawers; returns how many
    recalls were counted. Running it twice, or twice at once, counts nothing twice."""
    with transaction.atomic():
        waiting = RecallTrace.objects.select_for_update(skip_locked=True).filter(
            user_id=user_id, facts_counted=False
        )
        traces = list(waiting.order_by("at", "id").only("user_id", "id", "hits", "at")[:AT_ONCE])
        for trace in traces:
            facts = set(_facts(trace))
            if facts:
                mark_recalled(user_id, facts, trace.at)
        counted = RecallTrace.objects.filter(user_id=user_id, id__in=[each.id for each in traces])
        counted.update(facts_counted=True)
    return len(traces)


def _facts(trace: RecallTrace) -> Iterable[UUID]:
    for hit in trace.hits:
        for signal, ids in hit.get("brought_by", {}).items():
            if signal in OF_FACTS:
                yield from map(UUID, ids)
