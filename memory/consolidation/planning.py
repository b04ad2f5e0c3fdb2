"""Plans a consolidation, without changing anything."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

from memory.changes.log import Change
from memory.consolidation.decay import archived
from memory.consolidation.knowledge import Knowledge, facts_digest, read_knowledge
from memory.consolidation.merging import merged
from memory.consolidation.orphans import orphans
from memory.consolidation.summaries import Draft, drafts, rewritable, shown
from memory.consolidation.supersessions import closed_facts, closed_relations, open_relations
from memory.consolidation.writing import MAX_BY_MODEL, write
from memory.models import ChangeSet, Fact, Summary
from memory.preferences import preferences_of
from memory.usage.metering import has_writer

SUMMARISED = ChangeSet.Kind.SUMMARISED
MODEL = Summary.Writer.MODEL


@dataclass(frozen=True, slots=True)
class Plan:
    """All changes planned at `made_at`, including summaries, and the digest of the facts behind them."""

    changes: tuple[Change, ...]
    drafts: tuple[Draft, ...]
    facts_digest: str
    made_at: datetime


def plan(user_id: UUID, now: datetime) -> Plan:
    """Everything that would be changed now, with extracted summaries.

    Only reads; no fact is changed twice.
    """
    knowledge = read_knowledge(user_id)
    changes = [
        *_of_facts(knowledge, _patience(user_id), now),
        *closed_relations(open_relations(user_id)),
        *orphans(user_id, now),
    ]
    return _plan(changes, list(drafts(user_id)), facts_digest(user_id), now)


def rewritten_by_model(user_id: UUID, made: Plan, now: datetime) -> Plan:
    """The plan with summaries by a model, if there is one: the new ones, and some extracted earlier.

    Call outside any transaction.
    """
    if not has_writer():
        return made
    by_rules = islice(rewritable(user_id), max(0, MAX_BY_MODEL - len(made.drafts)))
    written = write(user_id, [*made.drafts, *by_rules], now)
    new = {draft.id for draft in made.drafts}
    worth_it = [draft for draft in written if draft.id in new or draft.written_by == MODEL]
    others = [change for change in made.changes if change.kind != SUMMARISED]
    return _plan(others, worth_it, made.facts_digest, made.made_at)


def _plan(changes: Iterable[Change], made: Sequence[Draft], digest: str, now: datetime) -> Plan:
    shows = (shown(draft, now) for draft in made)
    return Plan((*changes, *shows), tuple(made), digest, now)


def _patience(user_id: UUID) -> timedelta | None:
    days = preferences_of(user_id).archive_after_days
    return timedelta(days=days) if days else None


def _of_facts(knowledge: Knowledge, patience: timedelta | None, now: datetime) -> Iterator[Change]:
    closed = list(closed_facts(knowledge.facts))
    repeated = list(merged(knowledge, _rest(knowledge.open_facts(), closed)))
    yield from closed
    yield from repeated
    if patience is not None:
        resting = _rest(knowledge.open_facts(), [*closed, *repeated])
        with_sources = ((fact, knowledge.sources.get(fact.id, ())) for fact in resting)
        yield from archived(with_sources, patience=patience, now=now)


def _rest(facts: Iterable[Fact], changes: Sequence[Change]) -> list[Fact]:
    """The facts that none of these changes affects."""
    about = {key for change in changes for key in (change.subject_id, *change.others)}
    return [fact for fact in facts if fact.id not in about]
