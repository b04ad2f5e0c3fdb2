"""The values of a profile: a user's current facts by key, without hidden and sensitive ones."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from django.contrib.postgres.aggregates import BoolAnd
from django.db.models import OuterRef, Q, QuerySet, Subquery

from memory.facts.queries import current_facts
from memory.models import Fact, FactSource, HiddenValue
from memory.sql import compiled, fetch_prepared, parameter

MAX_ITEMS = 120
BATCH = 160
MAX_READ = 10 * BATCH
FORMAT = "1"  # increment to have every profile rewritten

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


class ProseFact(NamedTuple):
    """The fields of a fact that prose needs."""

    kind: str
    key: str
    value: str
    predicate: str
    object: str
    statement: str
    single_valued: bool


AnyFact = Fact | ProseFact
FactT = TypeVar("FactT", bound=AnyFact)


@dataclass(frozen=True, slots=True)
class Values:
    """A user's visible values, most certain first, and the hidden ones."""

    shown: tuple[Fact, ...] = ()
    hidden: tuple[Fact, ...] = ()


def values_of(user_id: UUID, now: datetime) -> Values:
    """The facts of a profile: current semantic facts that the user stated or approved, with a source that is
    not sensitive."""
    digests = HiddenValue.objects.filter(user_id=user_id).values_list("digest", flat=True)
    facts = _profile_facts(user_id, now)

    def batch(start: int) -> list[tuple[Fact, bool | None]]:
        return [(fact, fact.secret) for fact in facts[start : start + BATCH]]

    return Values(*_values(batch, set(map(bytes, digests))))


def shown_facts(user_id: UUID, now: datetime, hidden_digests: Collection[bytes]) -> tuple[ProseFact, ...]:
    """The shown facts of a profile, with the fields that prose needs: every recall reads them."""

    def batch(start: int) -> list[tuple[ProseFact, bool | None]]:
        rows = fetch_prepared(_prose_facts(), {"user": user_id, "now": now, "start": start})
        return [(ProseFact(*fields), secret) for *fields, secret in rows]

    return _values(batch, hidden_digests)[0]


@cache
def _prose_facts() -> str:
    facts = _profile_facts(parameter("user"), parameter("now")).values_list(*ProseFact._fields, "secret")
    return f"{compiled(facts)} LIMIT {BATCH} OFFSET %(start)s"


def _values(
    batch: Callable[[int], list[tuple[FactT, bool | None]]], hidden_digests: Collection[bytes]
) -> tuple[tuple[FactT, ...], tuple[FactT, ...]]:
    """The shown and the hidden facts of a profile, read in batches, without secret ones."""
    shown: list[FactT] = []
    hidden: list[FactT] = []
    for start in range(0, MAX_READ, BATCH):
        some = batch(start)
        for fact in (fact for fact, secret in some if not secret):
            (hidden if hidden_digests and value_digest(fact) in hidden_digests else shown).append(fact)
        if len(some) < BATCH or len(shown) >= MAX_ITEMS:
            break
    return tuple(shown[:MAX_ITEMS]), tuple(hidden)


def section_of(fact: AnyFact) -> str:
    """The name of the section a fact belongs to."""
    return _SECTION_BY_PREDICATE.get(fact.predicate, _SECTION_BY_KIND.get(fact.kind, "notes"))


def in_sections(facts: Iterable[Fact]) -> tuple[tuple[str, tuple[Fact, ...]], ...]:
    """The non-empty sections in order, each with its facts."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(section_of(fact), []).append(fact)
    return tuple((name, tuple(found[name])) for name in SECTIONS if name in found)


def value_digest(fact: AnyFact) -> bytes:
    """The digest that hides a value: of its key, and of the value too if the key can have several."""
    value = "" if fact.single_valued else fact.value.strip().casefold()
    return sha256(f"{fact.key}\n{value}".encode()).digest()


def digest_of(facts: Sequence[AnyFact]) -> bytes:
    """A digest of everything the prose depends on, independent of order."""
    lines = sorted(
        "\x1f".join((fact.kind, fact.key, fact.predicate, fact.object, fact.statement)) for fact in facts
    )
    return sha256("\x1e".join((FORMAT, *lines)).encode()).digest()


def _profile_facts(user_id: UUID, now: datetime) -> QuerySet[Any]:
    """Profile facts, most certain first; `secret` if only sensitive drawers support them."""
    facts = current_facts(user_id, now).filter(memory_type=Fact.Memory.SEMANTIC, archived_at=None)
    facts = facts.filter(Q(authority="user") | ~Q(review_reason=""))
    # A condition on the sources would read those of every fact before the limit applies.
    said = FactSource.objects.filter(
        user_id=OuterRef("user_id"), fact_id=OuterRef("id"), drawer__deleted_at=None
    )
    secret = said.order_by().values("fact_id").annotate(secret=BoolAnd("drawer__sensitive"))
    facts = facts.annotate(secret=Subquery(secret.values("secret")))
    return facts.order_by("-single_valued", "-times_seen", "-valid_from", "id")


def only_sensitive(user_id: UUID, fact_ids: Sequence[UUID]) -> set[UUID]:
    """The facts that only sensitive drawers support."""
    words = FactSource.objects.filter(user_id=user_id, fact_id__in=fact_ids, drawer__deleted_at=None)
    sensitive = words.values("fact_id").annotate(secret=BoolAnd("drawer__sensitive"))
    return set(sensitive.filter(secret=True).values_list("fact_id", flat=True))
