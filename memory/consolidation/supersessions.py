"""Closes superseded values that were left open: two values of one attribute at the same time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from uuid_utils.compat import uuid7

from memory.changes.log import Change
from memory.changes.rows import RowDiff, as_json, image_of
from memory.models import ChangeSet, Fact, Relation, RelationSource

_RANK = {"external": 0, "tool": 1, "assistant": 2, "user": 3}


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
    return _RANK.get(later.authority, 0) >= _RANK.get(earlier.authority, 0)


def _closed(fact: Fact, successor_id: UUID, at: datetime) -> Change:
    before = {
        "status": fact.status,
        "valid_to": as_json(fact.valid_to),
        "superseded_by_id": str(fact.superseded_by_id) if fact.superseded_by_id else None,
    }
    after = {
        "status": Fact.Status.SUPERSEDED.value,
        "valid_to": as_json(at),
        "superseded_by_id": str(successor_id),
    }
    row = RowDiff("memory.fact", fact.id, before, after)
    kind = ChangeSet.Kind.CLOSED
    return Change(kind.value, "fact", fact.id, (row,), (successor_id,))


def _ended(relation: Relation, successor: Relation) -> Change:
    row = RowDiff(
        "memory.relation", relation.id, {"valid_to": None}, {"valid_to": as_json(successor.valid_from)}
    )
    rows = (row, _said_by(successor, relation))
    kind = ChangeSet.Kind.CLOSED
    return Change(kind.value, "relation", relation.id, rows, (successor.id,))


def _said_by(successor: Relation, relation: Relation) -> RowDiff:
    source = RelationSource(
        user_id=relation.user_id,
        id=uuid7(),
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
    return RowDiff("memory.relationsource", source.id, None, image_of(source))
