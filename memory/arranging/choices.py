"""What a place can be merged with or moved into, a few at a time, found by name."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory.arranging.places import Place, title_of
from memory.models import Closet, Room, Wing

MOST = 12


@dataclass(frozen=True, slots=True)
class Choice:
    """A place to choose: what it is called, where it lies, and how much it holds."""

    id: UUID
    name: str
    within: str
    kind: str
    drawers: int
    at: datetime | None


def wings(user_id: UUID, words: str = "", but: UUID | None = None) -> tuple[Choice, ...]:
    """The wings with these words in a name, the one most lately spoken of first."""
    found = Wing.objects.filter(user_id=user_id, merged_into_id=None, last_at__isnull=False)
    if words:
        found = found.filter(names__name__icontains=words).distinct()
    rows = _but(found, but).order_by("-last_at", "id")[:MOST]
    return tuple(_choice(each, "", each.kind, each.last_at) for each in rows)


def rooms(
    user_id: UUID, words: str = "", but: UUID | None = None, wing_id: UUID | None = None
) -> tuple[Choice, ...]:
    """The rooms with these words in their title, those of a wing or of all, the newest first."""
    found = Room.objects.filter(user_id=user_id, merged_into_id=None, drawers_held__gt=0)
    if wing_id is not None and not words:
        found = found.filter(wing_id=wing_id)
    if words:
        found = found.filter(title__icontains=words)
    rows = _but(found, but).select_related("wing").order_by("-started_at", "id")[:MOST]
    return tuple(_choice(each, each.wing.name, each.wing.kind, each.started_at) for each in rows)


def closets(user_id: UUID, room_id: UUID, but: UUID | None = None) -> tuple[Choice, ...]:
    """The other closets of a room."""
    found = Closet.objects.filter(
        user_id=user_id, room_id=room_id, merged_into_id=None, drawers_held__gt=0
    )
    rows = _but(found, but).order_by("name", "id")[: 4 * MOST]
    return tuple(_choice(each, "", "", None) for each in rows)


def to_merge_with(place: Place, words: str) -> tuple[Choice, ...]:
    """What a place can be merged with."""
    if isinstance(place, Wing):
        return wings(place.user_id, words, place.id)
    if isinstance(place, Room):
        return rooms(place.user_id, words, place.id, place.wing_id)
    return closets(place.user_id, place.room_id, place.id)


def to_move_into(place: Place, words: str) -> tuple[Choice, ...]:
    """What a place can be moved into; a wing into nothing."""
    if isinstance(place, Room):
        return wings(place.user_id, words, place.wing_id)
    if isinstance(place, Closet):
        return rooms(place.user_id, words, place.room_id, place.room.wing_id)
    return ()


def _but(found: "QuerySet[Any]", place_id: UUID | None) -> "QuerySet[Any]":
    return found.exclude(id=place_id) if place_id else found


def _choice(place: Place, within: str, kind: str, at: datetime | None) -> Choice:
    return Choice(place.id, title_of(place), within, kind, place.drawers_held, at)
