"""Closes superseded values that were left open: two values of one attribute at the same time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from memory.changes.log import Change
from memory.changes.rows import added, changed
from memory.consolidation.knowledge import RANK
from memory.models import ChangeSet, Fact, Relation, RelationSource


def closed_facts(facts: Sequence[Fact]) -> Iterator[Change]:
    """Facts with a known successor that still seem to hold.

    If two values began at the same instant, or the later one has less authority, neither is closed: their
    owner has to decide.
    """
    by_id = {fact.id: fact for fact in facts}
    yield from _without_end(facts, by_id)
    for earlier, later in _competing_pairs(facts):
        if later.valid_from > earlier.valid_from and _outranks(later, earlier):
            yield _closed(earlier, later.id, later.valid_from)


def closed_relations(relations: Iterable[Relation]) -> Iterator[Change]:
    """The same for open relations that can have only one object at a time.

    The words of the later one become a source, because relations follow from their sources.
    """
    groups: defaultdict[tuple[UUID, str], list[Relation]] = defaultdict(list)
    for relation in relations:
        groups[relation.subject_id, relation.relation].append(relation)
    for group in groups.values():
        ordered = sorted(group, key=lambda each: (each.valid_from, each.id))
        for earlier, later in pairwise(ordered):
            if later.valid_from > earlier.valid_from:
                yield _ended(earlier, later)


def open_relations(user_id: UUID) -> Iterable[Relation]:
    """Single-valued relations of a person that have no end."""
    return Relation.objects.filter(user_id=user_id, single_valued=True, valid_to=None, deleted_at=None)


def _without_end(facts: Iterable[Fact], by_id: dict[UUID, Fact]) -> Iterator[Change]:
    """Facts that were superseded but not closed."""
    for fact in facts:
        if fact.status != Fact.Status.SUPERSEDED or fact.valid_to is not None:
            continue
        successor = by_id.get(fact.superseded_by_id) if fact.superseded_by_id else None
        if successor is not None and successor.valid_from >= fact.valid_from:
            yield _closed(fact, successor.id, successor.valid_from)


def _competing_pairs(facts: Iterable[Fact]) -> Iterator[tuple[Fact, Fact]]:
    groups: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.single_valued and fact.status == Fact.Status.ACTIVE and fact.valid_to is None:
            groups[fact.key].append(fact)
    for group in groups.values():
        yield from pairwise(sorted(group, key=lambda each: (each.valid_from, each.id)))


def _outranks(later: Fact, earlier: Fact) -> bool:
    return RANK.get(later.authority, 0) >= RANK.get(earlier.authority, 0)


def _closed(fact: Fact, successor_id: UUID, at: datetime) -> Change:
    row = changed(fact, status=Fact.Status.SUPERSEDED.value, valid_to=at, superseded_by_id=successor_id)
    return Change(ChangeSet.Kind.CLOSED.value, "fact", fact.id, (row,), (successor_id,))


def _ended(relation: Relation, successor: Relation) -> Change:
    ending = RelationSource(
        user_id=relation.user_id,
        subject_id=relation.subject_id,
        relation=relation.relation,
        object_id=relation.object_id,
        edge_id=relation.id,
        ends=True,
        at=successor.valid_from,
        confidence=successor.confidence,
        drawer_id=successor.drawer_id,
        recorded_at=successor.recorded_at,
    )
    rows = (changed(relation, valid_to=successor.valid_from), added(ending))
    return Change(ChangeSet.Kind.CLOSED.value, "relation", relation.id, rows, (successor.id,))
