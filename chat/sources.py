"""What was recalled for a reply, for the page to show: the words as they are in the palace now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models.functions import Left

from memory.models import Drawer, RecallTrace

SHOWN_CHARACTERS = 700


@dataclass(frozen=True, slots=True)
class Source:
    """A recalled drawer. `words` is empty when it was forgotten since; `cut` says that it goes
    on. `deletion_id` undoes the forgetting."""

    drawer_id: UUID
    pointer: str
    wing: str
    wing_kind: str
    closet: str
    role: str
    said_at: datetime
    reason: str
    words: str = ""
    cut: bool = False
    deletion_id: UUID | None = None


def sources_of(user_id: UUID, trace_ids: Iterable[UUID]) -> dict[UUID, tuple[Source, ...]]:
    """The sources of each trace, best first."""
    traces = RecallTrace.objects.filter(user_id=user_id, id__in=set(trace_ids))
    hits = {trace.id: trace.hits for trace in traces.only("user_id", "id", "hits")}
    drawers = _drawers(user_id, {hit["drawer_id"] for found in hits.values() for hit in found})
    return {
        trace_id: tuple(_source(hit, drawers.get(UUID(hit["drawer_id"]))) for hit in found)
        for trace_id, found in hits.items()
    }


def _drawers(user_id: UUID, ids: set[str]) -> Mapping[UUID, Drawer]:
    if not ids:
        return {}
    rows = (
        Drawer.objects.filter(user_id=user_id, id__in=ids)
        .defer("content")
        .annotate(start=Left("content", SHOWN_CHARACTERS + 1))
        .select_related("wing", "closet")
    )
    return {drawer.id: drawer for drawer in rows}


def _source(hit: Mapping[str, Any], drawer: Drawer | None) -> Source:
    start = "" if drawer is None or drawer.deleted_at else str(drawer.start)  # type: ignore[attr-defined]
    return Source(
        drawer_id=UUID(hit["drawer_id"]),
        pointer=hit["pointer"],
        wing=drawer.wing.name if drawer else hit["wing"],
        wing_kind=drawer.wing.kind if drawer else hit["wing_kind"],
        closet=drawer.closet.name if drawer else hit["closet"],
        role=hit["role"],
        said_at=datetime.fromisoformat(hit["date"]),
        reason=hit["reason"],
        words=start[:SHOWN_CHARACTERS],
        cut=len(start) > SHOWN_CHARACTERS,
        deletion_id=drawer.deletion_id if drawer else None,
    )
