"""Statements that a fact has ended. They are stored separately, so that the order of arrival does not matter,
and they stop counting once their words are deleted. Review asks the owner about doubtful ones."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory.facts.statements import Statement, plain
from memory.facts.vocabulary import FORMER
from memory.models import Fact, FactEnding, FactSource
from memory.text.digests import text_digest

_NOT_LASTING = ("event", "experience", "instruction")
MIN_NAME_LENGTH = 3


def store_ending(statement: Statement) -> FactEnding | None:
    """Record that a fact had ended by its `valid_from`; doubtful if the fact has a `review_reason`.

    Returns None if the owner denied that these words end the fact, or if a doubtful ending would only repeat
    another one. Endings of a single value under one key in the same words count as one, because another
    extraction may word the value differently.
    """
    ended, (start, end) = statement.fact, statement.span
    doubtful = bool(ended.review_reason)
    value, object_ = _digest(ended.value), _digest(ended.object)
    by_key = Q(key=ended.key) if ended.single_valued else Q(key=ended.key, value_digest=value)
    here = FactEnding.objects.filter(user_id=ended.user_id, drawer_id=statement.drawer.id)
    same = here.filter(by_key | Q(predicate=ended.predicate, object_digest=object_))
    answered = Q(denied=True) | Q(doubtful=True) if doubtful else Q(denied=True)
    if same.filter(answered, start__lt=end, end__gt=start).exists():
        return None
    known = here.filter(by_key, start=start, doubtful=doubtful).order_by("id").first()
    return known or FactEnding.objects.create(
        user_id=ended.user_id,
        drawer_id=statement.drawer.id,
        start=start,
        end=end,
        key=ended.key,
        predicate=ended.predicate,
        value_digest=value,
        object_digest=object_,
        at=ended.valid_from,
        doubtful=doubtful,
    )


def fact_named_in_part(ended: Fact) -> Fact | None:
    """The only fact that holds whose object has the words of what ended and more ("2015 Toyota Yaris" for
    "Toyota Yaris"), or None."""
    words = plain(ended.object)
    if len(words) < MIN_NAME_LENGTH:
        return None
    facts = Fact.objects.filter(user_id=ended.user_id, status=Fact.Status.ACTIVE, deleted_at=None)
    near = facts.filter(object__icontains=words).exclude(kind__in=_NOT_LASTING)
    named = [(fact, plain(fact.object)) for fact in near]
    fuller = [fact for fact, name in named if f" {words} " in f" {name} " and name != words]
    return fuller[0] if len(fuller) == 1 else None


def endings_of(user_id: UUID, facts: Sequence[Fact]) -> list[tuple[FactEnding, Fact]]:
    """All remaining endings, each paired with those of these facts it refers to."""
    endings = FactEnding.objects.filter(user_id=user_id, drawer__deleted_at=None)
    keys, predicates = {fact.key for fact in facts}, {fact.predicate for fact in facts}
    return _pairs(endings.filter(Q(key__in=keys) | Q(predicate__in=predicates)), facts)


def ended_between(fact: Fact, start: datetime, end: datetime) -> bool:
    """Whether a fact certainly ended between `start` and `end` (inclusive)."""
    endings = (ending for ending, _ in endings_of(fact.user_id, [fact]) if not ending.doubtful)
    return any(start <= ending.at <= end for ending in endings)


def ask_about(user_id: UUID, pairs: Iterable[tuple[FactEnding, Fact]]) -> None:
    """Let each doubtful ending ask about the first fact it may have ended, if it asks about none yet."""
    doubtful = [(ending, fact) for ending, fact in pairs if ending.doubtful]
    asked = {ending.asked_id for ending, _ in doubtful if ending.asked_id}
    facts = Fact.objects.filter(user_id=user_id, id__in=asked, status=Fact.Status.ACTIVE, deleted_at=None)
    holding = set(facts.values_list("id", flat=True)) if asked else set()
    for ending, fact in doubtful:
        may_have_ended = fact.status == Fact.Status.ACTIVE and fact.valid_from < ending.at
        if may_have_ended and ending.asked_id not in holding:
            ending.asked_id = fact.id
            holding.add(fact.id)
            FactEnding.objects.filter(user_id=user_id, id=ending.id).update(asked_id=fact.id)


def clear_questions(user_id: UUID, fact_ids: Iterable[UUID]) -> None:
    """Stop asking about facts that were erased, reworded or restored; settling asks again."""
    FactEnding.objects.filter(user_id=user_id, asked_id__in=list(fact_ids)).update(asked_id=None)


def asked_endings(user_id: UUID) -> QuerySet[FactEnding]:
    """The doubtful endings that review asks about: their facts hold and have not been stated again since."""
    facts = Fact.objects.filter(user_id=OuterRef("user_id"), id=OuterRef("asked_id"))
    facts = facts.filter(status=Fact.Status.ACTIVE, deleted_at=None, valid_from__lt=OuterRef("at"))
    sources = FactSource.objects.filter(user_id=OuterRef("user_id"), fact_id=OuterRef("asked_id"))
    later = sources.filter(drawer__deleted_at=None, drawer__said_at__gt=OuterRef("drawer__said_at"))
    endings = FactEnding.objects.filter(user_id=user_id, asked_id__isnull=False, denied=False)
    return endings.filter(Exists(facts), ~Exists(later), drawer__deleted_at=None)


def same_questions(user_id: UUID, fact_ids: Iterable[UUID]) -> list[tuple[FactEnding, Fact]]:
    """The pairs of a doubtful ending that review asks about and a waiting fact that says the same in its
    words ("You used to work at Seat"), if the waiting fact or the one asked about is one of these."""
    ids = set(fact_ids)
    sources = FactSource.objects.filter(user_id=user_id)
    here = sources.filter(fact_id__in=ids).values("drawer_id")
    endings = asked_endings(user_id).filter(Q(asked_id__in=ids) | Q(drawer_id__in=here), predicate__in=FORMER)
    asked = list(endings.order_by("at", "id"))
    waiting = sources.filter(
        drawer_id__in={ending.drawer_id for ending in asked},
        fact__status=Fact.Status.PENDING,
        fact__deleted_at=None,
        fact__merged_into_id=None,
    )
    found = list(waiting.select_related("fact")) if asked else []
    pairs = ((ending, source.fact) for ending in asked for source in found if _says_the_same(source, ending))
    return [(ending, fact) for ending, fact in pairs if ending.asked_id in ids or fact.id in ids]


def _says_the_same(source: FactSource, ending: FactEnding) -> bool:
    fact, is_here = source.fact, source.drawer_id == ending.drawer_id
    is_former = (fact.predicate, _digest(fact.object)) == (
        FORMER[ending.predicate],
        bytes(ending.object_digest),
    )
    return is_here and is_former and source.start < ending.end and ending.start < source.end


def facts_ended_by(user_id: UUID, endings: Iterable[FactEnding]) -> list[Fact]:
    """The facts these endings refer to, at any time."""
    every = list(endings)
    about = Q(key__in={each.key for each in every}) | Q(predicate__in={each.predicate for each in every})
    facts = list(Fact.objects.filter(about, user_id=user_id, deleted_at=None)) if every else []
    return list({fact.id: fact for _, fact in _pairs(every, facts)}.values())


def endings_in(user_id: UUID, drawer_ids: Sequence[UUID]) -> QuerySet[FactEnding]:
    """The endings that come from these drawers."""
    return FactEnding.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)


def _pairs(endings: Iterable[FactEnding], facts: Iterable[Fact]) -> list[tuple[FactEnding, Fact]]:
    """Pair endings with facts by key and value, or by predicate and object."""
    known: defaultdict[tuple[str, str, bytes], dict[UUID, Fact]] = defaultdict(dict)
    for fact in facts:
        for by, name, value in (("key", fact.key, fact.value), ("predicate", fact.predicate, fact.object)):
            for digest in _names(fact, value):
                known[by, name, digest][fact.id] = fact
    return [
        (ending, fact)
        for ending in endings
        for fact in (
            known.get(("key", ending.key, bytes(ending.value_digest)), {})
            | known.get(("predicate", ending.predicate, bytes(ending.object_digest)), {})
        ).values()
    ]


def _names(fact: Fact, value: str) -> set[bytes]:
    """Digests by which an ending may name a value.

    A single-valued fact also matches by its first words: "Acme" for "Acme Printing".
    """
    words = plain(value).split() if fact.single_valued else [plain(value)]
    return {_digest(" ".join(words[:count])) for count in range(1, len(words) + 1)}


def _digest(value: str) -> bytes:
    return text_digest(plain(value))
