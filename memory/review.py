"""What a person decides about facts that wait for review, and taking the decision back."""

from uuid import UUID

from django.db import transaction

from memory.facts import settle
from memory.models import Fact
from memory.placement import lock_palace


class NoSuchFact(Exception):
    """This person has no such fact, or it is not in a state to be decided on."""


def approve(user_id: UUID, fact_id: UUID) -> Fact:
    """Let a waiting fact hold; one that can have only one value ends the value before it.
    Raises NoSuchFact."""
    with transaction.atomic():
        fact = _locked(user_id, fact_id, Fact.Status.PENDING)
        return _set(fact, Fact.Status.ACTIVE)


def reject(user_id: UUID, fact_id: UUID) -> Fact:
    """Refuse a waiting fact; it is kept so that it is not learned again. Raises NoSuchFact."""
    with transaction.atomic():
        fact = _locked(user_id, fact_id, Fact.Status.PENDING)
        return _set(fact, Fact.Status.REJECTED)


def reconsider(user_id: UUID, fact_id: UUID) -> Fact:
    """Put a decided fact back into review; a value it had ended holds again. Raises NoSuchFact."""
    with transaction.atomic():
        fact = _locked(
            user_id, fact_id, Fact.Status.ACTIVE, Fact.Status.SUPERSEDED, Fact.Status.REJECTED
        )
        if not fact.review_reason:
            raise NoSuchFact
        return _set(fact, Fact.Status.PENDING)


def _locked(user_id: UUID, fact_id: UUID, *states: str) -> Fact:
    lock_palace(user_id)
    found = Fact.objects.filter(
        user_id=user_id, id=fact_id, status__in=states, deleted_at=None
    ).first()
    if found is None:
        raise NoSuchFact
    return found


def _set(fact: Fact, status: str) -> Fact:
    """The fact in its new status; only one value of a single-valued key holds at a time."""
    fact.status = status
    fact.valid_to = fact.superseded_by_id = None
    fact.save(update_fields=("status", "valid_to", "superseded_by_id"))
    if fact.single_valued:
        settle(fact.user_id, fact.key)
        fact.refresh_from_db(fields=("status", "valid_to", "superseded_by_id"))
    return fact
