"""Exports made before something was forgotten: they still say it, so their files are deleted.

What was forgotten is counted, not dated: a forgetting that commits while an export is being written
counts as later, whatever the clocks say.
"""

from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext_noop

from chat.transfer import Transfer
from chat.transfer_files import discard
from memory.models import ActivityEvent

Kind = ActivityEvent.Kind

SINCE = gettext_noop("Something was forgotten since this file was made, so it was deleted.")

_ERASED = Q(kind__in=(Kind.PURGED, Kind.EXPIRED))
_FORGOTTEN = _ERASED | Q(kind=Kind.DELETED) | Q(kind=Kind.DECIDED, details__action="delete")
_OUTDATED_BY = {
    Transfer.Direction.EXPORT.value: _FORGOTTEN,
    Transfer.Direction.RESTORE.value: _ERASED,
}


def forgettings(user_id: UUID, direction: str) -> int:
    """How often a person has forgotten something that a file like this must not outlive. A file to
    restore came from its owner and waits for a day only, so the trash is no reason to delete it."""
    told = ActivityEvent.objects.filter(_OUTDATED_BY[direction], user_id=user_id)
    return told.count()


def is_outdated(transfer: Transfer) -> bool:
    """Whether something was forgotten since the file was begun."""
    return forgettings(transfer.user_id, transfer.direction) > transfer.forgettings


def discard_outdated(user_id: UUID) -> int:
    """Delete the files of a person that something was forgotten since; returns how many. Whoever is
    at work on one of them stops."""
    kept = Transfer.objects.filter(user_id=user_id).exclude(name="")
    waiting = Transfer.State.WAITING, Transfer.Direction.EXPORT
    discarded = 0
    for transfer in kept:
        if (transfer.state, transfer.direction) != waiting and is_outdated(transfer):
            discard(transfer)
            _say(transfer)
            discarded += 1
    return discarded


def _say(transfer: Transfer) -> None:
    found = Transfer.objects.filter(user_id=transfer.user_id, id=transfer.id)
    found.filter(state=Transfer.State.READY).update(state=Transfer.State.FAILED)
    over = (Transfer.State.DONE, Transfer.State.FAILED)
    found.filter(state__in=over).update(name="", error=SINCE)
