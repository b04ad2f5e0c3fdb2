"""Takes back what the owner of a palace changed about its order."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from memory.arranging.drafts import put_back
from memory.arranging.places import refuse
from memory.models import ActivityEvent, PalaceEdit
from memory.placement import lock_palace

Kind = PalaceEdit.Kind

PLACES = (Kind.RENAMED, Kind.REKINDED, Kind.MERGED, Kind.MOVED)
RESTS_ON = {
    Kind.MOVED: (Kind.MERGED, Kind.MOVED),
    Kind.RENAMED: PLACES,
    Kind.REKINDED: (Kind.REKINDED, Kind.MERGED),
    Kind.MERGED: PLACES,
    Kind.ANNOTATED: (Kind.ANNOTATED,),
    Kind.PINNED: (Kind.PINNED, Kind.UNPINNED),
    Kind.UNPINNED: (Kind.PINNED, Kind.UNPINNED),
    Kind.HIDDEN: (Kind.HIDDEN, Kind.SHOWN),
    Kind.SHOWN: (Kind.HIDDEN, Kind.SHOWN),
}
"""Which later changes of the same things must be taken back before a change can be."""


class NoSuchChange(Exception):
    """There is no such change, or it was taken back already."""


def undo(user_id: UUID, batch_id: UUID, now: datetime) -> Sequence[PalaceEdit]:
    """Take back what was changed at once; what was learned since stays. Raises NoSuchChange, and
    ArrangingRefused when something was changed later that rests on it."""
    with transaction.atomic():
        lock_palace(user_id)
        edits = changes_of(user_id, batch_id)
        for edit in edits:
            _refuse_if_built_upon(edit, batch_id)
            _put_back(edit)
        standing = PalaceEdit.objects.filter(user_id=user_id, batch_id=batch_id)
        standing.update(undone_at=now)
        ActivityEvent.objects.filter(
            user_id=user_id,
            kind=ActivityEvent.Kind.ARRANGED,
            subject_id__in=_subjects(edits),
            details__batch=str(batch_id),
        ).update(undone_at=now)
    return edits


def changes_of(user_id: UUID, batch_id: UUID) -> list[PalaceEdit]:
    """What was changed at once and stands, the last first. Raises NoSuchChange."""
    found = PalaceEdit.objects.filter(user_id=user_id, batch_id=batch_id, undone_at=None)
    edits = list(found.order_by("-id"))
    if not edits:
        raise NoSuchChange
    return edits


def last_changes(user_id: UUID, place_id: UUID, most: int = 20) -> Sequence[PalaceEdit]:
    """What its owner changed about a place and did not take back, newest first."""
    edits = PalaceEdit.objects.filter(
        user_id=user_id, touched__contains=[place_id], undone_at=None, kind__in=PLACES
    )
    return list(edits.order_by("-id")[:most])


def subject_of(edit: PalaceEdit) -> tuple[str, UUID]:
    """The scope and id of what an edit concerns."""
    ids = {
        "wing": edit.wing_id,
        "room": edit.room_id,
        "closet": edit.closet_id,
        "drawer": edit.drawer_id,
    }
    return next((scope, found) for scope, found in ids.items() if found)


def _refuse_if_built_upon(edit: PalaceEdit, batch_id: UUID) -> None:
    later = PalaceEdit.objects.filter(
        user_id=edit.user_id,
        id__gt=edit.id,
        undone_at=None,
        kind__in=RESTS_ON[Kind(edit.kind)],
        touched__overlap=edit.touched,
    ).exclude(batch_id=batch_id)
    if later.exists():
        refuse(_("Something was changed after it that rests on it; take that back first."))


def _put_back(edit: PalaceEdit) -> None:
    try:
        with transaction.atomic():
            put_back(edit)
    except IntegrityError:
        refuse(_("Its old name means something else by now; merge the two instead."))


def _subjects(edits: Iterable[PalaceEdit]) -> list[UUID]:
    return [subject_of(edit)[1] for edit in edits]
