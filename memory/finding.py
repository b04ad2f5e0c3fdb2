"""Finds places and things of the palace by their names, for whoever wants to go there."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from memory.models import Entity, EntityName, Room, Wing


@dataclass(frozen=True, slots=True)
class Named:
    """What goes by the names that were asked for, at most so many of each, newest first."""

    wings: tuple[Wing, ...]
    rooms: tuple[Room, ...]
    entities: tuple[Entity, ...]


def find_named(user_id: UUID, words: str, most: int) -> Named:
    """Wings, rooms and entities that have every word in their name; nothing without a word."""
    wanted = words.split()
    if not wanted:
        return Named((), (), ())
    wings = Wing.objects.filter(_has(wanted, "name"), user_id=user_id)
    rooms = Room.objects.filter(_has(wanted, "title"), user_id=user_id).select_related("wing")
    names = EntityName.objects.filter(_has(wanted, "name"), user_id=user_id)
    known = names.order_by("name").values_list("entity_id", flat=True)[: most * 4]
    entities = Entity.objects.filter(
        user_id=user_id, id__in=list(known), merged_into_id=None
    ).exclude(type="user")
    return Named(
        tuple(wings.order_by("name", "id")[:most]),
        tuple(rooms.order_by("-started_at", "-id")[:most]),
        tuple(entities.order_by("name", "id")[:most]),
    )


def _has(words: Sequence[str], field: str) -> Q:
    condition = Q()
    for word in words:
        condition &= Q(**{f"{field}__icontains": word})
    return condition
