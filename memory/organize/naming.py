"""Renames wings, rooms and closets; their old names still find them."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from memory.models import ChangeSet, Closet, Room, Wing, WingName
from memory.organize.places import Place, Target, place_of, refuse
from memory.organize.recording import Draft
from memory.placement import NAME_LIMIT, lock_palace
from memory.text.names import slugify
from memory.text.sanitizing import is_visible, storable

TITLE_LIMIT = 300


def rename(user_id: UUID, target: Target, name: str, now: datetime) -> ChangeSet:
    """Rename a wing, room or closet. Raises NotFound and ChangeRefused."""
    with transaction.atomic():
        lock_palace(user_id)
        place = place_of(user_id, *target)
        title = _title(name, TITLE_LIMIT if isinstance(place, Room) else NAME_LIMIT)
        draft = Draft(place, now)
        _set_name(draft, place, title)
        return draft.save(ChangeSet.Kind.RENAMED)


def change_kind(user_id: UUID, target: Target, kind: str, now: datetime) -> ChangeSet:
    """Change the kind of a wing: person, project, topic or agent.

    Raises NotFound and ChangeRefused.
    """
    with transaction.atomic():
        lock_palace(user_id)
        wing = place_of(user_id, *target)
        if not isinstance(wing, Wing) or kind not in Wing.Kind.values:
            refuse(_("There is no such kind."))
        if kind == wing.kind:
            refuse(_("That is already its kind."))
        draft = Draft(wing, now)
        draft.change([wing], kind=kind)
        return draft.save(ChangeSet.Kind.RETYPED)


def _title(name: str, limit: int) -> str:
    title = " ".join(storable(name).text.split())
    if not is_visible(title):
        refuse(_("A name must contain letters."))
    if len(title) > limit:
        refuse(_("A name can have at most %(most)s characters.") % {"most": limit})
    return title


def _set_name(draft: Draft, place: Place, title: str) -> None:
    if title == (place.title if isinstance(place, Room) else place.name):
        refuse(_("That is already its name."))
    if isinstance(place, Wing):
        _rename_wing(draft, place, title)
    elif isinstance(place, Room):
        draft.change([place], title=title)
    else:
        _rename_closet(draft, place, title)


def _rename_wing(draft: Draft, wing: Wing, title: str) -> None:
    slug = slugify(title)
    names = WingName.objects.filter(user_id=wing.user_id)
    known = names.filter(slug=slug).first()
    if known is not None and known.wing_id != wing.id:
        refuse(_("Another wing has that name; if they are the same, merge them."))
    draft.change(names.filter(wing_id=wing.id, is_alias=False), is_alias=True)
    if known is None:
        draft.make_name(wing, slug, title)
    else:
        draft.change(names.filter(id=known.id), name=title, is_alias=False)
    draft.change([wing], name=title)


def _rename_closet(draft: Draft, closet: Closet, title: str) -> None:
    slug = slugify(title)
    closets = Closet.objects.filter(user_id=closet.user_id, room_id=closet.room_id)
    taken = closets.filter(slug=slug).exclude(id=closet.id).first()
    if taken is not None and taken.merged_into_id != closet.id:
        refuse(_("Another closet in this room has that name; if they are the same, merge them."))
    if slug == closet.slug:
        draft.change([closet], name=title)
        return
    old_slug, old_name = closet.slug, closet.name
    if taken is not None:
        _swap(draft, closet, taken, title)
        return
    draft.change([closet], name=title, slug=slug)
    draft.make_alias(closet, old_slug, old_name)


def _swap(draft: Draft, closet: Closet, alias: Closet, title: str) -> None:
    """Make one of a closet's aliases its name, and its name an alias."""
    temporary = f"-{alias.id.hex}"
    slug, old_slug, old_name = alias.slug, closet.slug, closet.name
    draft.change([alias], slug=temporary, name=old_name)
    draft.change([closet], name=title, slug=slug)
    alias.slug = temporary
    draft.change([alias], slug=old_slug)
