"""What a person says of the drawers that recall chose: kept, taken back, and read by recall."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.models import Drawer, Misfit, RecallTrace

_MISFITTED = """
SELECT misfit.drawer_id,
  ARRAY(SELECT jsonb_array_elements_text(asked.trace #> '{query,words}'))
FROM memory_misfit misfit JOIN memory_recalltrace asked
  ON asked.user_id = %s AND asked.id = misfit.trace_id
WHERE misfit.user_id = %s AND misfit.drawer_id = ANY(%s)
"""


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


def questions_misfitted(
    user_id: UUID, drawer_ids: Sequence[UUID]
) -> Iterator[tuple[UUID, tuple[str, ...]]]:
    """The drawers among these that did not fit something, each with the words of that question."""
    with connection.cursor() as cursor:
        cursor.execute(_MISFITTED, [user_id, user_id, list(drawer_ids)])
        rows = cursor.fetchall()
    for drawer_id, words in rows:
        yield drawer_id, tuple(words)
