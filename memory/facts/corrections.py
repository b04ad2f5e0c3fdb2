"""Lets owners mark something in their palace as wrong.

The message itself does not change: the owner's remark is shown with it, and the facts extracted from it
return to review.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from accounts.owned import NotFound, first_or_raise
from memory.changes.activity import record
from memory.changes.log import AlreadyUndone
from memory.facts.review.decisions import decide
from memory.facts.review.decisions import undo as undo_decision
from memory.models import ActivityEvent, Drawer, Fact, FactSource
from memory.placement import locked_palace
from memory.text.digests import text_digest
from memory.text.sanitizing import storable

REASON = gettext_noop("You marked its source as wrong.")
MAX_REMARK_LENGTH = 10_000


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction: the event that undoes it, its drawer, and how many facts went to review."""

    event_id: UUID
    drawer_id: UUID
    facts: int


def correct_drawer(user_id: UUID, drawer_id: UUID, remark: str, now: datetime) -> Correction:
    """Add a remark to a drawer and send its facts to review. Raises NotFound."""
    with locked_palace(user_id):
        drawer = first_or_raise(Drawer.objects.live().filter(user_id=user_id, id=drawer_id))
        facts = _facts_from(user_id, drawer_id)
        decision = decide(user_id, "dispute", lambda: facts, _send_to_review, now) if facts else None
        kept = len(drawer.annotation)
        _append_remark(drawer, remark)
        details = {
            "drawers": [str(drawer_id)],
            "facts": [str(fact.id) for fact in facts],
            "decision": str(decision.event_id) if decision else "",
            "kept": kept,
            "digest": text_digest(drawer.annotation).hex(),
        }
        event = record(user_id, ActivityEvent.Kind.CORRECTED, details, now, subject_id=drawer_id)
        return Correction(event.id, drawer_id, len(facts))


def undo(user_id: UUID, event_id: UUID, now: datetime) -> UUID:
    """Undo a correction and return its drawer.

    Restores its facts, and removes the remark unless it has changed. Raises NotFound, AlreadyUndone, and
    ChangedSince if a later decision about a fact has to be undone first.
    """
    with locked_palace(user_id):
        event = _corrections(user_id).filter(id=event_id).first()
        if event is None or event.subject_id is None:
            raise NotFound
        if event.undone_at is not None:
            raise AlreadyUndone(event.subject_id)
        if event.details["decision"]:
            with suppress(NotFound):  # the owner may have undone it on the review page
                undo_decision(user_id, UUID(event.details["decision"]), now)
        drawer = Drawer.objects.filter(user_id=user_id, id=event.subject_id).first()
        if drawer and text_digest(drawer.annotation).hex() == event.details["digest"]:
            drawer.annotation = drawer.annotation[: event.details["kept"]]
            drawer.save(update_fields=("annotation",))
        event.undone_at = now
        event.save(update_fields=("undone_at",))
        return event.subject_id


def corrections_of(user_id: UUID, drawer_ids: Iterable[UUID]) -> dict[UUID, Correction]:
    """The current correction of each of these drawers, if there is one."""
    events = (
        _corrections(user_id).filter(undone_at=None, subject_id__in=list(drawer_ids)).order_by("at", "id")
    )
    return {
        event.subject_id: Correction(event.id, event.subject_id, len(event.details["facts"]))
        for event in events
        if event.subject_id is not None
    }


def _corrections(user_id: UUID) -> QuerySet[ActivityEvent]:
    return ActivityEvent.objects.filter(user_id=user_id, kind=ActivityEvent.Kind.CORRECTED)


def _facts_from(user_id: UUID, drawer_id: UUID) -> list[Fact]:
    sources = FactSource.objects.filter(user_id=user_id, drawer_id=drawer_id)
    facts = Fact.objects.filter(
        user_id=user_id,
        id__in=sources.values("fact_id"),
        status=Fact.Status.ACTIVE,
        deleted_at=None,
        merged_into_id=None,
    )
    return list(facts.order_by("valid_from", "id"))


def _send_to_review(fact: Fact) -> None:
    fact.status, fact.review_reason = Fact.Status.PENDING, REASON
    fact.valid_to = fact.superseded_by_id = None


def _append_remark(drawer: Drawer, remark: str) -> None:
    """Append the remark to the existing one."""
    words = storable(remark).text.strip()[:MAX_REMARK_LENGTH]
    if not words:
        return
    drawer.annotation = f"{drawer.annotation}\n\n{words}" if drawer.annotation else words
    drawer.save(update_fields=("annotation",))
