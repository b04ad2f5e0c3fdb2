"""Archives facts that have not been stated or used for a long time.

An archived fact still holds; it is only no longer recalled unprompted.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from accounts.owned import NotFound
from memory.changes.log import Change
from memory.changes.rows import changed
from memory.consolidation.knowledge import Source
from memory.models import ChangeSet, Fact

LASTING_KINDS = frozenset({"identity", "relationship", "constraint", "instruction"})
MAX_RETENTION_FACTOR = 4.0
RETENTION_PER_USE = 0.5
AVERAGE_IMPORTANCE = 0.5


def archive_changes(
    facts: Iterable[tuple[Fact, Sequence[Source]]], *, retention: timedelta, now: datetime
) -> Iterator[Change]:
    """Archive facts that were neither stated nor used for longer than the retention they have earned.

    `retention` is that of a fact of average importance stated once; each time it is stated or recalled adds
    half of it, up to four times as much. Never archived are facts of LASTING_KINDS that the user stated,
    facts they approved or reworded, and facts that rest on a pinned drawer.
    """
    for fact, sources in facts:
        if is_lasting(fact, sources):
            continue
        unused = now - last_used(fact, sources)
        if unused > retention * retention_factor(fact):
            yield _archive_change(fact, unused, now)


def unarchive(user_id: UUID, fact_id: UUID) -> None:
    """Unarchive a fact. Raises NotFound."""
    archive = Fact.objects.filter(user_id=user_id, archived_at__isnull=False, deleted_at=None)
    if not archive.filter(id=fact_id).update(archived_at=None):
        raise NotFound


def is_lasting(fact: Fact, sources: Iterable[Source]) -> bool:
    """Whether a fact is never archived."""
    stated = fact.authority == "user" and fact.kind in LASTING_KINDS
    decided = bool(fact.review_reason) or fact.version > 1
    return stated or decided or any(source.pinned for source in sources)


def last_used(fact: Fact, sources: Iterable[Source]) -> datetime:
    """When the fact was last stated, learned or recalled."""
    recalled = [fact.last_recalled_at] if fact.last_recalled_at else []
    said = (source.said_at for source in sources)
    return max(fact.recorded_at, fact.valid_from, *recalled, *said)


def retention_factor(fact: Fact) -> float:
    """The multiple of the base retention that a fact has earned.

    From 1 to 4 for its use, times a factor from a half to one and a half for its importance.
    """
    uses = fact.times_seen - 1 + fact.times_recalled
    use = min(MAX_RETENTION_FACTOR, 1.0 + RETENTION_PER_USE * uses)
    return use * (1.0 + fact.importance - AVERAGE_IMPORTANCE)


def _archive_change(fact: Fact, unused: timedelta, now: datetime) -> Change:
    row = changed(fact, ("status", "times_seen", "times_recalled"), archived_at=now)
    details = {"days": unused.days, "times_seen": fact.times_seen}
    return Change(ChangeSet.Kind.ARCHIVED.value, "fact", fact.id, (row,), details=details)
