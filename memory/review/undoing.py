"""Takes a decision about facts back."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F

from memory.facts import settle_around
from memory.facts.versions import DecidedSince, put_back, versions_of
from memory.models import ActivityEvent, Fact, FactSource, Tombstone
from memory.placement import lock_palace
from memory.projections.clearing import forget_derived
from memory.review.edges import follow


class NothingToUndo(Exception):
    """There is no such decision, or it was taken back already."""


def undo(user_id: UUID, decision_id: UUID, now: datetime) -> tuple[Fact, ...]:
    """Take a decision back: the same facts as before, which hold as the facts around them now
    allow.

    Raises NothingToUndo, and DecidedSince when a later decision about them has to be taken back
    first or the same was noted anew.
    """
    try:
        with transaction.atomic():
            return _undo(user_id, decision_id, now)
    except IntegrityError as error:
        raise DecidedSince from error


def _undo(user_id: UUID, decision_id: UUID, now: datetime) -> tuple[Fact, ...]:
    lock_palace(user_id)
    event = ActivityEvent.objects.filter(
        user_id=user_id, id=decision_id, kind=ActivityEvent.Kind.DECIDED, undone_at=None
    ).first()
    versions = versions_of(user_id, decision_id) if event else []
    if event is None or not versions:
        raise NothingToUndo
    _take_sources_away(user_id, event)
    Tombstone.objects.filter(
        user_id=user_id, kind=Tombstone.Kind.FACT, deletion_id=decision_id
    ).delete()
    facts = put_back(versions, now)
    _follow_words(facts)
    ids = [fact.id for fact in facts]
    settle_around(user_id, ids)
    forget_derived(user_id, ids)
    event.undone_at = now
    event.save(update_fields=("undone_at",))
    back = tuple(Fact.objects.filter(user_id=user_id, id__in=ids).order_by("valid_from", "id"))
    for fact in back:
        follow(fact)
    return back


def _take_sources_away(user_id: UUID, event: ActivityEvent) -> None:
    """After a merge the fact that stayed rests on its own words again."""
    copied = event.details.get("sources", [])
    gone, _ = FactSource.objects.filter(user_id=user_id, id__in=copied).delete()
    if gone:
        facts = Fact.objects.filter(user_id=user_id, id=event.details["into"])
        facts.update(times_seen=F("times_seen") - gone)


def _follow_words(facts: Iterable[Fact]) -> None:
    """A fact whose words have all gone into the trash meanwhile goes there too."""
    for fact in facts:
        sources = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id)
        if fact.deleted_at is None and not sources.filter(drawer__deleted_at=None).exists():
            thrown = sources.select_related("drawer").order_by("drawer__deleted_at").last()
            if thrown is not None:
                fact.deleted_at = thrown.drawer.deleted_at
                fact.deletion_id = thrown.drawer.deletion_id
                fact.save(update_fields=("deleted_at", "deletion_id"))
