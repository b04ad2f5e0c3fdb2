"""Feedback on recall: drawers the user marked as not relevant, and how often facts were used."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from uuid import UUID

from django.db import transaction

from accounts.owned import NotFound
from memory.facts.queries import mark_recalled
from memory.models import Drawer, NegativeFeedback, RecallTrace
from memory.recall.types import Finding, SearchContext
from memory.text.stop_words import COMMON_WORDS

NOT_RELEVANT_SQL = """
  ARRAY(SELECT feedback.trace_id FROM memory_negativefeedback feedback
        WHERE feedback.user_id = drawer.user_id AND feedback.drawer_id = drawer.id
          AND EXISTS (SELECT 1 FROM memory_negativefeedback any_of WHERE any_of.user_id = %(user)s))
"""
"""The ids of recalls in which the row `drawer` was marked as not relevant. The EXISTS runs once per query,
so users without feedback pay nothing per row."""
BATCH = 200


def record_not_relevant(user_id: UUID, trace_id: UUID, drawer_id: UUID, now: datetime) -> None:
    """Record that a drawer was not relevant to a recall; repeating it changes nothing. Raises
    NotFound."""
    trace = RecallTrace.objects.filter(user_id=user_id, id=trace_id).only("user_id", "id", "hits")
    hits = trace.values_list("hits", flat=True).first() or []
    is_hit = any(hit["drawer_id"] == str(drawer_id) for hit in hits)
    if not is_hit or not Drawer.objects.live().filter(user_id=user_id, id=drawer_id).exists():
        raise NotFound
    NegativeFeedback.objects.get_or_create(
        user_id=user_id, trace_id=trace_id, drawer_id=drawer_id, defaults={"at": now}
    )


def clear_not_relevant(user_id: UUID, trace_id: UUID, drawer_id: UUID) -> None:
    """Undo `record_not_relevant`."""
    NegativeFeedback.objects.filter(user_id=user_id, trace_id=trace_id, drawer_id=drawer_id).delete()


def not_relevant_in(user_id: UUID, trace_ids: Iterable[UUID]) -> frozenset[tuple[UUID, UUID]]:
    """The (trace, drawer) pairs marked as not relevant in these recalls."""
    found = NegativeFeedback.objects.filter(user_id=user_id, trace_id__in=list(trace_ids))
    return frozenset(found.values_list("trace_id", "drawer_id"))


def negative_feedback(context: SearchContext, marked: Mapping[UUID, Sequence[UUID]]) -> Iterator[Finding]:
    """For each drawer ever marked as not relevant: the signal `negative_feedback`, how similar (0 to 1)
    the words of this question are to those of the recalls it was `marked` in."""
    words = _content_words(context.query.words)
    questions = _question_words(context.user_id, {each for traces in marked.values() for each in traces})
    for drawer_id, traces in marked.items():
        others = (_content_words(questions[each]) for each in traces if each in questions)
        if similarity := max((_dice(words, other) for other in others), default=0.0):
            yield Finding(drawer_id, {"negative_feedback": similarity})


def count_recalled(user_id: UUID) -> int:
    """Count the uses of facts that led to hits of uncounted recalls; returns how many recalls were
    counted. Safe to repeat or run concurrently."""
    with transaction.atomic():
        uncounted = RecallTrace.objects.select_for_update(skip_locked=True).filter(
            user_id=user_id, facts_counted=False
        )
        traces = list(uncounted.order_by("at", "id").only("user_id", "id", "hits", "at")[:BATCH])
        for trace in traces:
            ids = [hit.get("retrievers", {}).get("facts", ()) for hit in trace.hits]
            if facts := set(map(UUID, chain.from_iterable(ids))):
                mark_recalled(user_id, facts, trace.at)
        counted = RecallTrace.objects.filter(user_id=user_id, id__in=[each.id for each in traces])
        counted.update(facts_counted=True)
    return len(traces)


def _question_words(user_id: UUID, trace_ids: Collection[UUID]) -> dict[UUID, tuple[str, ...]]:
    traces = RecallTrace.objects.filter(user_id=user_id, id__in=trace_ids)
    found = traces.values_list("id", "trace__query__words")
    return {trace_id: tuple(words or ()) for trace_id, words in found}


def _content_words(words: Collection[str]) -> frozenset[str]:
    """The words without stop words; all words if nothing else is left."""
    return frozenset(words) - COMMON_WORDS or frozenset(words)


def _dice(first: frozenset[str], second: frozenset[str]) -> float:
    """The Dice coefficient of two sets: 1 for equal sets, 0 for disjoint ones."""
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0
