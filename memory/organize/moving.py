"""Moves rooms to other wings, closets to other rooms, and drawers to other wings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memory.models import ChangeSet, Closet, Drawer, Room, Wing
from memory.organize.places import Target, place_of, refuse
from memory.organize.recording import Draft
from memory.placement import Source, closet_for, lock_palace, room_for

MAX_DRAWERS = 500


@dataclass(frozen=True, slots=True)
class Destination:
    """The wing to move drawers to.

    They go to the room of their own chat there, created if there is none, and to the closet of this name;
    without a name, each keeps its topic.
    """

    wing_id: UUID
    closet: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The change (None if nothing changed), the moved drawers, and why others were `left`."""

    edit: ChangeSet | None
    done: tuple[UUID, ...] = ()
    left: Mapping[UUID, str] = field(default_factory=dict)


def move(user_id: UUID, target: Target, into: UUID, now: datetime) -> ChangeSet:
    """Move a room to another wing, or a closet to another room.

    Raises NotFound and ChangeRefused.
    """
    with transaction.atomic():
        lock_palace(user_id)
        place = place_of(user_id, *target)
        draft = Draft(place, now)
        if isinstance(place, Room):
            _move_room(draft, place, into)
        elif isinstance(place, Closet):
            _move_closet(draft, place, into)
        else:
            refuse(_("A wing cannot be moved."))
        return draft.save(ChangeSet.Kind.MOVED)


def move_drawers(user_id: UUID, drawer_ids: Sequence[UUID], to: Destination, now: datetime) -> Outcome:
    """Move drawers to another wing, as far as they exist.

    Raises NotFound if that wing does not, and ChangeRefused if there are too many at once.
    """
    if len(drawer_ids) > MAX_DRAWERS:
        refuse(_("At most %(most)s drawers can be moved at once.") % {"most": MAX_DRAWERS})
    with transaction.atomic():
        lock_palace(user_id)
        wing = place_of(user_id, "wing", to.wing_id)
        drawers = Drawer.objects.live().filter(user_id=user_id, id__in=drawer_ids)
        found = {each.id: each for each in drawers.select_related("room", "closet")}
        left = {each: _("This drawer no longer exists.") for each in drawer_ids if each not in found}
        return _move_drawers(wing, list(found.values()), to, left, now)  # type: ignore[arg-type]


def move_closet(draft: Draft, closet: Closet, room: Room) -> UUID:
    """Move a closet with its drawers to another room, merging it into a closet of its name there.

    Returns the id of their new closet.
    """
    existing = Closet.objects.filter(user_id=room.user_id, room_id=room.id, slug=closet.slug).first()
    draft.touch(closet.id)
    if existing is None:
        draft.change([closet], room_id=room.id)
        return closet.id
    target = closet_for(room, existing.name)
    draft.touch(target.id)
    inside = Drawer.objects.filter(user_id=room.user_id, closet_id=closet.id)
    draft.change(inside.only("user_id", "id", "closet_id"), closet_id=target.id)
    return target.id


def _move_room(draft: Draft, room: Room, wing_id: UUID) -> None:
    wing = place_of(draft.user_id, "wing", wing_id)
    if not isinstance(wing, Wing) or wing.id == room.wing_id:
        refuse(_("It is already in that wing."))
    same = Room.objects.filter(
        user_id=room.user_id,
        wing_id=wing.id,
        source_kind=room.source_kind,
        source_id=room.source_id,
    )
    if same.exists():
        refuse(_("That wing already has a room for this chat; merge the two instead."))
    draft.touch(room.wing_id, wing.id)
    draft.move_rooms([room], wing)


def _move_closet(draft: Draft, closet: Closet, room_id: UUID) -> None:
    room = place_of(draft.user_id, "room", room_id)
    if not isinstance(room, Room) or room.id == closet.room_id:
        refuse(_("It is already in that room."))
    draft.touch(closet.room_id, room.id)
    move_closet(draft, closet, room)


def _move_drawers(
    wing: Wing, drawers: list[Drawer], to: Destination, left: dict[UUID, str], now: datetime
) -> Outcome:
    moving = [each for each in drawers if not _is_there(each, to)]
    left |= {each.id: _("It is already there.") for each in drawers if _is_there(each, to)}
    if not moving:
        return Outcome(None, (), left)
    draft = Draft(wing, now)
    key = lambda each: (str(each.room_id), each.source_kind, str(each.source_id))  # noqa: E731
    for _source, group in groupby(sorted(moving, key=key), key):
        _move_group(draft, wing, list(group), to.closet)
    edit = draft.save(ChangeSet.Kind.MOVED)
    return Outcome(edit, tuple(each.id for each in moving), left)


def _is_there(drawer: Drawer, to: Destination) -> bool:
    name = " ".join(to.closet.split()) or drawer.closet.name
    return drawer.wing_id == to.wing_id and drawer.closet.name == name


def _move_group(draft: Draft, wing: Wing, drawers: list[Drawer], closet: str) -> None:
    """Move drawers of the same room and chat to one room there."""
    first = drawers[0]
    times = [each.said_at for each in drawers]
    source = Source(first.source_kind, first.source_id, first.room.title, min(times), max(times))
    room = first.room if first.wing_id == wing.id else room_for(wing, source)
    draft.touch(first.room_id, room.id)
    for name in dict.fromkeys(closet or each.closet.name for each in drawers):
        into = closet_for(room, name)
        moving = [each for each in drawers if (closet or each.closet.name) == name]
        draft.touch(into.id, *(each.closet_id for each in moving))
        draft.change(moving, closet_id=into.id)
