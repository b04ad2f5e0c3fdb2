"""Gives every fact its time: from its own start until whatever takes its place begins.

A value of a single-valued key is followed by the next value of that key, any fact by the next one
that says the same in other words, and by nothing once somebody said that it ended. All of it is
worked out anew from what stands, so facts may arrive and leave in any order.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from django.db.models import F, Q, QuerySet
from uuid_utils.compat import uuid7

from memory.facts.endings import ended_at, endings_in, facts_ended_by
from memory.facts.likeness import share_meaning
from memory.facts.statements import KEY_LIMIT, same_value
from memory.models import Fact, FactEnding, FactLink, FactSource

HOLDS_OR_HELD = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED)


def settle(user_id: UUID, key: str) -> None:
    """Give every fact of a key the time in which it holds.

    Runs inside a transaction that holds the palace lock.
    """
    facts = list(_standing(user_id).filter(key=key[:KEY_LIMIT]).order_by("valid_from", "id"))
    values = [fact for fact in facts if fact.single_valued]
    following = {fact.id: later for fact, later in pairwise(values)}
    following |= _followed_in_the_past(facts, values)
    reworded = _reworded_later(user_id, facts)
    over = ended_at(user_id, facts)
    for fact in facts:
        later = [each for each in (following.get(fact.id), reworded.get(fact.id)) if each]
        _end(fact, min(later, key=_place_in_time, default=None), over.get(fact.id))


def settle_around(user_id: UUID, fact_ids: Iterable[UUID]) -> None:
    """The same for the keys of these facts and of those that say the same in other words."""
    ids = set(fact_ids)
    links = _same(user_id).filter(Q(fact_id__in=ids) | Q(other_id__in=ids))
    ids.update(each for pair in links.values_list("fact_id", "other_id") for each in pair)
    keys = Fact.objects.filter(user_id=user_id, id__in=ids).values_list("key", flat=True)
    for key in sorted(set(keys)):
        settle(user_id, key)


def reopen(user_id: UUID, removed: Sequence[UUID]) -> None:
    """Let facts hold again that others which are gone had ended: until the next one, or still.

    Runs inside a transaction that holds the palace lock, after the facts were removed.
    """
    ended = Fact.objects.filter(user_id=user_id, superseded_by_id__in=removed, deleted_at=None)
    for key in sorted(set(ended.values_list("key", flat=True))):
        settle(user_id, key)


def settle_ended_in(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """The same for what these drawers say to be over, after they went or came back."""
    endings = endings_in(user_id, drawer_ids)
    settle_around(user_id, [fact.id for fact in facts_ended_by(user_id, endings)])


def withdraw_endings(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Drop what these drawers say to be over; it holds again."""
    drop_endings(user_id, [ending.id for ending in endings_in(user_id, drawer_ids)])


def drop_endings(user_id: UUID, ending_ids: Collection[UUID]) -> None:
    """Drop words that say that something is over; it holds again."""
    endings = FactEnding.objects.filter(user_id=user_id, id__in=ending_ids)
    ended = [fact.id for fact in facts_ended_by(user_id, endings)]
    endings.delete()
    settle_around(user_id, ended)


def values_of(user_id: UUID, key: str) -> QuerySet[Fact]:
    """Every value a single-valued key has or had."""
    return _standing(user_id).filter(key=key[:KEY_LIMIT], single_valued=True)


def value_at(user_id: UUID, key: str, at: datetime) -> Fact | None:
    """The value that a single-valued key had at a moment."""
    holding = Q(valid_to=None) | Q(valid_to__gt=at)
    return values_of(user_id, key).filter(holding, valid_from__lte=at).first()


def said_since(fact: Fact, at: datetime) -> list[FactSource]:
    """The sources of a fact that were said after a moment, or speak of a later one."""
    sources = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    later = sources.filter(Q(drawer__said_at__gt=at) | Q(since__gt=at))
    return list(later.select_related("drawer").order_by("id"))


def part(fact: Fact) -> None:
    """When the value that held at the start of `fact` was said again later, let that later time
    begin a fact of its own, so that a statement which arrives late ends nothing said since."""
    holding = value_at(fact.user_id, fact.key, fact.valid_from)
    if holding:
        part_at(holding, fact.valid_from)


def part_at(holding: Fact, at: datetime) -> None:
    """Let what was said of a fact after a moment begin a fact of its own."""
    since = said_since(holding, at)
    if since:
        sources = FactSource.objects.filter(user_id=holding.user_id, fact_id=holding.id)
        start = min(_start_after(source, at) for source in since)
        _continue(holding, since, start, moved=len(since) < sources.count())


def make_room_for(facts: Iterable[Fact]) -> None:
    """The same for values that are about to come back from the trash: what was said again while
    they were away ends them, and is not ended by them."""
    for fact in sorted(facts, key=_place_in_time):
        if fact.single_valued and fact.status in HOLDS_OR_HELD:
            holding = value_at(fact.user_id, fact.key, fact.valid_from)
            if holding and not same_value(holding.value, fact.value):
                part_at(holding, fact.valid_from)


def begin_with(user_id: UUID, fact_ids: Iterable[UUID]) -> None:
    """Settle facts that were given earlier words: what was said of them after they were over, or
    another value had taken their place, begins a fact of its own.

    Runs inside a transaction that holds the palace lock.
    """
    for fact in Fact.objects.filter(user_id=user_id, id__in=list(fact_ids)).order_by("valid_from"):
        interrupted = [*ended_at(user_id, [fact]).values(), *_replaced_at(fact)]
        if interrupted:
            part_at(fact, min(interrupted))
        settle(user_id, fact.key)


