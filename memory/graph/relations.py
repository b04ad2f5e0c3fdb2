"""Dated relations between entities, computed from their sources.

Every relation is recomputed from all remaining sources, so the order in which they arrived never matters.
Call everything here inside a transaction that holds the palace lock.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.graph.intervals import Claim, Window, windows
from memory.graph.resolution import entity_for
from memory.models import Drawer, Relation, RelationSource, held_at

CLAIM_ORDER = (
    "at",
    "drawer__said_at",
    "drawer__source_sequence",
    "drawer__source_message_id",
    "start",
    "ends",
    "id",
)


@dataclass(frozen=True, slots=True)
class Track:
    """A relation of an entity with every value it ever had, or only those in `objects`."""

    user_id: UUID
    subject_id: UUID
    relation: str
    objects: frozenset[UUID] = frozenset()

    def has(self, object_id: UUID) -> bool:
        """Whether it includes this value; never the subject itself."""
        known = not self.objects or object_id in self.objects
        return known and object_id != self.subject_id


def relation_source(
    drawer: Drawer, subject: tuple[str, str], relation: str, other: tuple[str, str], **fields: Any
) -> RelationSource:
    """An unsaved source, from a drawer, of a relation between entities by name and type, which are created if
    there are none."""
    return RelationSource(
        user_id=drawer.user_id,
        drawer_id=drawer.id,
        subject_id=entity_for(drawer.user_id, *subject).id,
        relation=relation,
        object_id=entity_for(drawer.user_id, *other).id,
        **fields,
    )


def add_source(source: RelationSource) -> None:
    """Store a source, unless the same words of the same drawer are recorded already.

    That of an end stays, so an older source that arrives later is ended too.
    """
    identity = ("user_id", "subject_id", "relation", "object_id", "ends", "at", "drawer_id", "start")
    if not RelationSource.objects.filter(**{name: getattr(source, name) for name in identity}).exists():
        source.save(force_insert=True)
        resettle(source.user_id, [source])


def is_held(source: RelationSource) -> bool:
    """Whether the relation of a source is known to hold at its time."""
    return Relation.objects.filter(
        held_at(source.at),
        user_id=source.user_id,
        subject_id=source.subject_id,
        relation=source.relation,
        object_id=source.object_id,
        deleted_at=None,
    ).exists()


def retract(user_id: UUID, source_ids: Iterable[UUID]) -> None:
    """Delete sources as if they had never been recorded."""
    sources = RelationSource.objects.filter(user_id=user_id, id__in=list(source_ids))
    deleted = list(sources)
    sources.delete()
    resettle(user_id, deleted)


def sources_in(user_id: UUID, drawer_ids: Sequence[UUID]) -> set[UUID]:
    """The ids of the sources in these drawers that were not derived from a fact."""
    asserted = RelationSource.objects.filter(user_id=user_id, drawer_id__in=drawer_ids, decided_fact_id=None)
    return set(asserted.values_list("id", flat=True))


def settle(track: Track, *, gone: Mapping[str, Any] | None = None) -> int:
    """Update the relations of a track to match its sources, and return how many lost their support.

    A relation without support is updated with `gone`, so that the same row can be restored; without `gone` it
    is deleted.
    """
    sources = _sources(track)
    rows = {(row.object_id, row.valid_from): row for row in _rows(track)}
    unused = {source.id for source in sources if source.edge_id}
    for window in windows(_claim(source) for source in sources):
        if window.is_empty or not track.has(_object(window)):
            continue
        row = _write(track, window, rows.pop((_object(window), window.start), None))
        unused -= _link(row, [claim.evidence for claim in (*window.claims, *window.ended_by)])
    _unlink(track, sources, unused)
    left = [row.id for row in rows.values() if row.deleted_at is None]
    unsupported = Relation.objects.filter(user_id=track.user_id, id__in=left)
    return unsupported.update(**gone) if gone else unsupported.delete()[0]


def resettle(
    user_id: UUID, sources: Iterable[RelationSource], *, gone: Mapping[str, Any] | None = None
) -> int:
    """Settle every track that these sources belong to, and return how many relations lost their support."""
    return sum(settle(track, gone=gone) for track in tracks_of(user_id, sources))


def tracks_of(user_id: UUID, sources: Iterable[RelationSource]) -> list[Track]:
    """The tracks these sources can change, each as narrow as possible."""
    found: dict[tuple[UUID, str], set[UUID] | None] = {}
    for source in sources:
        key = (source.subject_id, source.relation)
        objects = found.setdefault(key, set())
        if source.single_valued and not source.ends:
            found[key] = None
        elif objects is not None:
            objects.add(source.object_id)
    return [
        Track(user_id, subject_id, relation, frozenset(objects or ()))
        for (subject_id, relation), objects in sorted(found.items(), key=lambda item: item[0])
    ]


def _claim(source: RelationSource) -> Claim[RelationSource]:
    return Claim(
        value=source.object_id,
        name=source.object_id,
        at=source.at,
        until=source.until,
        ends=source.ends,
        exclusive=source.single_valued,
        firm=source.decided_fact_id is not None,
        evidence=source,
    )


def _object(window: Window[RelationSource]) -> UUID:
    return window.claims[0].evidence.object_id


def _sources(track: Track) -> list[RelationSource]:
    sources = RelationSource.objects.filter(
        user_id=track.user_id,
        subject_id=track.subject_id,
        relation=track.relation,
        drawer__deleted_at=None,
    )
    if track.objects:
        exclusive = Q(single_valued=True, ends=False)
        sources = sources.filter(Q(object_id__in=track.objects) | exclusive)
    return list(sources.order_by(*CLAIM_ORDER))


def _rows(track: Track) -> list[Relation]:
    rows = Relation.objects.filter(
        user_id=track.user_id, subject_id=track.subject_id, relation=track.relation
    )
    return list(rows.filter(object_id__in=track.objects) if track.objects else rows)


def _write(track: Track, window: Window[RelationSource], row: Relation | None) -> Relation:
    """Write the relation of a window, over the row of the same start if there is one."""
    sources = [claim.evidence for claim in window.claims]
    values = {
        "single_valued": any(source.single_valued for source in sources),
        "valid_to": window.end,
        "confidence": max(source.confidence for source in sources),
        "drawer_id": sources[0].drawer_id,
        "recorded_at": min(source.recorded_at for source in sources),
        "deleted_at": None,
        "deletion_id": None,
    }
    if row is None:
        return Relation.objects.create(
            user_id=track.user_id,
            subject_id=track.subject_id,
            relation=track.relation,
            object_id=_object(window),
            valid_from=window.start,
            **values,
        )
    if any(getattr(row, name) != value for name, value in values.items()):
        Relation.objects.filter(user_id=row.user_id, id=row.id).update(**values)
    return row


def _link(row: Relation, sources: Sequence[RelationSource]) -> set[UUID]:
    moving = [source.id for source in sources if source.edge_id != row.id]
    if moving:
        RelationSource.objects.filter(user_id=row.user_id, id__in=moving).update(edge_id=row.id)
    return {source.id for source in sources}


def _unlink(track: Track, sources: Sequence[RelationSource], unused: set[UUID]) -> None:
    """Detach sources that support no relation, such as those displaced the instant they began."""
    ids = [source.id for source in sources if source.id in unused and track.has(source.object_id)]
    if ids:
        RelationSource.objects.filter(user_id=track.user_id, id__in=ids).update(edge_id=None)
