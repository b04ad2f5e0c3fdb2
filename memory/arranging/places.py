"""Wings, rooms and closets as their owner saw them when they decided to change something."""

from dataclasses import dataclass
from hashlib import sha256
from typing import NoReturn
from uuid import UUID

from django.utils.translation import gettext as _

from memory.models import Closet, Room, Wing

Place = Wing | Room | Closet
SCOPES: dict[str, type[Wing] | type[Room] | type[Closet]] = {
    "wing": Wing,
    "room": Room,
    "closet": Closet,
}


class NothingThere(Exception):
    """This person has no such wing, room, closet or drawer, or it was merged into another."""


class ArrangingRefused(Exception):
    """The change cannot be made; the message is a sentence for the owner."""


@dataclass(frozen=True, slots=True)
class Target:
    """A wing, room or closet by its scope and id, and the `state_of` it in which its owner saw it;
    an empty `seen` asks nothing."""

    scope: str
    id: UUID
    seen: str = ""


def standing(user_id: UUID, target: Target) -> Place:
    """The place a change is meant for. Raises NothingThere; and ArrangingRefused, telling how it
    stands now, when it is no longer as its owner saw it."""
    place = place_of(user_id, target.scope, target.id)
    if target.seen and target.seen != state_of(place):
        refuse(
            _(
                "This was changed in another window meanwhile: it is called “%(name)s” now. "
                "Nothing was changed here; look again before you decide."
            )
            % {"name": title_of(place)}
        )
    return place


def place_of(user_id: UUID, scope: str, place_id: UUID) -> Place:
    """A wing, room or closet that was not merged into another. Raises NothingThere."""
    model = SCOPES.get(scope)
    if model is None:
        raise NothingThere
    found = model._default_manager.filter(user_id=user_id, id=place_id, merged_into_id=None)
    place: Place | None = found.first()
    if place is None:
        raise NothingThere
    return place


def merged_into(user_id: UUID, scope: str, place_id: UUID) -> UUID | None:
    """The wing, room or closet that took the place of one that was merged, or None."""
    merged = SCOPES[scope]._default_manager.filter(
        user_id=user_id, id=place_id, merged_into_id__isnull=False
    )
    return merged.values_list("merged_into_id", flat=True).first()


def title_of(place: Place) -> str:
    """What a place is called; a chat may have no title."""
    return (place.title or _("Untitled chat")) if isinstance(place, Room) else place.name


def state_of(place: Place) -> str:
    """A short digest of what a form shows of a place: its name, kind and where it lies."""
    if isinstance(place, Wing):
        shown = (place.name, place.kind)
    elif isinstance(place, Room):
        shown = (place.title, str(place.wing_id))
    else:
        shown = (place.name, str(place.room_id))
    return sha256("\n".join(shown).encode()).hexdigest()[:16]


def refuse(reason: str) -> NoReturn:
    """Raise ArrangingRefused with a sentence for the owner."""
    raise ArrangingRefused(reason)
