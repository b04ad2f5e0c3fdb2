"""Finds wings, rooms and closets to change, and the places they can be merged with or moved to."""

from dataclasses import dataclass
from typing import NamedTuple, cast
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.owned import NotFound, first_or_raise
from memory.models import Closet, Room, Wing

Place = Wing | Room | Closet
MAX_CHOICES = 12
SCOPES: dict[str, type[Wing] | type[Room] | type[Closet]] = {"wing": Wing, "room": Room, "closet": Closet}


class Target(NamedTuple):
    """A wing, room or closet by its scope and id."""

    scope: str
    id: UUID


def place_of(user_id: UUID, scope: str, place_id: UUID) -> Place:
    """A wing, room or closet that was not merged into another. Raises NotFound."""
    model = SCOPES.get(scope)
    if model is None:
        raise NotFound
    found = model._default_manager.filter(user_id=user_id, id=place_id, merged_into_id=None)
    return cast(Place, first_or_raise(found))


def merged_into(user_id: UUID, scope: str, place_id: UUID) -> UUID | None:
    """The place that another one was merged into, or None."""
    merged = SCOPES[scope]._default_manager.filter(user_id=user_id, id=place_id, merged_into_id__isnull=False)
    return merged.values_list("merged_into_id", flat=True).first()


def title_of(place: Place) -> str:
    """The name of a place; a chat may have no title."""
    return (place.title or _("Untitled chat")) if isinstance(place, Room) else place.name


@dataclass(frozen=True, slots=True)
class Choice:
    """A place to choose: its name, its location, and its number of drawers."""

    id: UUID
    name: str
    within: str
    kind: str
    drawers: int


def wings(user_id: UUID, words: str = "", excluded_id: UUID | None = None) -> tuple[Choice, ...]:
    """Wings with these words in a name, the most recently used first."""
    found = Wing.objects.filter(user_id=user_id, merged_into_id=None, last_at__isnull=False)
    if words:
        found = found.filter(names__name__icontains=words).distinct()
    if excluded_id:
        found = found.exclude(id=excluded_id)
    rows = found.order_by("-last_at", "id")[:MAX_CHOICES]
    return tuple(_choice(each, kind=each.kind) for each in rows)


def rooms(user_id: UUID, words: str, excluded_id: UUID, wing_id: UUID) -> tuple[Choice, ...]:
    """Rooms whose title contains these words or, without words, the rooms of a wing; newest first."""
    found = Room.objects.filter(user_id=user_id, merged_into_id=None, drawers_held__gt=0)
    found = found.filter(title__icontains=words) if words else found.filter(wing_id=wing_id)
    rows = found.exclude(id=excluded_id).select_related("wing").order_by("-started_at", "id")[:MAX_CHOICES]
    return tuple(_choice(each, each.wing.name, each.wing.kind) for each in rows)


def closets(user_id: UUID, room_id: UUID, excluded_id: UUID) -> tuple[Choice, ...]:
    """The other closets of a room."""
    found = Closet.objects.filter(user_id=user_id, room_id=room_id, merged_into_id=None, drawers_held__gt=0)
    rows = found.exclude(id=excluded_id).order_by("name", "id")[: 4 * MAX_CHOICES]
    return tuple(map(_choice, rows))


def to_merge_with(place: Place, words: str) -> tuple[Choice, ...]:
    """The places that a place can be merged with."""
    if isinstance(place, Wing):
        return wings(place.user_id, words, place.id)
    if isinstance(place, Room):
        return rooms(place.user_id, words, place.id, place.wing_id)
    return closets(place.user_id, place.room_id, place.id)


def to_move_into(place: Place, words: str) -> tuple[Choice, ...]:
    """The places that a place can be moved to; none for a wing."""
    if isinstance(place, Room):
        return wings(place.user_id, words, place.wing_id)
    if isinstance(place, Closet):
        return rooms(place.user_id, words, place.room_id, place.room.wing_id)
    return ()


def _choice(place: Place, within: str = "", kind: str = "") -> Choice:
    return Choice(place.id, title_of(place), within, kind, place.drawers_held)
