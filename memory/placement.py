"""Finds or creates the wing, room and closet for a drawer, and mints AAAK pointers.

Call everything here inside a transaction that holds the palace lock, so that two writers cannot create the
same wing twice or mint the same ordinal.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from memory.aaak import Pointer
from memory.models import Closet, Palace, Room, Wing, WingName
from memory.text.names import slugify

NAME_LIMIT = 200
UNNAMED = "General"


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a room: its kind and id, its title and when it was said."""

    kind: str
    id: UUID
    title: str
    started_at: datetime
    ended_at: datetime


_LOCK = "UPDATE memory_palace SET changes = changes + 1, upkeep_at = NULL WHERE user_id = %s RETURNING *"


def lock_palace(user_id: UUID) -> Palace:
    """Lock the user's palace until the transaction ends, and have the next sweep look for work there.

    Call inside a transaction.
    """
    found = next(iter(Palace.objects.raw(_LOCK, [user_id])), None)
    if found is None:
        Palace.objects.get_or_create(user_id=user_id)
        return lock_palace(user_id)
    return found


@contextmanager
def locked_palace(user_id: UUID) -> Iterator[Palace]:
    """A transaction that locks the user's palace."""
    with transaction.atomic():
        yield lock_palace(user_id)


def find_wing(user_id: UUID, name: str) -> Wing | None:
    """The wing with this name, slug or alias, ignoring case, or None."""
    known = WingName.objects.filter(user_id=user_id, slug=slugify(_on_one_line(name)))
    found = known.select_related("wing").first()
    return found.wing if found else None


def wing_for(palace: Palace, kind: str, name: str) -> Wing:
    """The wing with this name, slug or alias, created if there is none."""
    title = _on_one_line(name) or UNNAMED
    return find_wing(palace.user_id, title) or _new_wing(palace, kind, title)


def room_of_source(user_id: UUID, source: Source) -> Room | None:
    """The room that already holds this source, for its later windows."""
    rooms = Room.objects.filter(user_id=user_id, source_kind=source.kind, source_id=source.id)
    found = rooms.select_related("wing").order_by("created_at", "id").first()
    return current_room(found) if found else None


def current_room(room: Room) -> Room:
    """The room itself, or the one it was merged into."""
    if room.merged_into_id is None:
        return room
    rooms = Room.objects.filter(user_id=room.user_id, id=room.merged_into_id)
    return rooms.select_related("wing").get()


def room_for(wing: Wing, source: Source) -> Room:
    """The room of this source in a wing, or the one it was merged into, extended to its last message.

    Created if there is none.
    """
    room = Room.objects.filter(
        user_id=wing.user_id, wing_id=wing.id, source_kind=source.kind, source_id=source.id
    ).first()
    return extend_room(current_room(room) if room else new_room(wing, source), source)


def extend_room(room: Room, source: Source) -> Room:
    """The room, extended to the last message of its source."""
    if source.ended_at > room.ended_at:
        room.ended_at = source.ended_at
        room.save(update_fields=["ended_at"])
    return room


def closet_for(room: Room, name: str) -> Closet:
    """The closet for this topic in a room, by slug or alias, created if there is none."""
    title = _on_one_line(name) or UNNAMED
    slug = slugify(title)
    known = Closet.objects.filter(user_id=room.user_id, room_id=room.id, slug=slug).first()
    if known is not None:
        return _current_closet(known)
    return Closet.objects.create(user_id=room.user_id, room_id=room.id, slug=slug, name=title)


def _on_one_line(name: str) -> str:
    return " ".join(name.split())[:NAME_LIMIT]


def _current_closet(closet: Closet) -> Closet:
    """The closet, or the one it was merged into.

    If that is in another room by now, the closet becomes independent again.
    """
    if closet.merged_into_id is None:
        return closet
    closets = Closet.objects.filter(user_id=closet.user_id)
    found = closets.filter(room_id=closet.room_id, id=closet.merged_into_id).first()
    if found is None:
        closets.filter(id=closet.id).update(merged_into_id=None)
        closet.merged_into_id = None
    return found or closet


def mint_pointers(wing: Wing, room: Room, count: int) -> list[Pointer]:
    """The next `count` pointers of a room, which was read under the palace lock.

    Ordinals are never reused.
    """
    first = room.drawers_made + 1
    room.drawers_made += count
    room.save(update_fields=["drawers_made"])
    return [Pointer(wing.ordinal, room.ordinal, first + step) for step in range(count)]


def _new_wing(palace: Palace, kind: str, title: str) -> Wing:
    palace.wings_made += 1
    palace.save(update_fields=["wings_made"])
    wing = Wing.objects.create(user_id=palace.user_id, kind=kind, name=title, ordinal=palace.wings_made)
    WingName.objects.create(user_id=palace.user_id, wing_id=wing.id, slug=slugify(title), name=title)
    return wing


def new_room(wing: Wing, source: Source) -> Room:
    """A room for a new source, in a wing that was read under the palace lock."""
    wing.rooms_made += 1
    wing.save(update_fields=["rooms_made"])
    return Room.objects.create(
        user_id=wing.user_id,
        wing_id=wing.id,
        ordinal=wing.rooms_made,
        title=source.title[:300],
        source_kind=source.kind,
        source_id=source.id,
        started_at=source.started_at,
        ended_at=source.ended_at,
    )
