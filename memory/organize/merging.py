"""Merges two wings, rooms or closets; the name of the merged one redirects to the other."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memory.models import ChangeSet, Closet, Drawer, Room, Wing, WingName
from memory.organize.moving import move_closet
from memory.organize.places import SCOPES, Place, Target, place_of, refuse
from memory.organize.recording import Draft
from memory.placement import lock_palace, standing_room


def merge(user_id: UUID, kept: Target, other: Target, now: datetime) -> ChangeSet:
    """Merge another wing, room or closet into this one, which keeps its own name.

    Raises NotFound and ArrangingRefused.
    """
    with transaction.atomic():
        lock_palace(user_id)
        stays, goes = place_of(user_id, *kept), place_of(user_id, *other)
        if stays.id == goes.id:
            refuse(_("They are already merged."))
        draft = Draft(stays, now)
        _merge(draft, stays, goes)
        return draft.keep(ChangeSet.Kind.MERGED)


def _merge(draft: Draft, stays: Place, goes: Place) -> None:
    if isinstance(stays, Wing) and isinstance(goes, Wing):
        _merge_wings(draft, stays, goes)
    elif isinstance(stays, Room) and isinstance(goes, Room):
        _merge_rooms(draft, stays, goes)
    elif isinstance(stays, Closet) and isinstance(goes, Closet):
        _merge_closets(draft, stays, goes)
    else:
        refuse(_("A wing can only be merged with a wing, a room with a room, and a closet with a closet."))


def _merge_wings(draft: Draft, stays: Wing, goes: Wing) -> None:
    names = WingName.objects.filter(user_id=goes.user_id, wing_id=goes.id)
    draft.change(names, wing_id=stays.id, is_alias=True)
    here = {(r.source_kind, r.source_id): standing_room(r) for r in stays.rooms.all()}
    rooms = list(goes.rooms.order_by("ordinal"))
    shared = [r for r in rooms if (r.source_kind, r.source_id) in here]
    for room in shared:
        if room.merged_into_id is None:
            _merge_rooms(draft, here[room.source_kind, room.source_id], room)
    draft.house([room for room in rooms if room not in shared], stays)
    _redirect(draft, goes, stays)


def _merge_rooms(draft: Draft, stays: Room, goes: Room) -> None:
    taken_by: dict[UUID, UUID] = {}
    for closet in goes.closets.filter(merged_into_id=None).order_by("id"):
        taken_by[closet.id] = move_closet(draft, closet, stays)
    for alias in goes.closets.filter(merged_into_id__isnull=False).order_by("id"):
        _move_alias(draft, alias, stays, taken_by)
    draft.change(
        [stays],
        started_at=min(stays.started_at, goes.started_at),
        ended_at=max(stays.ended_at, goes.ended_at),
    )
    _redirect(draft, goes, stays)


def _move_alias(draft: Draft, alias: Closet, room: Room, taken_by: dict[UUID, UUID]) -> None:
    """Move an alias of a closet along, unless the name is taken there."""
    known = Closet.objects.filter(user_id=room.user_id, room_id=room.id, slug=alias.slug)
    leads_to = taken_by.get(alias.merged_into_id) if alias.merged_into_id else None
    if leads_to is not None and not known.exists():
        draft.change([alias], room_id=room.id, merged_into_id=leads_to)


def _merge_closets(draft: Draft, stays: Closet, goes: Closet) -> None:
    if stays.room_id != goes.room_id:
        refuse(_("They are in different rooms; move one of them first."))
    inside = Drawer.objects.filter(user_id=goes.user_id, closet_id=goes.id)
    draft.change(inside.only("user_id", "id", "closet_id"), closet_id=stays.id)
    _redirect(draft, goes, stays)


def _redirect(draft: Draft, goes: Place, stays: Place) -> None:
    """Redirect what was merged, and what had been merged into it, to what stays."""
    model = SCOPES[goes._meta.model_name or ""]
    known = model._default_manager.filter(user_id=goes.user_id, merged_into_id=goes.id)
    draft.change([goes, *known], merged_into_id=stays.id)
    draft.touch(goes.id)
