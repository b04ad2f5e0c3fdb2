"""The values of a profile: what holds now of a person, by key, without what must not be told."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import count
from uuid import UUID

from django.contrib.postgres.aggregates import BoolAnd
from django.db.models import Q

from memory.facts import current_facts
from memory.models import Fact, FactSource, HiddenValue

MOST = 120
BATCH = 160
RECIPE = "1"  # a new number has every profile written again

TELLING = ("kind", "key", "value", "predicate", "object", "statement", "single_valued")
"""The columns that prose, its digest and what is hidden are made from."""
SECTIONS = ("self", "people", "tastes", "care", "plans", "tools", "notes")
_OF_PREDICATE = {
    "allergic_to": "care",
    "has_condition": "care",
    "follows_diet": "care",
    "avoids": "care",
}
_OF_KIND = {
    "identity": "self",
    "relationship": "people",
    "preference": "tastes",
    "constraint": "care",
    "goal": "plans",
    "project": "plans",
    "technical": "tools",
}


@dataclass(frozen=True, slots=True)
class Values:
    """What is told of a person, the surest first, and what they hid."""

    told: tuple[Fact, ...] = ()
    hidden: tuple[Fact, ...] = ()


def values_of(user_id: UUID, now: datetime, columns: Sequence[str] = ()) -> Values:
    """The facts of a profile: semantic ones that hold, said by the person or approved by them,
    and known from words that are not marked sensitive. With `columns` they hold those only."""
    kept_back = set(
        map(bytes, HiddenValue.objects.filter(user_id=user_id).values_list("digest", flat=True))
    )
    told: list[Fact] = []
    hidden: list[Fact] = []
    for fact in _openly_known(user_id, now, columns):
        if len(told) == MOST:
            break
        (hidden if value_digest(fact) in kept_back else told).append(fact)
    return Values(tuple(told), tuple(hidden))


def section_of(fact: Fact) -> str:
    """The name of the section a fact stands in."""
    return _OF_PREDICATE.get(fact.predicate, _OF_KIND.get(fact.kind, "notes"))


def in_sections(facts: Iterable[Fact]) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    """The sections that are not empty, in their order, each with its facts."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(section_of(fact), []).append(fact)
    return tuple((name, tuple(found[name])) for name in SECTIONS if name in found)


def value_digest(fact: Fact) -> bytes:
    """What a value is hidden by: its key, and with a key of several values the value too."""
    value = "" if fact.single_valued else fact.value.strip().casefold()
    return sha256(f"{fact.key}\n{value}".encode()).digest()


def digest_of(facts: Sequence[Fact]) -> bytes:
    """A digest of all that prose is made of; equal facts give the same one in any order."""
    lines = sorted(
        "\x1f".join((fact.kind, fact.key, fact.predicate, fact.object, fact.statement))
        for fact in facts
    )
    return sha256("\x1e".join((RECIPE, *lines)).encode()).digest()


def _openly_known(user_id: UUID, now: datetime, columns: Sequence[str]) -> Iterator[Fact]:
    """The surest first, a batch at a time: most people need no more than one."""
    facts = current_facts(user_id, now).filter(
        Q(authority="user") | ~Q(review_reason=""),
        memory_type=Fact.Memory.SEMANTIC,
        archived_at=None,
    )
    ordered = facts.order_by("-single_valued", "-times_seen", "-valid_from", "id")
    if columns:
        ordered = ordered.only("user_id", "id", *columns)
    for start in count(0, BATCH):
        batch = list(ordered[start : start + BATCH])
        secret = only_sensitive(user_id, [fact.id for fact in batch])
        yield from (fact for fact in batch if fact.id not in secret)
        if len(batch) < BATCH:
            return


def only_sensitive(user_id: UUID, fact_ids: Sequence[UUID]) -> set[UUID]:
    """Those of the facts that no drawer tells but sensitive ones."""
    words = FactSource.objects.filter(
        user_id=user_id, fact_id__in=fact_ids, drawer__deleted_at=None
    )
    secret = words.values("fact_id").annotate(secret=BoolAnd("drawer__sensitive"))
    return set(secret.filter(secret=True).values_list("fact_id", flat=True))
