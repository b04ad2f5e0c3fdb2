"""Keeps what a fact was before each decision of its owner, and puts it back."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models

from memory.facts.likeness import forget_vectors
from memory.models import Fact, FactVersion

KEPT = (
    "kind",
    "memory_type",
    "key",
    "value",
    "statement",
    "predicate",
    "object",
    "single_valued",
    "importance",
    "confidence",
    "authority",
    "status",
    "review_reason",
    "valid_from",
    "valid_to",
    "ended_at",
    "superseded_by_id",
    "merged_into_id",
    "content_hash",
    "deleted_at",
    "deletion_id",
    "deleted_by_owner",
)


class DecidedSince(Exception):
    """Something was decided about the fact since; that has to be taken back first."""


def keep_version(fact: Fact, decision_id: UUID, now: datetime) -> FactVersion:
    """Write down a fact as it stands, before it is changed; it becomes a version further."""
    kept = FactVersion.objects.create(
        user_id=fact.user_id,
        fact_id=fact.id,
        number=fact.version,
        content=_content(fact),
        content_hash=bytes(fact.content_hash),
        decision_id=decision_id,
        replaced_at=now,
    )
    fact.version += 1
    return kept


def versions_of(user_id: UUID, decision_id: UUID) -> list[FactVersion]:
    """What the facts of a decision were before it, with the facts as they are."""
    versions = FactVersion.objects.filter(user_id=user_id, decision_id=decision_id, undone_at=None)
    return list(versions.select_related("fact").order_by("fact_id"))


def first_form(fact: Fact) -> Fact | None:
    """The fact as it was before any decision that stands; None when there is none. It is not to
    be stored."""
    standing = FactVersion.objects.filter(
        user_id=fact.user_id, fact_id=fact.id, undone_at=None
    ).order_by("number")
    first = standing.first()
    if first is None:
        return None
    values = {name: _value(name, first.content[name]) for name in KEPT}
    return Fact(user_id=fact.user_id, id=fact.id, **values)


def put_back(versions: Iterable[FactVersion], now: datetime) -> list[Fact]:
    """Give each fact the form it had; what takes its place is kept as taken back.

    The caller settles the facts afterwards. Raises DecidedSince.
    """
    facts = []
    for version in versions:
        fact = version.fact
        if fact.version != version.number + 1:
            raise DecidedSince
        before, version.content = version.content, _content(fact)
        reworded = fact.statement != before["statement"]
        version.content_hash, version.undone_at = bytes(fact.content_hash), now
        version.save(update_fields=("content", "content_hash", "undone_at"))
        for name in KEPT:
            setattr(fact, name, _value(name, before[name]))
        fact.version = version.number
        fact.save(update_fields=(*KEPT, "version"))
        if reworded:
            forget_vectors(fact)
        facts.append(fact)
    return facts


def _content(fact: Fact) -> dict[str, Any]:
    return {name: _plain(getattr(fact, name)) for name in KEPT}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value) if isinstance(value, UUID) else value


def _value(name: str, plain: Any) -> Any:
    field = Fact._meta.get_field(name)
    if plain is None:
        return None
    if isinstance(field, models.DateTimeField):
        return datetime.fromisoformat(plain)
    if isinstance(field, models.BinaryField):
        return bytes.fromhex(plain)
    return UUID(plain) if isinstance(field, models.UUIDField) else plain
