"""Decisions about facts: what each was before is kept, what it is becomes a new version, and the
owner reads of it among what happened."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from memory.activity import Happening, record
from memory.facts import reopen, settle_around
from memory.facts.deduplication import burial_digests
from memory.facts.succession import copy_sources
from memory.facts.versions import keep_version
from memory.models import ActivityEvent, Fact, FactSource, Tombstone
from memory.placement import lock_palace
from memory.projections.clearing import forget_derived
from memory.review.edges import follow

PENDING, ACTIVE = Fact.Status.PENDING, Fact.Status.ACTIVE
SUPERSEDED, REJECTED = Fact.Status.SUPERSEDED, Fact.Status.REJECTED
MOST_AT_ONCE = 200


class NoSuchFact(Exception):
    """This person has no such fact, or it is not in a state to be decided on."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided: the event that takes it back, and the facts as they are now."""

    event_id: UUID
    facts: tuple[Fact, ...]


def approve(user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> Decision:
    """Let waiting facts hold; one that can have only one value ends the value before it. Raises
    NoSuchFact."""
    return decide(user_id, "approve", _found(user_id, fact_ids, PENDING), put_in_force, now)


def keep_both(user_id: UUID, fact_id: UUID, now: datetime) -> Decision:
    """Let a waiting fact hold beside the one it contradicts. Raises NoSuchFact."""

    def change(fact: Fact) -> None:
        fact.single_valued = False
        put_in_force(fact)

    return decide(user_id, "keep_both", _found(user_id, [fact_id], PENDING), change, now)


def reject(user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> Decision:
    """Refuse facts that wait or hold; they are kept so that they are not learned again, and what
    they had ended holds again. Raises NoSuchFact."""
    found = _found(user_id, fact_ids, PENDING, ACTIVE)

    def change(fact: Fact) -> None:
        fact.status = REJECTED
        fact.valid_to = fact.superseded_by_id = None

    return decide(user_id, "reject", found, change, now)


def wait_again(user_id: UUID, fact_id: UUID, now: datetime) -> Decision:
    """Put a fact that once waited back into review; a value it had ended holds again. Raises
    NoSuchFact."""
    found = _found(user_id, [fact_id], ACTIVE, SUPERSEDED, REJECTED)

    def change(fact: Fact) -> None:
        if not fact.review_reason:
            raise NoSuchFact
        fact.status = PENDING
        fact.valid_to = fact.superseded_by_id = None

    return decide(user_id, "wait_again", found, change, now)


def end(user_id: UUID, fact_id: UUID, at: datetime, now: datetime) -> Decision:
    """Say that a fact is true no longer since a moment. Raises NoSuchFact."""

    def change(fact: Fact) -> None:
        fact.ended_at = max(at, fact.valid_from)

    return decide(user_id, "end", _found(user_id, [fact_id], ACTIVE), change, now)


def merge(user_id: UUID, fact_id: UUID, into_id: UUID, now: datetime) -> Decision:
    """Let one fact go up in another, which then rests on the words of both. Raises NoSuchFact."""
    if fact_id == into_id:
        raise NoSuchFact
    with transaction.atomic():
        lock_palace(user_id)
        (kept,) = _found(user_id, [into_id], PENDING, ACTIVE, SUPERSEDED)()
        (gone,) = _found(user_id, [fact_id], PENDING, ACTIVE, SUPERSEDED)()
        sources = _sources_to_move(gone, kept)
        copied = copy_sources(sources, kept.id)
        details = {"sources": [str(source.id) for source in copied], "into": str(kept.id)}

        def change(fact: Fact) -> None:
            if fact.id == kept.id:
                fact.valid_from = min(fact.valid_from, gone.valid_from)
                fact.times_seen = F("times_seen") + len(copied)
            else:
                fact.status, fact.valid_to = SUPERSEDED, fact.valid_from
                fact.superseded_by_id = fact.merged_into_id = kept.id

        return decide(user_id, "merge", lambda: [gone, kept], change, now, details)


def delete(user_id: UUID, fact_id: UUID, now: datetime) -> Decision:
    """Delete a fact but not the words it rests on, which will not bring it back. Raises
    NoSuchFact."""
    found = _found(user_id, [fact_id], *Fact.Status)
    with transaction.atomic():
        decision = decide(user_id, "delete", found, lambda fact: _throw_away(fact, now), now)
        for fact in decision.facts:
            _bury(fact, decision.event_id)
        reopen(user_id, [fact_id])
    return decision


def decide(
    user_id: UUID,
    action: str,
    find: Callable[[], Iterable[Fact]],
    change: Callable[[Fact], None],
    now: datetime,
    details: dict[str, Any] | None = None,
) -> Decision:
    """Change facts as one decision: keep each as it was, change and settle it, and record it."""
    with transaction.atomic():
        lock_palace(user_id)
        facts = list(find())
        ids = [fact.id for fact in facts]
        told = {"action": action, "facts": [str(each) for each in ids]} | (details or {})
        event = record(user_id, Happening(ActivityEvent.Kind.DECIDED, ids[0], told), now)
        for fact in facts:
            keep_version(fact, event.id, now)
            change(fact)
            fact.save()
        settle_around(user_id, ids)
        forget_derived(user_id, ids)
        decided = _as_they_are(user_id, ids)
        for fact in decided:
            follow(fact)
        return Decision(event.id, tuple(decided))


def put_in_force(fact: Fact) -> None:
    """Let a fact hold from its start; settling it finds out until when."""
    fact.status = SUPERSEDED
    fact.valid_to = fact.superseded_by_id = None


def found_fact(user_id: UUID, fact_id: UUID) -> Fact:
    """A fact of this person that is not deleted or merged. Raises NoSuchFact."""
    (fact,) = _found(user_id, [fact_id], *Fact.Status)()
    return fact


def still_waiting(user_id: UUID, fact_ids: Sequence[UUID]) -> list[UUID]:
    """Those of these facts that nobody has decided about yet. Raises NoSuchFact when this person
    never had one of them."""
    theirs = Fact.objects.filter(user_id=user_id, id__in=fact_ids)
    if not theirs.exists():
        raise NoSuchFact
    waiting = theirs.filter(status=PENDING, deleted_at=None, merged_into_id=None)
    return list(waiting.values_list("id", flat=True))


def _found(user_id: UUID, fact_ids: Sequence[UUID], *states: str) -> Callable[[], list[Fact]]:
    """Finds all of these facts once the palace is locked, or raises NoSuchFact."""
    wanted = set(fact_ids)
    if not wanted or len(wanted) > MOST_AT_ONCE:
        raise NoSuchFact

    def find() -> list[Fact]:
        facts = Fact.objects.filter(
            user_id=user_id,
            id__in=wanted,
            status__in=states,
            deleted_at=None,
            merged_into_id=None,
        )
        found = list(facts.order_by("valid_from", "id"))
        if len(found) != len(wanted):
            raise NoSuchFact
        return found

    return find


def _as_they_are(user_id: UUID, ids: Sequence[UUID]) -> list[Fact]:
    facts = {fact.id: fact for fact in Fact.objects.filter(user_id=user_id, id__in=ids)}
    return [facts[each] for each in ids]


def _sources_to_move(gone: Fact, kept: Fact) -> list[FactSource]:
    sources = FactSource.objects.filter(user_id=kept.user_id)
    there = set(sources.filter(fact_id=kept.id).values_list("drawer_id", "start"))
    others = sources.filter(fact_id=gone.id).order_by("id")
    return [each for each in others if (each.drawer_id, each.start) not in there]


def _throw_away(fact: Fact, now: datetime) -> None:
    fact.deleted_at, fact.deleted_by_owner = now, True


def _bury(fact: Fact, decision_id: UUID) -> None:
    """The same words do not bring it back, also after the fact itself is gone for good."""
    messages = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id).values_list(
        "drawer__source_message_id", flat=True
    )
    Tombstone.objects.bulk_create(
        (
            Tombstone(
                user_id=fact.user_id,
                kind=Tombstone.Kind.FACT,
                digest=digest,
                deletion_id=decision_id,
            )
            for message in messages
            for digest in burial_digests(fact.key, fact.value, message)
        ),
        ignore_conflicts=True,
    )
