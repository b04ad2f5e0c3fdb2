"""Writes dated relations: a new value of a single-valued relation ends the old one at the
instant it starts, and nothing else about a relation ever changes."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memory.graph.resolution import entity_for
from memory.models import Relation


@dataclass(frozen=True, slots=True)
class Assertion:
    """A relation to be written, by entity names and types, true from `valid_from`."""

    subject: tuple[str, str]
    relation: str
    object: tuple[str, str]
    valid_from: datetime
    valid_to: datetime | None
    single_valued: bool
    confidence: float
    drawer_id: UUID


def assert_relation(user_id: UUID, assertion: Assertion) -> Relation | None:
    """The relation as stored, or None when exactly this was known to hold at that time."""
    subject = entity_for(user_id, *assertion.subject)
    target = entity_for(user_id, *assertion.object)
    edges = Relation.objects.filter(
        user_id=user_id,
        subject_id=subject.id,
        relation=assertion.relation,
        deleted_at=None,
    )
    same = edges.filter(object_id=target.id)
    if _holding(same, assertion.valid_from).exists():
        return None
    if assertion.single_valued:
        others = edges.exclude(object_id=target.id)
        _holding(others, assertion.valid_from).update(valid_to=assertion.valid_from)
    # A row of the same start is either in the trash or was ended the instant it began.
    return Relation.objects.update_or_create(
        user_id=user_id,
        subject_id=subject.id,
        relation=assertion.relation,
        object_id=target.id,
        valid_from=assertion.valid_from,
        defaults={
            "single_valued": assertion.single_valued,
            "valid_to": _end(edges if assertion.single_valued else same, assertion),
            "confidence": assertion.confidence,
            "drawer_id": assertion.drawer_id,
            "deleted_at": None,
            "deletion_id": None,
        },
    )[0]


def end_relation(user_id: UUID, assertion: Assertion) -> int:
    """Close the open relation of these names at `valid_from`; returns how many were closed."""
    subject = entity_for(user_id, *assertion.subject)
    target = entity_for(user_id, *assertion.object)
    return Relation.objects.filter(
        user_id=user_id,
        subject_id=subject.id,
        relation=assertion.relation,
        object_id=target.id,
        valid_to=None,
        valid_from__lte=assertion.valid_from,
        deleted_at=None,
    ).update(valid_to=assertion.valid_from)


def reopen_before(removed: Relation) -> None:
    """Let the value hold again that a relation which is gone had ended: until the next, or still.

    Runs inside a transaction that holds the palace lock, after the relation was removed.
    """
    edges = Relation.objects.filter(
        user_id=removed.user_id,
        subject_id=removed.subject_id,
        relation=removed.relation,
        deleted_at=None,
    )
    later = edges.filter(valid_from__gt=removed.valid_from).order_by("valid_from", "id").first()
    edges.filter(single_valued=True, valid_to=removed.valid_from).update(
        valid_to=later.valid_from if later else None
    )


def end_before(restored: Relation) -> None:
    """End the value that held before a relation that is about to leave the trash: the reverse of
    `reopen_before`."""
    edges = Relation.objects.filter(
        user_id=restored.user_id,
        subject_id=restored.subject_id,
        relation=restored.relation,
        single_valued=True,
        deleted_at=None,
    )
    _holding(edges, restored.valid_from).update(valid_to=restored.valid_from)


def _holding(edges: QuerySet[Relation], at: datetime) -> QuerySet[Relation]:
    return edges.filter(Q(valid_to=None) | Q(valid_to__gt=at), valid_from__lte=at)


def _end(edges: QuerySet[Relation], assertion: Assertion) -> datetime | None:
    """When it ended, or when the next value (or the same one again) began, if one is known."""
    later = edges.filter(valid_from__gt=assertion.valid_from).order_by("valid_from").first()
    ends = [moment for moment in (assertion.valid_to, later and later.valid_from) if moment]
    return min(ends) if ends else None
