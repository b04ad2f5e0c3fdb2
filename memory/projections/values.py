"""The values of a profile: a user's current facts by key, without hidden and sensitive ones."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import count
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import BoolAnd
from django.db import connection

from memory.facts.validity import HOLDS_OR_HELD
from memory.models import Fact, FactSource, HiddenValue

MAX_ITEMS = 120
BATCH = 160
FORMAT = "1"  # increment to have every profile rewritten

_PROFILE_FACTS = """
SELECT fact.id, fact.kind, fact.key, fact.value, fact.predicate, fact.object, fact.statement,
  fact.single_valued,
  (SELECT bool_and(drawer.sensitive)
   FROM memory_factsource source JOIN memory_drawer drawer
     ON drawer.user_id = source.user_id AND drawer.id = source.drawer_id
   WHERE source.user_id = fact.user_id AND source.fact_id = fact.id AND drawer.deleted_at IS NULL)
FROM (
  SELECT * FROM memory_fact
  WHERE user_id = %(user)s AND deleted_at IS NULL AND archived_at IS NULL
    AND status = ANY(%(statuses)s) AND memory_type = %(semantic)s
    AND valid_from <= %(now)s AND (valid_to IS NULL OR valid_to > %(now)s)
    AND (authority = 'user' OR review_reason <> '')
  ORDER BY single_valued DESC, times_seen DESC, valid_from DESC, id LIMIT %(limit)s OFFSET %(start)s
) AS fact
ORDER BY fact.single_valued DESC, fact.times_seen DESC, fact.valid_from DESC, fact.id
"""

SECTIONS = ("self", "people", "tastes", "care", "plans", "tools", "notes")
_SECTION_BY_PREDICATE = {
    "allergic_to": "care",
    "has_condition": "care",
    "follows_diet": "care",
    "avoids": "care",
}
_SECTION_BY_KIND = {
    "identity": "self",
    "relationship": "people",
    "preference": "tastes",
    "constraint": "care",
    "goal": "plans",
    "project": "plans",
    "technical": "tools",
}


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """The fields of a fact that the prose, its digest and hidden values depend on."""

    id: UUID
    kind: str
    key: str
    value: str
    predicate: str
    object: str
    statement: str
    single_valued: bool


FactLike = Fact | ProfileFact


@dataclass(frozen=True, slots=True)
class Values:
    """A user's visible values, most certain first, and the hidden ones."""

    shown: tuple[Fact, ...] = ()
    hidden: tuple[Fact, ...] = ()


def values_of(user_id: UUID, now: datetime) -> Values:
    """The facts of a profile: current semantic facts that the user stated or approved, with a source that is
    not sensitive.
    """
    digests = HiddenValue.objects.filter(user_id=user_id).values_list("digest", flat=True)
    visible, hidden = profile_facts(user_id, now, frozenset(map(bytes, digests)))
    ids = [fact.id for fact in (*visible, *hidden)]
    facts = {fact.id: fact for fact in Fact.objects.filter(user_id=user_id, id__in=ids)}
    return Values(
        tuple(facts[fact.id] for fact in visible if fact.id in facts),
        tuple(facts[fact.id] for fact in hidden if fact.id in facts),
    )


def profile_facts(
    user_id: UUID, now: datetime, hidden_digests: Collection[bytes]
) -> tuple[tuple[ProfileFact, ...], tuple[ProfileFact, ...]]:
    """The facts of a profile as in `values_of`, and the hidden ones by their `value_digest`."""
    visible: list[ProfileFact] = []
    hidden: list[ProfileFact] = []
    for fact in _profile_facts(user_id, now):
        if len(visible) == MAX_ITEMS:
            break
        (hidden if hidden_digests and value_digest(fact) in hidden_digests else visible).append(fact)
    return tuple(visible), tuple(hidden)


def section_of(fact: FactLike) -> str:
    """The name of the section a fact belongs to."""
    return _SECTION_BY_PREDICATE.get(fact.predicate, _SECTION_BY_KIND.get(fact.kind, "notes"))


def in_sections(facts: Iterable[Fact]) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    """The non-empty sections in order, each with its facts."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(section_of(fact), []).append(fact)
    return tuple((name, tuple(found[name])) for name in SECTIONS if name in found)


def value_digest(fact: FactLike) -> bytes:
    """The digest that hides a value: of its key, and of the value too if the key can have several."""
    value = "" if fact.single_valued else fact.value.strip().casefold()
    return sha256(f"{fact.key}\n{value}".encode()).digest()


def digest_of(facts: Sequence[FactLike]) -> bytes:
    """A digest of everything the prose depends on, independent of order."""
    lines = sorted(
        "\x1f".join((fact.kind, fact.key, fact.predicate, fact.object, fact.statement)) for fact in facts
    )
    return sha256("\x1e".join((FORMAT, *lines)).encode()).digest()


def _profile_facts(user_id: UUID, now: datetime) -> Iterator[ProfileFact]:
    """Profile facts, most certain first, in batches: for most users one is enough."""
    parameters: dict[str, Any] = {
        "user": user_id,
        "now": now,
        "statuses": list(HOLDS_OR_HELD),
        "semantic": Fact.Memory.SEMANTIC,
        "limit": BATCH,
    }
    for start in count(0, BATCH):
        with connection.cursor() as cursor:
            cursor.execute(_PROFILE_FACTS, {**parameters, "start": start})
            rows = cursor.fetchall()
        yield from (ProfileFact(*row) for *row, sensitive in rows if not sensitive)
        if len(rows) < BATCH:
            return


def only_sensitive(user_id: UUID, fact_ids: Sequence[UUID]) -> set[UUID]:
    """The facts that only sensitive drawers support."""
    words = FactSource.objects.filter(user_id=user_id, fact_id__in=fact_ids, drawer__deleted_at=None)
    sensitive = words.values("fact_id").annotate(secret=BoolAnd("drawer__sensitive"))
    return set(sensitive.filter(secret=True).values_list("fact_id", flat=True))
