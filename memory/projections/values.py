"""The values of a profile: a user's current facts by key, without hidden and sensitive ones."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from uuid import UUID

from django.contrib.postgres.aggregates import BoolAnd
from django.db import DEFAULT_DB_ALIAS
from django.db.models import OuterRef, Q, Subquery

from memory.facts.queries import current_facts
from memory.models import Fact, FactSource, HiddenValue, Profile
from memory.sql import compiled, fetch_prepared, parameter

MAX_ITEMS = 120
BATCH = 160
MAX_READ = 10 * BATCH
FORMAT = "2"  # increment to have every profile rewritten
_ALL_FIELDS = tuple(field.attname for field in Fact._meta.concrete_fields)
_PROSE_FIELDS = (
    "user_id", "id", "kind", "key", "value", "statement", "predicate", "object", "single_valued",
    "confidence", "review_reason", "times_seen",
)  # fmt: skip
"""All fields, and those that prose needs, in the order of the model."""

SECTIONS = ("self", "people", "tastes", "care", "plans", "tools", "notes")
HEALTH = ("allergic_to", "has_condition", "takes", "follows_diet", "avoids")
"""The predicates that matter most to an assistant, the weightiest first."""
_SECTION_BY_PREDICATE = dict.fromkeys(HEALTH, "care")
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
class Values:
    """A user's visible values, those about health first, then the most certain, and the hidden ones."""

    shown: tuple[Fact, ...] = ()
    hidden: tuple[Fact, ...] = ()


def values_of(user_id: UUID, now: datetime) -> Values:
    """The facts of a profile: current semantic facts that the user stated or approved, with a source that is
    not sensitive."""
    digests = HiddenValue.objects.filter(user_id=user_id).values_list("digest", flat=True)
    return _values(user_id, now, _ALL_FIELDS, set(map(bytes, digests)))


def shown_facts(user_id: UUID, now: datetime, hidden_digests: Collection[bytes]) -> tuple[Fact, ...]:
    """The shown facts of a profile, with the fields that prose needs: every recall reads them."""
    return _values(user_id, now, _PROSE_FIELDS, hidden_digests).shown


def _values(
    user_id: UUID, now: datetime, fields: tuple[str, ...], hidden_digests: Collection[bytes]
) -> Values:
    """The shown and the hidden facts of a profile, without those that only sensitive drawers support."""
    shown: list[Fact] = []
    hidden: list[Fact] = []
    for start in range(0, MAX_READ, BATCH):
        batch = {"user": user_id, "now": now, "batch": BATCH, "start": start}
        rows = fetch_prepared(_profile_facts(fields), batch)
        for fact in (Fact.from_db(DEFAULT_DB_ALIAS, fields, row[1:]) for row in rows if not row[0]):
            (hidden if hidden_digests and value_digest(fact) in hidden_digests else shown).append(fact)
        if len(rows) < BATCH or len(shown) >= MAX_ITEMS:
            break
    return Values(tuple(sorted(shown[:MAX_ITEMS], key=_weight)), tuple(hidden))


def _weight(fact: Fact) -> tuple[bool, int, bool, int, float]:
    """Sorts facts: the name, health, single values, then by how often and how certainly they were said."""
    rank = HEALTH.index(fact.predicate) if fact.predicate in HEALTH else len(HEALTH)
    return (
        fact.predicate != "named",
        rank,
        not fact.single_valued,
        -fact.times_seen,
        -round(fact.confidence, 1),
    )


def section_of(fact: Fact) -> str:
    """The name of the section a fact belongs to."""
    return _SECTION_BY_PREDICATE.get(fact.predicate, _SECTION_BY_KIND.get(fact.kind, "notes"))


def in_sections(facts: Iterable[Fact]) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    """The non-empty sections in order, each with its facts."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(section_of(fact), []).append(fact)
    return tuple((name, tuple(found[name])) for name in SECTIONS if name in found)


def value_digest(fact: Fact) -> bytes:
    """The digest that hides a value: of its key, and of the value too if the key can have several."""
    value = "" if fact.single_valued else fact.value.strip().casefold()
    return sha256(f"{fact.key}\n{value}".encode()).digest()


def digest_of(facts: Sequence[Fact]) -> bytes:
    """A digest of everything the prose depends on, independent of order."""
    lines = sorted(
        "\x1f".join((fact.kind, fact.key, fact.predicate, fact.object, fact.statement)) for fact in facts
    )
    return sha256("\x1e".join((FORMAT, *lines)).encode()).digest()


def forget_derived(user_id: UUID, fact_ids: Sequence[UUID]) -> None:
    """Delete the text generated from these facts; it is generated again from what is left.

    Call inside the transaction that forgets them.
    """
    if fact_ids:
        Profile.objects.filter(user_id=user_id).update(digest=b"", paragraphs=[])


@cache
def _profile_facts(fields: tuple[str, ...]) -> str:
    """Selects profile facts, health first, each after whether only sensitive drawers support it."""
    facts = current_facts(parameter("user"), parameter("now")).filter(memory_type=Fact.Memory.SEMANTIC)
    facts = facts.filter(Q(authority="user") | ~Q(review_reason=""), archived_at=None)
    # A condition on the sources would read those of every fact before the limit applies.
    said = FactSource.objects.filter(
        user_id=OuterRef("user_id"), fact_id=OuterRef("id"), drawer__deleted_at=None
    )
    secret = said.order_by().values("fact_id").annotate(secret=BoolAnd("drawer__sensitive"))
    found = facts.order_by("-single_valued", "-times_seen", "-valid_from", "id").values_list(
        Subquery(secret.values("secret")), *fields
    )
    is_health = Q(predicate__in=HEALTH)
    return " UNION ALL ".join(
        f"({compiled(found.filter(which))} LIMIT %(batch)s OFFSET %(start)s)"
        for which in (is_health, ~is_health)
    )


def only_sensitive(user_id: UUID, fact_ids: Sequence[UUID]) -> set[UUID]:
    """The facts that only sensitive drawers support."""
    words = FactSource.objects.filter(user_id=user_id, fact_id__in=fact_ids, drawer__deleted_at=None)
    sensitive = words.values("fact_id").annotate(secret=BoolAnd("drawer__sensitive"))
    return set(sensitive.filter(secret=True).values_list("fact_id", flat=True))
