"""Records what memory did, in the same transaction as the doing."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import ActivityEvent


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
