"""The events webhooks are notified of, and their payloads: ids and counts, never text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import ActivityEvent, Forgetting

Json = dict[str, Any]

MINED, REVIEWED, FORGOTTEN = "mined", "reviewed", "forgotten"
EVENTS = (MINED, REVIEWED, FORGOTTEN)
TEST = "test"

_Kind = ActivityEvent.Kind
_OF_ACTIVITY: Mapping[str, tuple[str, ...]] = {
    MINED: (_Kind.MINED, _Kind.REEXTRACTED),
    REVIEWED: (_Kind.DECIDED, _Kind.SKILL_DECIDED, _Kind.INSIGHT_DECIDED),
}
_STAGES = {"forgotten": "at", "erased": "final_at", "restored": "undone_at"}
MAX_EVENTS = 500


@dataclass(frozen=True, slots=True)
class Event:
    """An event: its kind, the row that recorded it, and when it happened."""

    kind: str
    subject_id: UUID
    at: datetime


def events_since(user_id: UUID, subscribed: tuple[str, ...], since: datetime) -> Iterator[Event]:
    """The subscribed events since a moment, the latest MAX_EVENTS of each kind."""
    for event, kinds in _OF_ACTIVITY.items():
        if event in subscribed:
            found = ActivityEvent.objects.filter(user_id=user_id, kind__in=kinds, at__gte=since)
            for row_id, at in found.order_by("-at").values_list("id", "at")[:MAX_EVENTS]:
                yield Event(event, row_id, at)
    if FORGOTTEN in subscribed:
        yield from _forgotten(user_id, since)


def payload_of(user_id: UUID, kind: str, subject_id: UUID) -> Json | None:
    """The `data` of a message; None when its row is gone."""
    if kind == TEST:
        return {}
    if kind in _STAGES:
        receipt = Forgetting.objects.filter(user_id=user_id, id=subject_id).first()
        return _of_forgetting(receipt, kind) if receipt else None
    event = ActivityEvent.objects.filter(user_id=user_id, id=subject_id).first()
    if event is None:
        return None
    return _of_mining(event) if kind == MINED else _of_review(event)


def _forgotten(user_id: UUID, since: datetime) -> Iterator[Event]:
    receipts = Forgetting.objects.filter(user_id=user_id)
    for kind, column in _STAGES.items():
        found = receipts.filter(**{f"{column}__gte": since}).order_by(f"-{column}")
        for row_id, at in found.values_list("id", column)[:MAX_EVENTS]:
            yield Event(kind, row_id, at)


def _of_mining(event: ActivityEvent) -> Json:
    details = event.details
    listed = ("drawers", "facts", "relations", "refused")
    return {
        "conversation_id": _id(event.subject_id),
        "reextracted": event.kind == _Kind.REEXTRACTED,
        "counts": {name: len(details.get(name, ())) for name in listed}
        | {"for_review": _number(details.get("for_review"))},
    }


def _of_review(event: ActivityEvent) -> Json:
    """The ids of the reviewed items."""
    facts = event.details.get("facts", ())
    return {
        "about": "fact" if event.kind == _Kind.DECIDED else event.kind.removesuffix("_decided"),
        "ids": [str(each) for each in facts] or [_id(event.subject_id)],
        "undone": event.undone_at is not None,
    }


def _of_forgetting(receipt: Forgetting, kind: str) -> Json:
    counts = receipt.erased if kind == "erased" else receipt.counts
    residue = receipt.residue or {}
    return {
        "receipt_id": str(receipt.id),
        "scope": "conversation" if receipt.scope == "source" else receipt.scope,
        "counts": {store: _number(rows) for store, rows in counts.items()},
        "is_clean": residue.get("is_clean") if kind == "erased" else None,
    }


def _number(value: object) -> int:
    if isinstance(value, int):
        return value
    return len(value) if isinstance(value, (list, tuple)) else 0


def _id(value: UUID | None) -> str | None:
    return str(value) if value else None
