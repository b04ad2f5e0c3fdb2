"""Records what memory did, in the same transaction as the doing."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import ActivityEvent, Drawer


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


def forget_reasons(user_id: UUID, drawer_ids: Iterable[UUID]) -> None:
    """Erase what was refused, and why, in windows of which these drawers are all that is left.

    Runs inside the transaction that erases the drawers, before it does.
    """
    gone = Drawer.objects.filter(user_id=user_id, id__in=list(drawer_ids))
    events = ActivityEvent.objects.filter(
        user_id=user_id,
        kind__in=(ActivityEvent.Kind.MINED, ActivityEvent.Kind.READ_AGAIN),
        subject_id__in=gone.values("source_id"),
    ).exclude(details__refused=[])
    for event in events:
        if event.subject_id is None:
            continue
        window = (event.details.get("first_sequence", 0), event.details.get("last_sequence", 0))
        left = Drawer.objects.filter(
            user_id=user_id, source_id=event.subject_id, source_sequence__range=window
        )
        if not left.exclude(id__in=gone.values("id")).exists():
            event.details["refused"] = []
            event.save(update_fields=("details",))