def end_again(user_id: UUID, drawer_ids: Sequence[UUID]) -> None:
    """Let what these drawers say to be over, which came back, part what was said before it from
    what was said after."""
    for ending in endings_in(user_id, drawer_ids):
        for fact in facts_ended_by(user_id, [ending]):
            if holds_at(fact, ending.at):
                part_at(fact, ending.at)


def holds_at(fact: Fact, at: datetime) -> bool:
    """Whether a fact in force or once in force was true at a moment."""
    return (
        fact.status in HOLDS_OR_HELD
        and fact.valid_from <= at
        and (fact.valid_to is None or fact.valid_to > at)
    )


def _replaced_at(fact: Fact) -> list[datetime]:
    """When other values of a key that can have only one began after this one."""
    if not fact.single_valued:
        return []
    later = values_of(fact.user_id, fact.key).filter(valid_from__gt=fact.valid_from)
    return [each.valid_from for each in later if not same_value(each.value, fact.value)]


def _standing(user_id: UUID) -> QuerySet[Fact]:
    return Fact.objects.filter(
        user_id=user_id, deleted_at=None, merged_into_id=None, status__in=HOLDS_OR_HELD
    )


def _same(user_id: UUID) -> QuerySet[FactLink]:
    return FactLink.objects.filter(user_id=user_id, kind=FactLink.Kind.SAME)


def _reworded_later(user_id: UUID, facts: Sequence[Fact]) -> Mapping[UUID, Fact]:
    """For each of the facts the next one in time that says the same in other words."""
    ids = [fact.id for fact in facts]
    links = _same(user_id).filter(Q(fact_id__in=ids) | Q(other_id__in=ids))
    pairs = list(links.values_list("fact_id", "other_id"))
    if not pairs:
        return {}
    every = {each for pair in pairs for each in pair}
    known = {fact.id: fact for fact in _standing(user_id).filter(id__in=every)}
    found: dict[UUID, Fact] = {}
    for one, other in ((known.get(a), known.get(b)) for a, b in pairs):
        if one and other:
            earlier, later = sorted((one, other), key=_place_in_time)
            nearest = min((later, found.get(earlier.id, later)), key=_place_in_time)
            found[earlier.id] = nearest
    return found


def _followed_in_the_past(facts: Sequence[Fact], values: Sequence[Fact]) -> dict[UUID, Fact]:
    """For each fact whose end was told along with it the first other value that begins later:
    people give the month, and the next value began on a day of it."""
    found = {}
    for fact in facts:
        if fact.ended_at and not fact.single_valued:
            later = (value for value in values if value.valid_from > fact.valid_from)
            other = next((each for each in later if not same_value(each.value, fact.value)), None)
            if other:
                found[fact.id] = other
    return found


def _place_in_time(fact: Fact) -> tuple[datetime, UUID]:
    return fact.valid_from, fact.id


def _end(fact: Fact, following: Fact | None, over: datetime | None) -> None:
    """Close a fact where the following one begins or where it was said to end, or let it hold."""
    end = following.valid_from if following else None
    ends = [moment for moment in (fact.ended_at, over) if moment]
    stopped = max(min(ends), fact.valid_from) if ends else None
    if stopped and (end is None or stopped < end):
        end, following = stopped, None
    status = Fact.Status.SUPERSEDED if end else _last_status(fact)
    found = (end, following.id if following else None, status)
    if found != (fact.valid_to, fact.superseded_by_id, fact.status):
        fact.valid_to, fact.superseded_by_id, fact.status = found
        fact.save(update_fields=["superseded_by_id", "valid_to", "status"])


def _last_status(fact: Fact) -> str:
    """Active, unless the same statement stands elsewhere, waiting for review or rejected."""
    if fact.status == Fact.Status.ACTIVE:
        return fact.status
    twins = Fact.objects.filter(
        user_id=fact.user_id, content_hash=bytes(fact.content_hash), deleted_at=None
    ).exclude(status=Fact.Status.SUPERSEDED)
    stands = twins.exclude(id=fact.id).exists()
    return Fact.Status.SUPERSEDED if stands else Fact.Status.ACTIVE


def _start_after(source: FactSource, at: datetime) -> datetime:
    """When a fact began that was interrupted at a moment: since when these words say it holds, if
    that is later, else when they were said."""
    return source.since if source.since and source.since > at else source.drawer.said_at


def _continue(fact: Fact, sources: Sequence[FactSource], start: datetime, *, moved: bool) -> None:
    """The same fact once more from `start` on. It takes these sources over if the earlier part has
    others."""
    facts = Fact.objects.filter(user_id=fact.user_id, id=fact.id)
    facts.update(status=Fact.Status.SUPERSEDED)
    later = facts.get()
    later.id, later.version, later.times_seen = uuid7(), 1, len(sources)
    later.valid_from = start
    later.save(force_insert=True)
    share_meaning(fact, later.id)
    if moved:
        facts.update(times_seen=F("times_seen") - len(sources))
        ids = [source.id for source in sources]
        links = FactSource.objects.filter(user_id=fact.user_id, id__in=ids)
        links.update(fact_id=later.id)
    else:
        copy_sources(sources, later.id)
    settle(fact.user_id, fact.key)


def copy_sources(sources: Iterable[FactSource], fact_id: UUID) -> list[FactSource]:
    """Let another fact rest on the same words too; returns the new sources."""
    return FactSource.objects.bulk_create(
        FactSource(
            user_id=source.user_id,
            fact_id=fact_id,
            drawer_id=source.drawer_id,
            start=source.start,
            end=source.end,
            since=source.since,
        )
        for source in sources
    )
