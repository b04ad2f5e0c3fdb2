"""Writes down what was said of dated relations, and lets the graph follow from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.graph.resolution import entity_for
from memory.graph.settlement import Settled, resettle
from memory.models import Relation, RelationSource


@dataclass(frozen=True, slots=True)
class Assertion:
    """A relation that was said to hold, by entity names and types, true from `valid_from`.

    `span` is the half-open range of the words in the drawer, None when they are not known.
    `decided` is the fact it follows from, when its owner decided about that.
    """

    subject: tuple[str, str]
    relation: str
    object: tuple[str, str]
    valid_from: datetime
    valid_to: datetime | None
    single_valued: bool
    confidence: float
    drawer_id: UUID
    span: tuple[int, int] | None = None
    decided: UUID | None = None


def assert_relation(user_id: UUID, assertion: Assertion) -> Relation | None:
    """The relation that is new, or None when it was known to hold then: its sources grow.

    A new value of a single-valued relation ends the old one at the instant it starts. In whatever
    order assertions arrive, the same relations hold at the same times.
    """
    source, settled = _say(user_id, assertion, ends=False)
    return next((row for row in settled.made if row.object_id == source.object_id), None)


def end_relation(user_id: UUID, assertion: Assertion) -> int:
    """Write down that the relation was over at `valid_from`; returns how many this ended.

    It stays known, so that an older assertion which arrives later is ended too.
    """
    source, settled = _say(user_id, assertion, ends=True)
    return sum(row.object_id == source.object_id for row in settled.ended)


def retract(user_id: UUID, source_ids: Sequence[UUID]) -> int:
    """Let it be as if this had never been said; returns how many relations are gone.

    Runs inside a transaction that holds the palace lock.
    """
    sources = RelationSource.objects.filter(user_id=user_id, id__in=source_ids)
    taken = list(sources)
    sources.delete()
    return resettle(user_id, taken).gone


def sources_in(user_id: UUID, drawer_ids: Sequence[UUID]) -> set[UUID]:
    """What these drawers say of relations, as ids of sources."""
    said = RelationSource.objects.filter(user_id=user_id, drawer_id__in=drawer_ids)
    return set(said.values_list("id", flat=True))


def _say(user_id: UUID, assertion: Assertion, *, ends: bool) -> tuple[RelationSource, Settled]:
    start, end = assertion.span or (None, None)
    source = RelationSource(
        user_id=user_id,
        subject_id=entity_for(user_id, *assertion.subject).id,
        relation=assertion.relation,
        object_id=entity_for(user_id, *assertion.object).id,
        ends=ends,
        at=assertion.valid_from,
        until=None if ends else assertion.valid_to,
        single_valued=assertion.single_valued,
        confidence=assertion.confidence,
        drawer_id=assertion.drawer_id,
        start=start,
        end=end,
        decided_fact_id=assertion.decided,
    )
    if _is_known(source):
        return source, Settled()
    source.save(force_insert=True)
    return source, resettle(user_id, [source])


def _is_known(source: RelationSource) -> bool:
    """Whether the same words of the same drawer said exactly this before."""
    return RelationSource.objects.filter(
        user_id=source.user_id,
        subject_id=source.subject_id,
        relation=source.relation,
        object_id=source.object_id,
        ends=source.ends,
        at=source.at,
        drawer_id=source.drawer_id,
        start=source.start,
    ).exists()
