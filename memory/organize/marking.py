"""Pins drawers, marks them as sensitive, and stores their owner's annotations."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.owned import first_or_raise
from memory.models import ChangeSet, Drawer
from memory.organize.moving import Outcome, missing
from memory.organize.places import refuse
from memory.organize.recording import Draft
from memory.placement import lock_palace

KINDS = {
    ("pinned", True): ChangeSet.Kind.PINNED,
    ("pinned", False): ChangeSet.Kind.UNPINNED,
    ("sensitive", True): ChangeSet.Kind.HIDDEN,
    ("sensitive", False): ChangeSet.Kind.SHOWN,
}


def mark(user_id: UUID, drawer_ids: Sequence[UUID], field: str, *, on: bool, now: datetime) -> Outcome:
    """Pin drawers or mark them as sensitive, or undo that: `field` is pinned or sensitive.

    Reports drawers that are missing or already so.
    """
    kind = KINDS[field, on]
    with transaction.atomic():
        lock_palace(user_id)
        rows = Drawer.objects.live().filter(user_id=user_id, id__in=drawer_ids)
        found = {each.id: each for each in rows.only("user_id", "id", field)}
        left = missing(drawer_ids, found)
        left |= {each.id: _unchanged_reason(kind) for each in found.values() if getattr(each, field) is on}
        going = [each for each in found.values() if getattr(each, field) is not on]
        if not going:
            return Outcome(None, (), left)
        draft = Draft(going[0], now)
        draft.change(going, **{field: on})
        return Outcome(draft.keep(kind), tuple(each.id for each in going), left)


def open_secrets(user_id: UUID, drawer_id: UUID, *, on: bool) -> None:
    """Let models and programs read the secrets of a drawer, or mask them again. Only its owner may ask, on a
    page: this is no change that a program could make or undo."""
    Drawer.objects.live().filter(user_id=user_id, id=drawer_id).update(secrets_open=on)


def annotate(user_id: UUID, drawer_id: UUID, remark: str, now: datetime) -> ChangeSet:
    """Store an annotation of a drawer. Raises NotFound, and ArrangingRefused if nothing is new."""
    with transaction.atomic():
        lock_palace(user_id)
        drawer = first_or_raise(Drawer.objects.live().filter(user_id=user_id, id=drawer_id))
        if remark == drawer.annotation:
            refuse(_("That is already your remark."))
        draft = Draft(drawer, now)
        draft.change([drawer], annotation=remark)
        return draft.keep(ChangeSet.Kind.ANNOTATED)


def _unchanged_reason(kind: ChangeSet.Kind) -> str:
    return {
        ChangeSet.Kind.PINNED: _("It was already pinned."),
        ChangeSet.Kind.UNPINNED: _("It was not pinned."),
        ChangeSet.Kind.HIDDEN: _("It was already marked as sensitive."),
        ChangeSet.Kind.SHOWN: _("It was not marked as sensitive."),
    }[kind]
