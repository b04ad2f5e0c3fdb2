"""Records activity events, in the same transaction as the changes they describe."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import ActivityEvent, Drawer


def record(
    user_id: UUID, kind: str, details: Mapping[str, Any], now: datetime, *, subject_id: UUID | None = None
) -> ActivityEvent:
    """Record an event for the owner: its kind, its subject, and counts, ids and reasons."""
    return ActivityEvent.objects.create(
        user_id=user_id, kind=kind, subject_id=subject_id, details=dict(details), at=now
    )


def forget_reasons(user_id: UUID, drawer_ids: Iterable[UUID]) -> None:
    """Erase the refusals of extraction in the windows of these drawers.

    A refusal quotes the window without naming the message. Call inside the transaction that erases the
    drawers, before they are erased.
    """
    drawers = Drawer.objects.filter(user_id=user_id, id__in=list(drawer_ids))
    sequences: dict[UUID, list[int]] = {}
    for source_id, sequence in drawers.values_list("source_id", "source_sequence"):
        sequences.setdefault(source_id, []).append(sequence)
    events = ActivityEvent.objects.filter(
        user_id=user_id,
        kind__in=(ActivityEvent.Kind.MINED, ActivityEvent.Kind.REEXTRACTED),
        subject_id__in=list(sequences),
    ).exclude(details__refused=[])
    for event in events:
        first, last = (event.details.get(f"{end}_sequence", 0) for end in ("first", "last"))
        if event.subject_id and any(first <= one <= last for one in sequences[event.subject_id]):
            event.details["refused"] = []
            event.save(update_fields=("details",))
