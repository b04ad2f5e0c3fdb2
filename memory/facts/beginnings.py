"""Lets a fact begin with the first of its words that still stand, when drawers go or come back.

What began at a moment of its own ("since 2019") keeps it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef

from memory.facts.succession import settle_around
from memory.models import Fact, FactSource


@dataclass(frozen=True, slots=True)
class _Said:
    """When the words of a fact were said: in the drawers in question, in others that stand, and in
    others that are in the trash."""

    here: tuple[datetime, ...]
    elsewhere: tuple[datetime, ...]
    gone: tuple[datetime, ...]


def begin_later(user_id: UUID, drawer_ids: Collection[UUID]) -> None:
    """Move the start of facts that began with words in these drawers, which went, to the first
    words that are left. Runs inside a transaction that holds the palace lock."""
    for fact, said in _supported(user_id, drawer_ids):
        if said.elsewhere and fact.valid_from in said.here:
            _move(fact, min(said.elsewhere))


def begin_earlier(user_id: UUID, drawer_ids: Collection[UUID]) -> None:
    """The reverse, after these drawers came back."""
    for fact, said in _supported(user_id, drawer_ids):
        began_elsewhere = fact.valid_from == min(said.elsewhere, default=None)
        first = min(said.here + said.elsewhere)
        if fact.valid_from != first and (began_elsewhere or fact.valid_from in said.gone):
            _move(fact, first)


def _supported(user_id: UUID, drawer_ids: Collection[UUID]) -> Iterator[tuple[Fact, _Said]]:
    here = FactSource.objects.filter(
        user_id=user_id, fact_id=OuterRef("id"), drawer_id__in=drawer_ids
    )
    facts = Fact.objects.filter(
        Exists(here), user_id=user_id, deleted_at=None, merged_into_id=None
    ).exclude(status=Fact.Status.REJECTED)
    for fact in list(facts.order_by("id")):
        yield fact, _said(fact, drawer_ids)


def _said(fact: Fact, drawer_ids: Collection[UUID]) -> _Said:
    sources = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    rows = list(sources.values_list("drawer_id", "drawer__said_at", "drawer__deleted_at"))
    chosen = set(drawer_ids)
    here = tuple(at for drawer_id, at, _ in rows if drawer_id in chosen)
    others = [(at, deleted_at) for drawer_id, at, deleted_at in rows if drawer_id not in chosen]
    elsewhere = tuple(at for at, deleted_at in others if deleted_at is None)
    return _Said(here, elsewhere, tuple(at for at, deleted_at in others if deleted_at))


def _move(fact: Fact, start: datetime) -> None:
    Fact.objects.filter(user_id=fact.user_id, id=fact.id).update(valid_from=start)
    settle_around(fact.user_id, [fact.id])
