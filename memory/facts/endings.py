"""Statements that a fact has ended. They are stored separately, so that the order of arrival does not matter,
and they stop counting once their words are deleted."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memory.facts.statements import Statement, plain
from memory.mining.progress import text_digest
from memory.models import Fact, FactEnding


def store_ending(statement: Statement) -> FactEnding:
    """Record that a fact had ended at its `valid_from`."""
    ended = statement.fact
    return FactEnding.objects.get_or_create(
        user_id=ended.user_id,
        drawer_id=statement.drawer.id,
        start=statement.span[0],
        key=ended.key,
        defaults={
            "end": statement.span[1],
            "predicate": ended.predicate,
            "value_digest": _digest(ended.value),
            "object_digest": _digest(ended.object),
            "at": ended.valid_from,
        },
    )[0]


def endings_of(user_id: UUID, facts: Sequence[Fact]) -> list[tuple[FactEnding, Fact]]:
    """All remaining endings, each paired with those of these facts it refers to."""
    endings = FactEnding.objects.filter(user_id=user_id, drawer__deleted_at=None)
    keys, predicates = {fact.key for fact in facts}, {fact.predicate for fact in facts}
    return _pairs(endings.filter(Q(key__in=keys) | Q(predicate__in=predicates)), facts)


def ended_between(fact: Fact, start: datetime, end: datetime) -> bool:
    """Whether a fact ended between `start` and `end` (inclusive)."""
    return any(start <= ending.at <= end for ending, _ in endings_of(fact.user_id, [fact]))


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
