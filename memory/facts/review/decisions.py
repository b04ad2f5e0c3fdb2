"""Decisions about facts and their undo. Each creates a new version of its facts and an event."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext_noop

from accounts.owned import NotFound
from memory.changes import log
from memory.changes.activity import record
from memory.changes.log import Area, Change, ChangedSince, Recording
from memory.changes.rows import as_json
from memory.facts.deduplication import tombstone_digest
from memory.facts.endings import asked_endings, clear_questions, same_questions
from memory.facts.owner_relations import forget_projection
from memory.facts.queries import UNAPPROVED, notes_to_mark
from memory.facts.similarity import forget_vectors
from memory.facts.validity import LESS_CERTAIN, copy_sources, settle_around, settle_without
from memory.forgetting.tombstones import add_tombstone, remove_tombstones
from memory.models import (
    DROPPED,
    ActivityEvent,
    ChangeSet,
    Fact,
    FactEnding,
    FactSource,
    FactVersion,
    Tombstone,
)
from memory.placement import locked_palace
from memory.projections.values import forget_derived

PENDING, ACTIVE = Fact.Status.PENDING, Fact.Status.ACTIVE
SUPERSEDED, REJECTED = Fact.Status.SUPERSEDED, Fact.Status.REJECTED
MAX_AT_ONCE = 200
OWNER, OWNER_CONFIDENCE = "user", 0.9
MOVED_BY_OWNER = gettext_noop("You moved it to review.")
FACT = "memory.fact"
COUNTERS = frozenset(("times_seen",))
DERIVED = frozenset(
    (
        *("status", "valid_from", "valid_to", "ended_at", "superseded_by_id", "confidence"),
        *("deleted_at", "deletion_id", "deleted_by_owner"),
    )
)
"""Columns of a fact that also depend on other facts and on its sources."""
KEPT_IN_HISTORY = (
    *("kind", "memory_type", "key", "value", "statement", "predicate", "object", "single_valued"),
    *("importance", "confidence", "authority", "status", "review_reason", "valid_from", "valid_to"),
    *("ended_at", "superseded_by_id", "merged_into_id", "deleted_at", "deletion_id", "deleted_by_owner"),
)
"""What the history of a fact shows of an earlier version, as long as the fact exists."""
FactChange = Callable[[Fact], None]


class WrongStatus(NotFound):
    """The facts exist, but the status of one does not allow the decision."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision: the event that undoes it, and the facts as they are now."""

    event_id: UUID
    facts: tuple[Fact, ...]


