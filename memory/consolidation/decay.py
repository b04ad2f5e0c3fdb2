"""Archives what has not been said or used for a long time. An archived fact still holds; it is
only no longer put before a model by itself."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from memory.consolidation.changes import Change, RowChange, stamp
from memory.consolidation.knowledge import Source
from memory.models import ConsolidationChange, Fact

LASTING_KINDS = frozenset({"identity", "relationship", "constraint", "instruction"})
LONGEST_PATIENCE = 4.0
PATIENCE_PER_TIME = 0.5


def archived(
    facts: Iterable[tuple[Fact, Sequence[Source]]], *, patience: timedelta, now: datetime
) -> Iterator[Change]:
    """The facts that were neither said nor used for longer than the patience they have earned.

    `patience` is that for a fact said once; each further time adds half of it, up to four times
    as much. What a person said about who they are, their people, limits and wishes is never
    archived, nor what they approved, nor what rests on a pinned drawer.
    """
    for fact, sources in facts:
        if is_lasting(fact, sources):
            continue
        unused = now - last_used(fact, sources)
        if unused > patience * earned(fact):
            yield _archive(fact, unused, now)


def is_lasting(fact: Fact, sources: Iterable[Source]) -> bool:
    """Whether a fact is kept at hand however long it rests."""
    stated = fact.authority == "user" and fact.kind in LASTING_KINDS
    return stated or bool(fact.review_reason) or any(source.pinned for source in sources)


def last_used(fact: Fact, sources: Iterable[Source]) -> datetime:
    """When the fact was last said or learned."""
    return max(fact.recorded_at, fact.valid_from, *(source.said_at for source in sources))


def earned(fact: Fact) -> float:
    """How many times the usual patience a fact has earned, from 1 to 4."""
    return min(LONGEST_PATIENCE, 1.0 + PATIENCE_PER_TIME * (fact.times_seen - 1))


def _archive(fact: Fact, unused: timedelta, now: datetime) -> Change:
    seen = {"status": fact.status, "times_seen": fact.times_seen}
    row = RowChange(
        "fact", fact.id, {**seen, "archived_at": None}, {**seen, "archived_at": stamp(now)}
    )
    details = {"days": unused.days, "times_seen": fact.times_seen}
    kind = ConsolidationChange.Kind.ARCHIVED
    return Change(kind.value, "fact", fact.id, (row,), details=details)
