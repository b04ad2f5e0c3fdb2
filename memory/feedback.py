"""What a person says of the drawers that recall chose: kept, taken back, and read by recall."""

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from memory.models import Drawer, Misfit, RecallTrace

MISFITTED = """
  ARRAY(SELECT misfit.trace_id FROM memory_misfit misfit
        WHERE misfit.user_id = drawer.user_id AND misfit.drawer_id = drawer.id
          AND EXISTS (SELECT 1 FROM memory_misfit known WHERE known.user_id = %(user)s))
"""
"""SQL for the recalls whose question a row `drawer` did not fit, by their ids. Whoever never said so
of any is asked once and not for each row."""


class NotRecalled(Exception):
    """This person has no such recall, or the drawer was not chosen there."""


def call_unfitting(user_id: UUID, trace_id: UUID, drawer_id: UUID, now: datetime) -> None:
    """Keep that a drawer did not fit what was asked. Saying so twice changes nothing. Raises
    NotRecalled."""
    trace = RecallTrace.objects.filter(user_id=user_id, id=trace_id).only("user_id", "id", "hits")
    hits = trace.values_list("hits", flat=True).first() or []
    chosen = any(hit["drawer_id"] == str(drawer_id) for hit in hits)
    if not chosen or not Drawer.objects.live().filter(user_id=user_id, id=drawer_id).exists():
        raise NotRecalled
    Misfit.objects.get_or_create(
        user_id=user_id, trace_id=trace_id, drawer_id=drawer_id, defaults={"at": now}
    )


def call_fitting(user_id: UUID, trace_id: UUID, drawer_id: UUID) -> None:
    """Take back that a drawer did not fit."""
    Misfit.objects.filter(user_id=user_id, trace_id=trace_id, drawer_id=drawer_id).delete()


def misfits_of(user_id: UUID, trace_ids: Iterable[UUID]) -> frozenset[tuple[UUID, UUID]]:
    """Which drawers were called not fitting in these recalls, as (trace, drawer)."""
    found = Misfit.objects.filter(user_id=user_id, trace_id__in=list(trace_ids))
    return frozenset(found.values_list("trace_id", "drawer_id"))


def words_asked(user_id: UUID, trace_ids: Collection[UUID]) -> dict[UUID, tuple[str, ...]]:
    """The words of the questions of these recalls, by the ids of the recalls."""
    traces = RecallTrace.objects.filter(user_id=user_id, id__in=trace_ids)
    found = traces.values_list("id", "trace__query__words")
    return {trace_id: tuple(words or ()) for trace_id, words in found}
