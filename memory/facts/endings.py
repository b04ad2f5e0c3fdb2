"""Words that say a fact is over, kept apart from the fact, so that they count whichever of the two
is filed first, and no longer once they are deleted."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memory.facts.statements import KEY_LIMIT, Statement, plain
from memory.ledger import text_digest
from memory.models import Fact, FactEnding


def keep_ending(user_id: UUID, statement: Statement) -> FactEnding:
    """Keep that a statement is over since its `valid_from`."""
    return FactEnding.objects.get_or_create(
        user_id=user_id,
        drawer_id=statement.drawer_id,
        start=statement.span[0],
        key=statement.key[:KEY_LIMIT],
        defaults={
            "end": statement.span[1],
            "predicate": statement.predicate[:KEY_LIMIT],
            "value_digest": _digest(statement.value),
            "object_digest": _digest(statement.object),
            "at": statement.valid_from,
        },
    )[0]


def ended_at(user_id: UUID, facts: Sequence[Fact]) -> dict[UUID, datetime]:
    """When each of the facts was first said to be over after it began; others are left out."""
    keys = {fact.key for fact in facts}
    predicates = {fact.predicate for fact in facts}
    endings = list(_standing(user_id).filter(Q(key__in=keys) | Q(predicate__in=predicates)))
    found = {}
    for fact in facts:
        moments = [
            ending.at
            for ending in endings
            if ending.at >= fact.valid_from and _is_about(ending, fact)
        ]
        if moments:
            found[fact.id] = min(moments)
    return found


def ended_between(fact: Fact, start: datetime, end: datetime) -> bool:
    """Whether a fact was said to be over from `start` on and before `end`."""
    endings = _standing(fact.user_id).filter(at__gte=start, at__lte=end)
    about = endings.filter(Q(key=fact.key) | Q(predicate=fact.predicate))
    return any(_is_about(ending, fact) for ending in about)


def facts_ended_by(user_id: UUID, endings: Iterable[FactEnding]) -> list[Fact]:
    """The facts that these words are about, whenever they held."""
    found: dict[UUID, Fact] = {}
    for ending in endings:
        about = Q(key=ending.key) | Q(predicate=ending.predicate)
        facts = Fact.objects.filter(about, user_id=user_id, deleted_at=None)
        found |= {fact.id: fact for fact in facts if _is_about(ending, fact)}
    return list(found.values())


def endings_in(user_id: UUID, drawer_ids: Sequence[UUID]) -> QuerySet[FactEnding]:
    """What is said in these drawers to be over."""
    return FactEnding.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)


def _standing(user_id: UUID) -> QuerySet[FactEnding]:
    return FactEnding.objects.filter(user_id=user_id, drawer__deleted_at=None)


def _is_about(ending: FactEnding, fact: Fact) -> bool:
    by_key = ending.key == fact.key and bytes(ending.value_digest) in _names(fact, fact.value)
    return by_key or (
        ending.predicate == fact.predicate
        and bytes(ending.object_digest) in _names(fact, fact.object)
    )


def _names(fact: Fact, value: str) -> set[bytes]:
    """What a value may be called: where there is only one, its first words will do ("Acme" for
    "Acme Printing")."""
    words = plain(value).split() if fact.single_valued else [plain(value)]
    return {_digest(" ".join(words[:count])) for count in range(1, len(words) + 1)}


def _digest(value: str) -> bytes:
    return text_digest(plain(value))