def approve(user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> Decision:
    """Approve waiting facts; a single-valued one ends the value before it, and a former job or home ends the
    one that review asks about in the same words. Raises NotFound."""
    found = _fact_loader(user_id, fact_ids, PENDING)
    return decide(user_id, "approve", found, activate, now, beside=partial(_same_in_review, user_id, now))


def confirm(user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> Decision:
    """Approve waiting facts, make current ones certain, and deny that doubtful endings ended them. Raises
    NotFound.

    Facts that wait and say that these are over, in the words of such an ending, are rejected."""

    def change(fact: Fact) -> None:
        fact.authority, fact.confidence = OWNER, OWNER_CONFIDENCE
        if fact.status == PENDING:
            activate(fact)

    found = _fact_loader(user_id, fact_ids, PENDING, ACTIVE)
    asked = asked_endings(user_id).filter(asked_id__in=fact_ids)
    beside = partial(_same_in_review, user_id, now, of_former=_reject)
    return decide(user_id, "confirm", found, change, now, denied=asked, beside=beside)


def keep_both(user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> Decision:
    """Approve waiting facts and keep those they contradict. Raises NotFound."""

    def change(fact: Fact) -> None:
        fact.single_valued = False
        activate(fact)

    return decide(user_id, "keep_both", _fact_loader(user_id, fact_ids, PENDING), change, now)


def reject(user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> Decision:
    """Reject waiting or current facts. Raises NotFound.

    They are kept so that they are not learned again; values they had ended hold again. A former job or home
    that is rejected denies the doubtful ending in the same words.
    """
    found = _fact_loader(user_id, fact_ids, PENDING, ACTIVE)
    return decide(user_id, "reject", found, _reject, now, denied=_endings_of_former(user_id, fact_ids))


def return_to_review(user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> Decision:
    """Return facts to review; values they had ended hold again. Raises NotFound."""
    found = _fact_loader(user_id, fact_ids, ACTIVE, SUPERSEDED, REJECTED)

    def change(fact: Fact) -> None:
        if fact.review_reason in ("", LESS_CERTAIN):  # settling releases what waits as less certain
            fact.review_reason = MOVED_BY_OWNER
        fact.status = PENDING
        fact.valid_to = fact.superseded_by_id = None

    return decide(user_id, "reopen", found, change, now)


def end(user_id: UUID, fact_id: UUID, at: datetime, now: datetime) -> Decision:
    """Mark a fact as no longer true from a moment. Raises NotFound.

    Facts that wait and say the same, in the words of a doubtful ending, are approved."""
    found = _fact_loader(user_id, [fact_id], ACTIVE)
    beside = partial(_same_in_review, user_id, now, of_former=activate)
    return decide(user_id, "end", found, partial(_end, at), now, beside=beside)


def merge(user_id: UUID, fact_id: UUID, into_id: UUID, now: datetime) -> Decision:
    """Merge one fact into another, which then has the sources of both. Raises NotFound."""
    if fact_id == into_id:
        raise NotFound
    with locked_palace(user_id):
        (kept,) = _fact_loader(user_id, [into_id], PENDING, ACTIVE, SUPERSEDED)()
        (gone,) = _fact_loader(user_id, [fact_id], PENDING, ACTIVE, SUPERSEDED)()
        copied = copy_sources(_sources_to_move(gone, kept), kept.id)

        def change(fact: Fact) -> None:
            if fact.id == kept.id:
                fact.valid_from = min(fact.valid_from, gone.valid_from)
                fact.times_seen = F("times_seen") + len(copied)
            else:
                fact.status, fact.valid_to = SUPERSEDED, fact.valid_from
                fact.superseded_by_id = fact.merged_into_id = kept.id

        return decide(user_id, "merge", lambda: [gone, kept], change, now, copied)


def delete(user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> Decision:
    """Delete facts but not their sources, which will not restore them. Raises NotFound."""
    found = _fact_loader(user_id, fact_ids, *Fact.Status)

    def change(fact: Fact) -> None:
        fact.deleted_at, fact.deleted_by_owner = now, True

    with transaction.atomic():
        decision = decide(user_id, "delete", found, change, now)
        for fact in decision.facts:
            _add_fact_tombstones(fact, decision.event_id)
        settle_without(user_id, fact_ids)
    return decision


def decide(
    user_id: UUID,
    action: str,
    find: Callable[[], Iterable[Fact]],
    change: FactChange,
    now: datetime,
    copied: Sequence[FactSource] = (),
    denied: Iterable[FactEnding] = (),
    beside: Callable[[Sequence[UUID]], Mapping[UUID, FactChange]] = lambda ids: {},
) -> Decision:
    """Change facts as one decision.

    Stores the previous version of each fact, changes and settles it, and records the decision together with
    the sources `copied` for it and the doubtful endings it `denied`. `beside` returns, for the ids of these
    facts, how other facts change with them; the event does not list those.
    """
    with locked_palace(user_id):
        facts = list(find())
        ids = [fact.id for fact in facts]
        details = {"action": action, "facts": [str(each) for each in ids]}
        event = record(user_id, ActivityEvent.Kind.DECIDED, details, now, subject_id=ids[0])
        changes = {**dict.fromkeys(ids, change), **beside(ids)}
        others = Fact.objects.filter(user_id=user_id, id__in=changes.keys() - set(ids))
        facts += others.order_by("valid_from", "id")
        recording = Recording(user_id)
        recording.added(*copied)
        recording.change(denied, denied=True)
        with recording.watch(Fact, changes, COUNTERS, DERIVED):
            decided = [fact.id for fact in facts if _change(fact, changes[fact.id], event.id, now)]
            for withheld in (True, False) if decided else ():
                recording.change(notes_to_mark(user_id, decided, sensitive=withheld), sensitive=withheld)
        rows, every = tuple(recording.diffs), tuple(fact.id for fact in facts)
        done = Change(ChangeSet.Kind.DECIDED.value, "fact", ids[0], rows, every, {"action": action})
        log.record(user_id, Area.FACTS, done, now, set_id=event.id)
        return Decision(event.id, tuple(_settled(user_id, every)))


def _same_in_review(
    user_id: UUID, now: datetime, ids: Sequence[UUID], of_former: FactChange | None = None
) -> Mapping[UUID, FactChange]:
    """How facts change that review asks about in the same words as about these.

    A waiting fact that says what is over ("You used to work at Seat") ends the fact in question. If that fact
    is decided instead, `of_former` changes the waiting one.
    """
    changes: dict[UUID, FactChange] = {}
    for ending, former in same_questions(user_id, ids):
        if ending.asked_id and ending.asked_id not in ids:
            changes[ending.asked_id] = partial(_end, min(ending.at, now))
        elif former.id not in ids and of_former is not None:
            changes[former.id] = of_former
    return changes


def _endings_of_former(user_id: UUID, fact_ids: Sequence[UUID]) -> Iterator[FactEnding]:
    """The doubtful endings that ask the same as these facts; found when they are first used, which is under
    the palace lock."""
    for ending, former in same_questions(user_id, fact_ids):
        if former.id in fact_ids:
            yield ending


def undo(user_id: UUID, decision_id: UUID, now: datetime) -> tuple[Fact, ...]:
    """Undo a decision: restore its facts, with their validity recomputed, and return them.

    Leaves out facts that stay deleted because the re-extraction that found them was undone since. Raises
    NotFound, AlreadyUndone, and ChangedSince if a later decision about them has to be undone first or the
    same fact was filed again.
    """
    try:
        with locked_palace(user_id):
            return _undo(user_id, decision_id, now)
    except IntegrityError as error:
        raise ChangedSince from error


def activate(fact: Fact) -> None:
    """Make a fact hold from its start; settling sets its end and status."""
    fact.status = SUPERSEDED
    fact.valid_to = fact.superseded_by_id = None


def _reject(fact: Fact) -> None:
    fact.status = REJECTED
    fact.valid_to = fact.superseded_by_id = None


def _end(at: datetime, fact: Fact) -> None:
    fact.ended_at = max(at, fact.valid_from)


def found_fact(user_id: UUID, fact_id: UUID) -> Fact:
    """One of the user's facts that is not deleted or merged. Raises NotFound."""
    (fact,) = _fact_loader(user_id, [fact_id], *Fact.Status)()
    return fact


def still_in_status(user_id: UUID, fact_ids: Sequence[UUID], states: Collection[str]) -> list[UUID]:
    """Those of these facts that still have one of these statuses.

    Raises NotFound if none belongs to this user.
    """
    own = Fact.objects.filter(user_id=user_id, id__in=fact_ids)
    if not own.exists():
        raise NotFound
    remaining = own.filter(status__in=states, deleted_at=None, merged_into_id=None)
    return list(remaining.values_list("id", flat=True))


def _fact_loader(user_id: UUID, fact_ids: Sequence[UUID], *states: str) -> Callable[[], list[Fact]]:
    """A function that loads all of these facts, to be called under the palace lock. Raises NotFound and
    WrongStatus."""
    wanted = set(fact_ids)
    if not wanted or len(wanted) > MAX_AT_ONCE:
        raise NotFound

    def find() -> list[Fact]:
        facts = Fact.objects.filter(
            user_id=user_id,
            id__in=wanted,
            deleted_at=None,
            merged_into_id=None,
        )
        found = list(facts.order_by("valid_from", "id"))
        if len(found) != len(wanted):
            raise NotFound
        if not {fact.status for fact in found} <= set(states):
            raise WrongStatus
        return found

    return find


def _change(fact: Fact, change: FactChange, decision_id: UUID, now: datetime) -> bool:
    """Change a fact and store its previous version.

    Returns whether this approved it or revoked its approval without rewording it.
    """
    about = fact.object, fact.value
    statement, unapproved = fact.statement, fact.status in UNAPPROVED
    _store_version(fact, decision_id, now)
    change(fact)
    fact.save()
    if about != (fact.object, fact.value):
        forget_projection(fact.user_id, [fact.id])
        clear_questions(fact.user_id, [fact.id])
    return fact.statement == statement and unapproved != (fact.status in UNAPPROVED)


def _undo(user_id: UUID, decision_id: UUID, now: datetime) -> tuple[Fact, ...]:
    sets = log.undoable_in_batch(user_id, Area.FACTS, decision_id)
    diffs = [each for each in log.diffs_of(user_id, sets)[sets[0].id] if each.table == FACT]
    reworded = {diff.id for diff in diffs if "statement" in (diff.after or {})}
    ids = [diff.id for diff in diffs]
    facts = Fact.objects.filter(user_id=user_id, id__in=ids)
    dropped_ids = set(facts.filter(DROPPED).values_list("id", flat=True))  # they stay deleted
    _mark_undone(user_id, decision_id, now)
    log.undo(user_id, sets, now, DERIVED, dropped_ids)
    remove_tombstones(user_id, Tombstone.Kind.FACT, decision_id)
    clear_questions(user_id, ids)
    for fact in facts.all():
        if fact.id in reworded:
            forget_vectors(fact)
        _follow_sources_to_trash(fact)
    forget_projection(user_id, ids)
    _settled(user_id, ids)
    return tuple(facts.exclude(id__in=dropped_ids).order_by("valid_from", "id"))


def _store_version(fact: Fact, decision_id: UUID, now: datetime) -> None:
    """Store a fact as it is, before it is changed, and increment its version."""
    FactVersion.objects.create(
        user_id=fact.user_id,
        fact_id=fact.id,
        number=fact.version,
        content=_content(fact),
        content_hash=bytes(fact.content_hash),
        decision_id=decision_id,
        replaced_at=now,
    )
    fact.version += 1


def _mark_undone(user_id: UUID, decision_id: UUID, now: datetime) -> None:
    """Mark a decision as undone in the history of its facts, before they are restored."""
    versions = FactVersion.objects.filter(user_id=user_id, decision_id=decision_id, undone_at=None)
    for version in versions.select_related("fact"):
        version.content, version.content_hash = _content(version.fact), bytes(version.fact.content_hash)
        version.undone_at = now
        version.save(update_fields=("content", "content_hash", "undone_at"))


def _content(fact: Fact) -> dict[str, Any]:
    return {name: as_json(getattr(fact, name)) for name in KEPT_IN_HISTORY}


def _settled(user_id: UUID, ids: Sequence[UUID]) -> list[Fact]:
    """Recompute what follows from these facts; returns the updated facts in this order."""
    settle_around(user_id, ids)
    forget_derived(user_id, ids)
    facts = {fact.id: fact for fact in Fact.objects.filter(user_id=user_id, id__in=ids)}
    return [facts[each] for each in ids if each in facts]


def _follow_sources_to_trash(fact: Fact) -> None:
    """Move a fact to the trash if all of its sources have been moved there since."""
    if fact.deleted_at is None and not fact.sources.filter(drawer__deleted_at=None).exists():
        deleted = fact.sources.select_related("drawer").order_by("drawer__deleted_at").last()
        if deleted is not None:
            fact.deleted_at = deleted.drawer.deleted_at
            fact.deletion_id = deleted.drawer.deletion_id
            fact.save(update_fields=("deleted_at", "deletion_id"))


def _sources_to_move(gone: Fact, kept: Fact) -> list[FactSource]:
    known = set(kept.sources.values_list("drawer_id", "start"))
    return [each for each in gone.sources.order_by("id") if (each.drawer_id, each.start) not in known]


def _add_fact_tombstones(fact: Fact, decision_id: UUID) -> None:
    """Prevent the same words from restoring the fact, even after it is erased."""
    for message_id in fact.sources.values_list("drawer__source_message_id", flat=True):
        digest = tombstone_digest(fact.key, fact.value, message_id)
        add_tombstone(fact.user_id, Tombstone.Kind.FACT, digest, decision_id)
