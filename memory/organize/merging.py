"""Merges two wings, rooms or closets; the name of the merged one redirects to the other."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memory.models import ChangeSet, Closet, Drawer, Room, Wing, WingName
from memory.organize.moving import move_closet
from memory.organize.places import SCOPES, Place, Target, place_of, refuse
from memory.organize.recording import Draft
from memory.placement import current_room, lock_palace


def merge(user_id: UUID, kept: Target, other: Target, now: datetime) -> ChangeSet:
    """Merge another wing, room or closet into this one, which keeps its own name.

    Raises NotFound and ChangeRefused.
    """
    with transaction.atomic():
        lock_palace(user_id)
        target, source = place_of(user_id, *kept), place_of(user_id, *other)
        if target.id == source.id:
            refuse(_("They are already merged."))
        draft = Draft(target, now)
        _merge(draft, target, source)
        return draft.save(ChangeSet.Kind.MERGED)


def _merge(draft: Draft, target: Place, source: Place) -> None:
    if isinstance(target, Wing) and isinstance(source, Wing):
        _merge_wings(draft, target, source)
    elif isinstance(target, Room) and isinstance(source, Room):
        _merge_rooms(draft, target, source)
    elif isinstance(target, Closet) and isinstance(source, Closet):
        _merge_closets(draft, target, source)
    else:
        refuse(_("A wing can only be merged with a wing, a room with a room, and a closet with a closet."))


def _merge_wings(draft: Draft, target: Wing, source: Wing) -> None:
    names = WingName.objects.filter(user_id=source.user_id, wing_id=source.id)
    draft.change(names, wing_id=target.id, is_alias=True)
    here = {(r.source_kind, r.source_id): current_room(r) for r in target.rooms.all()}
    rooms = list(source.rooms.order_by("ordinal"))
    shared = [r for r in rooms if (r.source_kind, r.source_id) in here]
    for room in shared:
        if room.merged_into_id is None:
            _merge_rooms(draft, here[room.source_kind, room.source_id], room)
    draft.move_rooms([room for room in rooms if room not in shared], target)
    _redirect(draft, source, target)


def _merge_rooms(draft: Draft, target: Room, source: Room) -> None:
    moved_to: dict[UUID, UUID] = {}
    for closet in source.closets.filter(merged_into_id=None).order_by("id"):
        moved_to[closet.id] = move_closet(draft, closet, target)
    for alias in source.closets.filter(merged_into_id__isnull=False).order_by("id"):
        _move_alias(draft, alias, target, moved_to)
    draft.change(
        [target],
        started_at=min(target.started_at, source.started_at),
        ended_at=max(target.ended_at, source.ended_at),
    )
    _redirect(draft, source, target)


def _move_alias(draft: Draft, alias: Closet, room: Room, moved_to: dict[UUID, UUID]) -> None:
    """Move an alias of a closet along, unless the name is taken there."""
    known = Closet.objects.filter(user_id=room.user_id, room_id=room.id, slug=alias.slug)
    new_id = moved_to.get(alias.merged_into_id) if alias.merged_into_id else None
    if new_id is not None and not known.exists():
        draft.change([alias], room_id=room.id, merged_into_id=new_id)


def _merge_closets(draft: Draft, target: Closet, source: Closet) -> None:
    if target.room_id != source.room_id:
        refuse(_("They are in different rooms; move one of them first."))
    inside = Drawer.objects.filter(user_id=source.user_id, closet_id=source.id)
    draft.change(inside.only("user_id", "id", "closet_id"), closet_id=target.id)
    _redirect(draft, source, target)


def _redirect(draft: Draft, source: Place, target: Place) -> None:
    """Redirect what was merged, and what had been merged into it, to what stays."""
    model = SCOPES[source._meta.model_name or ""]
    known = model._default_manager.filter(user_id=source.user_id, merged_into_id=source.id)
    draft.change([source, *known], merged_into_id=target.id)
    draft.touch(source.id)
