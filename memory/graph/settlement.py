"""Keeps the relations of the graph as their sources have it, whatever came or went.

Relations are worked out anew from all sources that still stand, so that the order in which things
were learned does not matter. Everything here runs inside a transaction that holds the palace lock.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory.graph.windows import Window, windows
from memory.models import Relation, RelationSource

IN_ORDER = (
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
    """One relation of one entity, with every value it ever had; `objects` narrows it to those
    values, for changes that cannot touch the others."""

    user_id: UUID
    subject_id: UUID
    relation: str
    objects: frozenset[UUID] = frozenset()

    def has(self, object_id: UUID) -> bool:
        """Whether it is about this value. Nothing is related to itself."""
        known = not self.objects or object_id in self.objects
        return known and object_id != self.subject_id


@dataclass(slots=True)
class Settled:
    """What is different now: relations that hold anew, that end elsewhere, and how many are
    gone."""

    made: list[Relation] = field(default_factory=list)
    ended: list[Relation] = field(default_factory=list)
    gone: int = 0


def settle(track: Track, *, gone: Mapping[str, Any] | None = None) -> Settled:
    """Bring the relations of a track in line with its sources.

    A relation that nothing supports any more is marked with `gone`, which is how it can come back
    as the same row; without `gone` it is removed.
    """
    claims = _claims(track)
    rows = {(row.object_id, row.valid_from): row for row in _rows(track)}
    settled, astray = Settled(), {claim.id for claim in claims if claim.edge_id}
    for window in windows(claims):
        if not track.has(window.object_id):
            continue
        row = _write(track, window, rows.pop((window.object_id, window.start), None), settled)
        astray -= _link(row, [*window.claims, *window.ended_by])
    _unlink(track, claims, astray)
    left = [row.id for row in rows.values() if row.deleted_at is None]
    settled.gone = _let_go(track.user_id, left, gone)
    return settled


def resettle(
    user_id: UUID, sources: Iterable[RelationSource], *, gone: Mapping[str, Any] | None = None
) -> Settled:
    """Settle every track that these sources are part of."""
    total = Settled()
    for track in tracks_of(user_id, sources):
        settled = settle(track, gone=gone)
        total.made += settled.made
        total.ended += settled.ended
        total.gone += settled.gone
    return total


def tracks_of(user_id: UUID, sources: Iterable[RelationSource]) -> list[Track]:
    """The tracks these sources can change, each as narrow as it may be."""
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


def _claims(track: Track) -> list[RelationSource]:
    sources = RelationSource.objects.filter(
        user_id=track.user_id,
        subject_id=track.subject_id,
        relation=track.relation,
        drawer__deleted_at=None,
    )
    if track.objects:
        swaps = Q(single_valued=True, ends=False)
        sources = sources.filter(Q(object_id__in=track.objects) | swaps)
    return list(sources.order_by(*IN_ORDER))


def _rows(track: Track) -> list[Relation]:
    rows = Relation.objects.filter(
        user_id=track.user_id, subject_id=track.subject_id, relation=track.relation
    )
    return list(rows.filter(object_id__in=track.objects) if track.objects else rows)


def _write(track: Track, window: Window, row: Relation | None, settled: Settled) -> Relation:
    wanted = _values(window)
    if row is None:
        row = Relation.objects.create(
            user_id=track.user_id,
            subject_id=track.subject_id,
            relation=track.relation,
            object_id=window.object_id,
            valid_from=window.start,
            **wanted,
        )
        settled.made.append(row)
    else:
        _change(row, wanted, settled)
    return row


def _change(row: Relation, wanted: Mapping[str, Any], settled: Settled) -> None:
    changes = {name: value for name, value in wanted.items() if getattr(row, name) != value}
    if not changes:
        return
    if "deleted_at" in changes:
        settled.made.append(row)
    elif "valid_to" in changes:
        settled.ended.append(row)
    for name, value in changes.items():
        setattr(row, name, value)
    Relation.objects.filter(user_id=row.user_id, id=row.id).update(**changes)


def _values(window: Window) -> dict[str, Any]:
    sources = window.claims
    return {
        "single_valued": any(source.single_valued for source in sources),
        "valid_to": window.end,
        "confidence": max(source.confidence for source in sources),
        "drawer_id": sources[0].drawer_id,
        "recorded_at": min(source.recorded_at for source in sources),
        "deleted_at": None,
        "deletion_id": None,
    }


def _link(row: Relation, claims: Sequence[RelationSource]) -> set[UUID]:
    moving = [claim.id for claim in claims if claim.edge_id != row.id]
    if moving:
        RelationSource.objects.filter(user_id=row.user_id, id__in=moving).update(edge_id=row.id)
    return {claim.id for claim in claims}


def _unlink(track: Track, claims: Sequence[RelationSource], astray: set[UUID]) -> None:
    """What was said for an instant only, of which no relation came, supports none."""
    ids = [claim.id for claim in claims if claim.id in astray and track.has(claim.object_id)]
    if ids:
        RelationSource.objects.filter(user_id=track.user_id, id__in=ids).update(edge_id=None)


def _let_go(user_id: UUID, ids: list[UUID], gone: Mapping[str, Any] | None) -> int:
    rows = Relation.objects.filter(user_id=user_id, id__in=ids)
    return rows.update(**gone) if gone else rows.delete()[0]
