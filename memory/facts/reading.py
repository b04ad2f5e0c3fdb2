"""Which facts are in force, and how often they were of use."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import F, Q, QuerySet

from memory.facts.succession import HOLDS_OR_HELD
from memory.models import Fact


def current_facts(user_id: UUID, at: datetime | None = None) -> QuerySet[Fact]:
    """Facts in force: now, or those that were true at a moment. Never deleted or rejected."""
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None)
    if at is None:
        return facts.filter(status=Fact.Status.ACTIVE)
    return facts.filter(
        Q(valid_to=None) | Q(valid_to__gt=at), status__in=HOLDS_OR_HELD, valid_from__lte=at
    )


def facts_at_hand(user_id: UUID) -> QuerySet[Fact]:
    """Facts in force that may be put before a model: those that are not archived."""
    return current_facts(user_id).filter(archived_at=None)


def mark_recalled(user_id: UUID, fact_ids: Iterable[UUID], now: datetime) -> None:
    """Count that these facts were put before a model once more."""
    facts = Fact.objects.filter(user_id=user_id, id__in=set(fact_ids))
    facts.update(times_recalled=F("times_recalled") + 1, last_recalled_at=now)
