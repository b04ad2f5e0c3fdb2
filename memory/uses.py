"""When a drawer was put before a model: its history of use, from the traces of recall."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.models import RecallTrace

LATEST = 300
MOST = 20


@dataclass(frozen=True, slots=True)
class Use:
    """One recall that chose a drawer: its trace, when, and why in a sentence."""

    trace_id: UUID
    at: datetime
    reason: str


def uses_of(user_id: UUID, drawer_id: UUID) -> tuple[Use, ...]:
    """The recalls that chose a drawer among the person's latest 300, newest first, at most 20."""
    traces = RecallTrace.objects.filter(user_id=user_id)
    latest = traces.order_by("-at").values("id")[:LATEST]
    chosen = traces.filter(id__in=latest, hits__contains=[{"drawer_id": str(drawer_id)}])
    rows = chosen.order_by("-at", "-id").values_list("id", "at", "hits")[:MOST]
    return tuple(Use(trace_id, at, _reason(hits, drawer_id)) for trace_id, at, hits in rows)


def _reason(hits: list[dict[str, object]], drawer_id: UUID) -> str:
    found = (hit.get("reason") for hit in hits if hit["drawer_id"] == str(drawer_id))
    return str(next(found, "") or "")
