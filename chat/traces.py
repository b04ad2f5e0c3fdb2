"""How a recall came to its result, for the owner to read."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models.functions import Left

from memory.aaak import Pointer
from memory.models import Drawer, RecallTrace

SHOWN_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Considered:
    """A drawer that was found: its address and first words (empty when it was forgotten since),
    what each signal gave it, and why it was left out, if it was."""

    drawer_id: UUID
    pointer: str
    words: str
    score: float
    scores: Mapping[str, float]
    recalled: bool
    left_out: str


@dataclass(frozen=True, slots=True)
class Told:
    """A trace in words and figures. Times are in milliseconds."""

    at: datetime
    searched: bool
    reason: str
    looked_for: str
    words: tuple[str, ...]
    arms: Mapping[str, Mapping[str, Any]]
    timings: Mapping[str, float]
    failures: tuple[str, ...]
    considered: tuple[Considered, ...]
    profile_tokens: int = 0


def trace_of(user_id: UUID, trace_id: UUID) -> Told | None:
    """The trace with the drawers as they are now; None when there is no such trace."""
    row = RecallTrace.objects.filter(user_id=user_id, id=trace_id).first()
    if row is None:
        return None
    trace: Mapping[str, Any] = row.trace
    query = trace["query"] or {}
    return Told(
        at=row.at,
        searched=trace["decision"]["search"],
        reason=trace["decision"]["reason"],
        looked_for=query.get("text", ""),
        words=tuple(query.get("words", ())),
        arms=trace["arms"],
        timings=trace["timings"],
        failures=tuple(failure["words"] for failure in trace["degraded"]),
        considered=_considered(user_id, trace, {hit["drawer_id"] for hit in row.hits}),
        profile_tokens=trace.get("profile_tokens", 0),
    )


def _considered(
    user_id: UUID, trace: Mapping[str, Any], recalled: set[str]
) -> tuple[Considered, ...]:
    reasons = {cut["drawer_id"]: cut["why"] for cut in trace["cut"]}
    found = trace["considered"]
    drawers = _drawers(user_id, [candidate["drawer_id"] for candidate in found])
    return tuple(
        Considered(
            drawer_id=UUID(candidate["drawer_id"]),
            pointer=_pointer(drawers.get(UUID(candidate["drawer_id"]))),
            words=drawers.get(UUID(candidate["drawer_id"]), {}).get("words", ""),
            score=candidate["score"],
            scores=candidate["scores"],
            recalled=candidate["drawer_id"] in recalled,
            left_out=reasons.get(candidate["drawer_id"], ""),
        )
        for candidate in found
    )


def _drawers(user_id: UUID, ids: list[str]) -> dict[UUID, Mapping[str, Any]]:
    rows = Drawer.objects.live().filter(user_id=user_id, id__in=ids)
    pointer = ("pointer_wing", "pointer_room", "pointer_drawer")
    named = rows.values("id", *pointer, words=Left("content", SHOWN_CHARACTERS))
    return {row["id"]: row for row in named}


def _pointer(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return ""
    return str(Pointer(row["pointer_wing"], row["pointer_room"], row["pointer_drawer"]))
