"""Records what memory did, in the same transaction as the doing."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from llm.types import Usage as ModelUsage
from memory.models import ActivityEvent, Usage


@dataclass(frozen=True, slots=True)
class Happening:
    """An event to record: its kind, what it concerns, and counts, ids and reasons."""

    kind: str
    subject_id: UUID | None = None
    details: dict[str, Any] = field(default_factory=dict)


def record(user_id: UUID, happening: Happening, now: datetime) -> ActivityEvent:
    """Write an event for its owner to read."""
    return ActivityEvent.objects.create(
        user_id=user_id,
        kind=happening.kind,
        subject_id=happening.subject_id,
        details=happening.details,
        at=now,
    )


def record_usage(
    user_id: UUID, source: str, usage: ModelUsage, now: datetime, job_id: UUID | None = None
) -> Usage:
    """Write down one model call."""
    return Usage.objects.create(
        user_id=user_id,
        source=source,
        model=usage.model[:120],
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        latency_ms=usage.latency_ms,
        job_id=job_id,
        at=now,
    )
