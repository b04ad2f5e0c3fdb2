"""Pins drawers, marks them as sensitive, and stores their owner's annotations."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.owned import first_or_raise
from memory.models import ChangeSet, Drawer
from memory.organize.places import refuse
from memory.organize.recording import Draft
from memory.placement import lock_palace

KINDS = {
    ("pinned", True): ChangeSet.Kind.PINNED,
    ("pinned", False): ChangeSet.Kind.UNPINNED,
    ("sensitive", True): ChangeSet.Kind.HIDDEN,
    ("sensitive", False): ChangeSet.Kind.SHOWN,
}


def mark(user_id: UUID, drawer_id: UUID, field: str, *, on: bool, now: datetime) -> ChangeSet | None:
    """Set or clear `field` (pinned or sensitive) of a drawer; None if nothing changed. Raises NotFound."""
    with transaction.atomic():
        lock_palace(user_id)
        drawer = first_or_raise(Drawer.objects.live().filter(user_id=user_id, id=drawer_id))
        if getattr(drawer, field) is on:
            return None
        draft = Draft(drawer, now)
        draft.change([drawer], **{field: on})
        return draft.save(KINDS[field, on])


def open_secrets(user_id: UUID, drawer_id: UUID, *, on: bool) -> None:
    """Let models and programs read the secrets of a drawer, or mask them again. Only pages call this:
    programs can neither make nor undo this change."""
    Drawer.objects.live().filter(user_id=user_id, id=drawer_id).update(secrets_open=on)


def annotate(user_id: UUID, drawer_id: UUID, remark: str, now: datetime) -> ChangeSet:
    """Store an annotation of a drawer. Raises NotFound, and ChangeRefused if nothing is new."""
    with transaction.atomic():
        lock_palace(user_id)
        drawer = first_or_raise(Drawer.objects.live().filter(user_id=user_id, id=drawer_id))
        if remark == drawer.annotation:
            refuse(_("That is already your remark."))
        draft = Draft(drawer, now)
        draft.change([drawer], annotation=remark)
        return draft.save(ChangeSet.Kind.ANNOTATED)
