"""Removes empty closets, rooms and wings, and entities without a relation."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import models
from django.db.models import Exists, OuterRef, QuerySet

from memory.changes.log import Change
from memory.changes.rows import RowDiff, images, table_of
from memory.graph.orphans import orphans
from memory.models import (
    ChangeSet,
    Closet,
    Drawer,
    Entity,
    EntityName,
    Room,
    Summary,
    Wing,
    WingName,
)

Dependents = Iterable[tuple[type[models.Model], str]]

GRACE = timedelta(days=7)
"""New places and entities may be about to be filled."""


def removal_changes(user_id: UUID, now: datetime) -> Iterator[Change]:
    """Remove empty places and orphaned entities, with their names.

    Anything in the trash counts as content, because it can be restored. Places that were merged into another
    stay, because their names redirect there.
    """
    before = now - GRACE
    closets = _empty(Closet, user_id, before, Drawer, "closet_id")
    gone = set(closets.values_list("id", flat=True))
    rooms = [
        room
        for room in _empty(Room, user_id, before, Drawer, "room_id").values_list("id", flat=True)
        if not _inside(Closet, user_id, room_id=room).exclude(id__in=gone).exists()
    ]
    wings = [
        wing
        for wing in _empty(Wing, user_id, before, Drawer, "wing_id").values_list("id", flat=True)
        if not _inside(Room, user_id, wing_id=wing).exclude(id__in=rooms).exists()
    ]
    yield from _removals(user_id, Closet, sorted(gone), _dependents(Closet, (Summary, "closet_id")))
    yield from _removals(user_id, Room, rooms, _dependents(Room, (Summary, "subject_id")))
    yield from _removals(user_id, Wing, wings, _dependents(Wing, (WingName, "wing_id")))
    yield from _removals(user_id, Entity, _orphaned_entities(user_id, before), ((EntityName, "entity_id"),))


def _dependents(place: type[Wing | Room | Closet], own: tuple[type[models.Model], str]) -> Dependents:
    """The rows to remove with a place: its own, and places merged into it."""
    return (own, (place, "merged_into_id"))


def _empty(
    model: type[models.Model], user_id: UUID, before: datetime, held: type[models.Model], field: str
) -> QuerySet[Any]:
    content = held._default_manager.filter(user_id=user_id, **{field: OuterRef("id")})
    places = model._default_manager.filter(user_id=user_id, created_at__lt=before, merged_into_id=None)
    return places.filter(~Exists(content)).order_by("id")


def _inside(model: type[models.Model], user_id: UUID, **place: UUID) -> QuerySet[Any]:
    return model._default_manager.filter(user_id=user_id, **place)


def _orphaned_entities(user_id: UUID, before: datetime) -> list[UUID]:
    return [entity.id for entity in orphans(user_id) if entity.created_at < before]


def _removals(
    user_id: UUID,
    model: type[models.Model],
    ids: Sequence[UUID],
    children: Dependents,
) -> Iterator[Change]:
    row_images = images(user_id, model, ids)
    names = {
        row_id: tuple(
            RowDiff(table_of(child), child_id, image, None)
            for child, field in children
            for child_id, image in _children(user_id, child, field, row_id).items()
        )
        for row_id in ids
    }
    for row_id in ids:
        row = RowDiff(table_of(model), row_id, row_images[row_id], None)
        kind = ChangeSet.Kind.REMOVED
        yield Change(kind.value, model._meta.model_name or "", row_id, (*names[row_id], row))


def _children(
    user_id: UUID, model: type[models.Model], field: str, parent_id: UUID
) -> dict[UUID, dict[str, Any]]:
    found = model._default_manager.filter(user_id=user_id, **{field: parent_id}).order_by("id")
    return images(user_id, model, list(found.values_list("id", flat=True)))
