"""Plans a consolidation, without changing anything."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from memory.changes.log import Change
from memory.consolidation.decay import archive_changes
from memory.consolidation.knowledge import Knowledge, facts_digest, read_knowledge
from memory.consolidation.merging import merge_changes
from memory.consolidation.orphans import removal_changes
from memory.models import Fact
from memory.preferences import preferences_of


@dataclass(frozen=True, slots=True)
class Plan:
    """All changes planned at `made_at`, and the digest of the facts behind them."""

    changes: tuple[Change, ...]
    facts_digest: str
    made_at: datetime


def plan(user_id: UUID, now: datetime) -> Plan:
    """Plan all changes, without writing anything; no fact is changed twice."""
    knowledge = read_knowledge(user_id)
    changes = (*_fact_changes(knowledge, _retention(user_id), now), *removal_changes(user_id, now))
    return Plan(changes, facts_digest(user_id), now)


def _retention(user_id: UUID) -> timedelta | None:
    days = preferences_of(user_id).archive_after_days
    return timedelta(days=days) if days else None


def _fact_changes(knowledge: Knowledge, retention: timedelta | None, now: datetime) -> Iterator[Change]:
    merges = list(merge_changes(knowledge, knowledge.open_facts()))
    yield from merges
    if retention is not None:
        unaffected = _unaffected(knowledge.open_facts(), merges)
        with_sources = ((fact, knowledge.sources.get(fact.id, ())) for fact in unaffected)
        yield from archive_changes(with_sources, retention=retention, now=now)


def _unaffected(facts: Iterable[Fact], changes: Sequence[Change]) -> list[Fact]:
    """The facts that no change affects."""
    about = {key for change in changes for key in (change.subject_id, *change.others)}
    return [fact for fact in facts if fact.id not in about]
