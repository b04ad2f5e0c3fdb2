"""Which facts by rules a model's reading of the same words has put better.

Both readers often find the same fact and word it differently. A fact by rules gives way to one of
the same kind whose words enclose its own, when both are about the same thing: the same key, or
the object of one in the statement of the other. What a model has not found again stays.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F
from django.utils.translation import gettext_noop

from memory.facts import settle
from memory.models import Fact, FactSource

REASON = gettext_noop("A model has read these words again and put it in other words.")
RESTORED = ("status", "valid_to", "superseded_by_id", "merged_into_id", "review_reason")
IN_FORCE = (Fact.Status.ACTIVE, Fact.Status.PENDING)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A fact that gave way to another, with the status and reason for review it had before."""

    fact_id: UUID
    by: UUID
    status: str
    review_reason: str


def replace_by_model(user_id: UUID, drawer_ids: Sequence[UUID]) -> list[Replacement]:
    """Let facts by rules from these drawers give way to those a model found in the same words.

    They are superseded from the moment they began, so that they never held in that wording; the
    other sources they have pass to the fact that takes their place. Runs inside a transaction that
    holds the palace lock.
    """
    sources = FactSource.objects.filter(
        user_id=user_id, drawer_id__in=drawer_ids, fact__deleted_at=None
    ).select_related("fact")
    known = list(sources.order_by("drawer_id", "start", "id"))
    return [_replace(old.fact, new.fact) for old, new in _pairs(known)]


def _pairs(known: Iterable[FactSource]) -> Iterator[tuple[FactSource, FactSource]]:
    by_rules = [
        each
        for each in known
        if each.fact.mined_by == "rules"
        and each.fact.status in IN_FORCE
        and each.fact.version == 1  # its owner's own words stay
    ]
    by_model = [
        each
        for each in known
        if each.fact.mined_by == "model" and each.fact.status != Fact.Status.REJECTED
    ]
    gone: set[UUID] = set()
    for old in by_rules:
        for new in by_model:
            if old.fact_id not in gone and _encloses(new, old) and _says_the_same(new, old):
                gone.add(old.fact_id)
                yield old, new


def _encloses(new: FactSource, old: FactSource) -> bool:
    return new.drawer_id == old.drawer_id and new.start <= old.start and old.end <= new.end


def _says_the_same(new: FactSource, old: FactSource) -> bool:
    model, rules = new.fact, old.fact
    if model.kind != rules.kind or _would_hide(model, rules):
        return False
    return (
        model.key == rules.key
        or _occurs(rules.object, model.statement)
        or _occurs(model.object, rules.statement)
        or _is_translated(new, old)
    )


def _would_hide(model: Fact, rules: Fact) -> bool:
    """Whether something in force would give way to what still waits for review."""
    return model.status == Fact.Status.PENDING and rules.status == Fact.Status.ACTIVE


def _occurs(words: str, text: str) -> bool:
    sought = " ".join(words.casefold().split())
    return bool(sought) and sought in " ".join(text.casefold().split())


def _is_translated(new: FactSource, old: FactSource) -> bool:
    """Rules keep the user's own script, a model writes English: then the words tell."""
    same_words = (new.start, new.end) == (old.start, old.end)
    return same_words and not old.fact.object.isascii() and new.fact.object.isascii()


def _replace(old: Fact, new: Fact) -> Replacement:
    replacement = Replacement(old.id, new.id, old.status, old.review_reason)
    old.status = Fact.Status.SUPERSEDED
    old.valid_to, old.superseded_by_id, old.review_reason = old.valid_from, new.id, REASON
    old.merged_into_id = new.id
    old.save(update_fields=RESTORED)
    _pass_on_sources(old, new)
    return replacement


def put_back(user_id: UUID, replacement: Replacement) -> None:
    """Let a fact stand again that had given way, unless it was decided on or deleted since."""
    facts = Fact.objects.filter(user_id=user_id, id=replacement.fact_id, deleted_at=None)
    fact = facts.filter(status=Fact.Status.SUPERSEDED, superseded_by_id=replacement.by).first()
    if fact is None or _twin_stands(fact):
        return
    fact.status, fact.review_reason = replacement.status, replacement.review_reason
    fact.valid_to = fact.superseded_by_id = fact.merged_into_id = None
    fact.save(update_fields=RESTORED)
    if fact.single_valued and fact.status == Fact.Status.ACTIVE:
        settle(user_id, fact.key)


def _twin_stands(fact: Fact) -> bool:
    twins = Fact.objects.filter(
        user_id=fact.user_id, content_hash=fact.content_hash, deleted_at=None
    )
    return twins.exclude(status=Fact.Status.SUPERSEDED).exists()


def _pass_on_sources(old: Fact, new: Fact) -> None:
    """What else the old wording rests on supports the new one too."""
    sources = FactSource.objects.filter(user_id=old.user_id)
    there = set(sources.filter(fact_id=new.id).values_list("drawer_id", flat=True))
    others = [each for each in sources.filter(fact_id=old.id) if each.drawer_id not in there]
    FactSource.objects.bulk_create(
        FactSource(
            user_id=old.user_id,
            fact_id=new.id,
            drawer_id=each.drawer_id,
            start=each.start,
            end=each.end,
            since=each.since,
        )
        for each in others
    )
    if others:
        facts = Fact.objects.filter(user_id=old.user_id, id=new.id)
        facts.update(times_seen=F("times_seen") + len(others))
