"""The drawers recalled for a reply, as they are in the palace now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models.functions import Left

from memory.facts.corrections import Dispute, disputes_of
from memory.models import Drawer, RecallTrace
from memory.pages.search.traces import Ground, grounds
from memory.recall.feedback import misfits_of

SHOWN_CHARACTERS = 700


@dataclass(frozen=True, slots=True)
class Source:
    """A drawer recalled in the recall `trace_id`.

    `words` is empty if it was forgotten since; `cut` means that it continues. `deletion_id` undoes the
    forgetting, `dispute` is set while its owner says that it is wrong, and `misfit` if it was marked as not
    relevant to this message.
    """

    trace_id: UUID
    drawer_id: UUID
    pointer: str
    wing: str
    wing_kind: str
    closet: str
    role: str
    said_at: datetime
    ground: Ground
    words: str = ""
    cut: bool = False
    deletion_id: UUID | None = None
    pinned: bool = False
    misfit: bool = False
    remark: str = ""
    dispute: Dispute | None = None


@dataclass(frozen=True, slots=True)
class _Said:
    """The owner's feedback on the drawers of some recalls."""

    misfits: frozenset[tuple[UUID, UUID]]
    disputes: Mapping[UUID, Dispute]


def sources_of(user_id: UUID, trace_ids: Iterable[UUID]) -> dict[UUID, tuple[Source, ...]]:
    """The sources of each trace, best first."""
    traces = RecallTrace.objects.filter(user_id=user_id, id__in=set(trace_ids))
    hits = {trace.id: trace.hits for trace in traces.only("user_id", "id", "hits")}
    drawers = _drawers(user_id, {hit["drawer_id"] for found in hits.values() for hit in found})
    why = iter(grounds(user_id, [hit for found in hits.values() for hit in found]))
    said = _Said(misfits_of(user_id, hits), disputes_of(user_id, drawers))
    return {
        trace_id: tuple(
            _judged(_source(trace_id, hit, drawers.get(UUID(hit["drawer_id"])), next(why)), said)
            for hit in found
        )
        for trace_id, found in hits.items()
    }


def source_of(user_id: UUID, trace_id: UUID, drawer_id: UUID) -> Source | None:
    """One source of a trace as it is now; None if there is none."""
    found = sources_of(user_id, [trace_id]).get(trace_id, ())
    return next((source for source in found if source.drawer_id == drawer_id), None)


def _judged(source: Source, said: _Said) -> Source:
    misfit = (source.trace_id, source.drawer_id) in said.misfits
    return replace(source, misfit=misfit, dispute=said.disputes.get(source.drawer_id))


def _drawers(user_id: UUID, ids: set[str]) -> Mapping[UUID, Mapping[str, Any]]:
    """The recalled drawers as they are now; of long ones only the beginning is read."""
    if not ids:
        return {}
    rows = Drawer.objects.filter(user_id=user_id, id__in=ids).values(
        "id",
        "deleted_at",
        "deletion_id",
        "pinned",
        "wing__name",
        "wing__kind",
        "closet__name",
        words=Left("content", SHOWN_CHARACTERS + 1),
        remark=Left("annotation", SHOWN_CHARACTERS),
    )
    return {row["id"]: row for row in rows}


def _source(
    trace_id: UUID, hit: Mapping[str, Any], drawer: Mapping[str, Any] | None, ground: Ground
) -> Source:
    live = drawer is not None and drawer["deleted_at"] is None
    words = drawer["words"] if drawer and live else ""
    return Source(
        trace_id=trace_id,
        drawer_id=UUID(hit["drawer_id"]),
        pointer=hit["pointer"],
        wing=drawer["wing__name"] if drawer else hit["wing"],
        wing_kind=drawer["wing__kind"] if drawer else hit["wing_kind"],
        closet=drawer["closet__name"] if drawer else hit["closet"],
        role=hit["role"],
        said_at=datetime.fromisoformat(hit["date"]),
        ground=ground,
        words=words[:SHOWN_CHARACTERS],
        cut=len(words) > SHOWN_CHARACTERS,
        deletion_id=drawer["deletion_id"] if drawer else None,
        pinned=bool(drawer and drawer["pinned"]),
        remark=drawer["remark"] if drawer and live else "",
    )
