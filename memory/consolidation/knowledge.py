"""The input of a plan: a user's facts as plain values, and a digest of them. Ends values that newer ones
replaced."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.db import transaction
from django.db.models import Count

from memory.facts.validity import HOLDS_OR_HELD, settle
from memory.models import Fact, FactLink, FactSource
from memory.placement import lock_palace
from memory.preferences import preferences_of

AUTHORITY_RANK = {"external": 0, "tool": 1, "assistant": 2, "user": 3}
"""The rank of each authority; facts of a higher one are kept."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source of a fact: its range in a drawer and when it was said.

    `since` is the moment it is about, if that differs.
    """

    id: UUID
    drawer_id: UUID
    start: int
    end: int
    since: datetime | None
    said_at: datetime
    pinned: bool


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All extracted facts of a user that were not deleted.

    `similar` maps a fact to those with the same meaning by their vectors.
    """

    facts: tuple[Fact, ...]
    sources: Mapping[UUID, tuple[Source, ...]]
    similar: Mapping[UUID, frozenset[UUID]]

    def open_facts(self) -> tuple[Fact, ...]:
        """Facts in use: active, without an end, not archived."""
        return tuple(
            fact
            for fact in self.facts
            if fact.status == Fact.Status.ACTIVE and fact.valid_to is None and fact.archived_at is None
        )


def read_knowledge(user_id: UUID) -> Knowledge:
    """The user's facts in order of their start, with their sources."""
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None).order_by("valid_from", "id")
    return Knowledge(tuple(facts), _sources(user_id), _similar(user_id))


def settle_open_values(user_id: UUID) -> int:
    """End superseded values of single-valued keys that have several open ones; returns how many ended."""
    with transaction.atomic():
        lock_palace(user_id)
        single = Fact.objects.filter(user_id=user_id, single_valued=True, status__in=HOLDS_OR_HELD)
        open_values = single.filter(deleted_at=None, merged_into_id=None, valid_to=None)
        several = open_values.values("key").annotate(values=Count("id")).filter(values__gt=1)
        before = open_values.count()
        settle(user_id, several.values_list("key", flat=True))
        return before - open_values.count()


def facts_digest(user_id: UUID) -> str:
    """A digest of all facts and their validity, without use counts."""
    rows = Fact.objects.filter(user_id=user_id, deleted_at=None).order_by("id")
    digest = sha256()
    for row in rows.values_list(
        "id", "status", "valid_from", "valid_to", "superseded_by_id", "archived_at"
    ).iterator(chunk_size=5_000):
        digest.update(repr(row).encode())
    return digest.hexdigest()


def _similar(user_id: UUID) -> dict[UUID, frozenset[UUID]]:
    threshold = preferences_of(user_id).duplicate_similarity
    links = FactLink.objects.filter(user_id=user_id, similarity__gt=threshold).order_by("id")
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for one, other in links.values_list("fact_id", "other_id").iterator(chunk_size=5_000):
        found[one].add(other)
        found[other].add(one)
    return {fact_id: frozenset(others) for fact_id, others in found.items()}


def _sources(user_id: UUID) -> dict[UUID, tuple[Source, ...]]:
    rows = (
        FactSource.objects.filter(user_id=user_id, fact__deleted_at=None)
        .order_by("fact_id", "id")
        .values_list(
            *("fact_id", "id", "drawer_id", "start", "end", "since"),
            *("drawer__said_at", "drawer__pinned"),
        )
    )
    found: defaultdict[UUID, list[Source]] = defaultdict(list)
    for fact_id, *source in rows.iterator(chunk_size=5_000):
        found[fact_id].append(Source(*source))
    return {fact_id: tuple(sources) for fact_id, sources in found.items()}
