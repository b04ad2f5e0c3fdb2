"""A recall as JSON: stored with the reply and returned by the API.

It contains the ids of drawers, facts and entities, and no words except those of the message.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import date, datetime
from typing import Any
from uuid import UUID

from memory.models import RecallTrace
from memory.recall.reasons import shares
from memory.recall.types import Candidate, Cut, Hit, Recall, RecallRequest, Trace


def new_trace(request: RecallRequest, found: Recall, source: RecallTrace.Source) -> RecallTrace:
    """The unsaved trace of a recall. No reply refers to it yet."""
    return RecallTrace(
        user_id=request.user_id,
        source=source,
        trace=trace_as_json(found.trace),
        hits=[hit_as_json(hit) for hit in found.hits],
        at=request.called_at,
        without_reply=True,
        facts_counted=source == RecallTrace.Source.REST,  # a search changes nothing but the list of recalls
    )


def trace_as_json(trace: Trace) -> dict[str, Any]:
    """The trace as JSON values: ids and dates as text, numbers rounded to four places."""
    found: dict[str, Any] = _as_json(
        {
            **asdict(replace(trace, considered=(), cut=[])),
            "considered": [_candidate(candidate) for candidate in trace.considered],
            "cut": [_cut(cut) for cut in trace.cut],
        }
    )
    return found


def hit_as_json(hit: Hit) -> dict[str, Any]:
    """A hit as JSON values: its place and why it was chosen, never its text."""
    found: dict[str, Any] = _as_json(
        {
            "drawer_id": hit.drawer_id,
            "pointer": str(hit.pointer or ""),
            "unfiled_in": hit.unfiled_in,
            "wing": hit.wing,
            "wing_kind": hit.wing_kind,
            "closet": hit.closet,
            "date": hit.said_at,
            "role": hit.role,
            "reason": hit.reason,
            "excerpt": hit.excerpt,
            "tokens": hit.tokens,
            **_signals(hit),
        }
    )
    return found


def _cut(cut: Cut) -> dict[str, Any]:
    return {name: value for name, value in cut._asdict().items() if value is not None}


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "drawer_id": candidate.drawer_id,
        "room_id": candidate.room_id,
        "role": candidate.role,
        "said_at": candidate.said_at,
        "unfiled_in": candidate.unfiled_in,
        **_signals(candidate),
    }


def _signals(found: Candidate) -> dict[str, Any]:
    return {
        "score": found.score,
        "scores": found.scores,
        "shares": shares(found.parts, found.score),
        "retrievers": found.retrievers,
    }


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _as_json(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(inner) for inner in value]
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, float):
        return round(value, 4)
    return str(value) if isinstance(value, UUID) else value
