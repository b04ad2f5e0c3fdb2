"""The history of a fact: its versions before each decision of its owner.

It is kept as long as the fact, for display; decisions are undone by the change log.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

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


def store_version(fact: Fact, decision_id: UUID, now: datetime) -> FactVersion:
    """Store a fact as it is, before it is changed, and increment its version."""
    version = FactVersion.objects.create(
        user_id=fact.user_id,
        fact_id=fact.id,
        number=fact.version,
        content=_content(fact),
        content_hash=bytes(fact.content_hash),
        decision_id=decision_id,
        replaced_at=now,
    )
    fact.version += 1
    return version


def mark_undone(user_id: UUID, decision_id: UUID, now: datetime) -> None:
    """Mark a decision as undone in the history of its facts. Call it before the facts are restored."""
    versions = FactVersion.objects.filter(user_id=user_id, decision_id=decision_id, undone_at=None)
    for version in versions.select_related("fact"):
        version.content, version.content_hash = _content(version.fact), bytes(version.fact.content_hash)
        version.undone_at = now
        version.save(update_fields=("content", "content_hash", "undone_at"))


def _content(fact: Fact) -> dict[str, Any]:
    return {name: _plain(getattr(fact, name)) for name in KEPT}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value) if isinstance(value, UUID) else value
