"""Exports and restores that people ask for on a page: ask, bring, decide, fetch, stop, tidy up."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from uuid_utils.compat import uuid7

from chat.outdated import discard_outdated, forgettings, is_outdated
from chat.transfer import AT_WORK, DROPPED_FOR, KEPT, OPEN, Transfer, in_state
from chat.transfer_files import discard, discard_strays, keep, path_of
from memory.models import Wing

Direction, State = Transfer.Direction, Transfer.State

SILENT = timedelta(seconds=30)
MOST_WAITING = 3


class TransferRefused(Exception):
    """It cannot be begun now; the message is a sentence for the person."""


def transfers_of(user_id: UUID) -> QuerySet[Transfer]:
    """A person's exports and restores, the newest first."""
    standing = Transfer.objects.filter(user_id=user_id, dropped_at=None)
    return standing.order_by("-asked_at", "-id")


def ask_export(user_id: UUID, now: datetime, wing_id: UUID | None = None) -> Transfer:
    """An export to be made in the background; the one under way if the same was asked for already.
    Raises TransferRefused when there is no such wing or too much is waiting."""
    if wing_id and not Wing.objects.filter(user_id=user_id, id=wing_id).exists():
        raise TransferRefused(_("There is no such wing."))
    waiting = transfers_of(user_id).filter(direction=Direction.EXPORT, state__in=AT_WORK)
    same = waiting.filter(wing_id=wing_id).first()
    if same is not None:
        return same
    _refuse_too_many(user_id)
    return Transfer.objects.create(
        **_new(user_id, Direction.EXPORT, now), state=State.WAITING, wing_id=wing_id
    )


def receive_export(user_id: UUID, chunks: Iterable[bytes], now: datetime) -> Transfer:
    """Keep an uploaded export, to be looked through next; nothing of it is restored yet.

    Raises TransferRefused with a sentence; then nothing of it is kept.
    """
    _refuse_too_many(user_id)
    transfer = Transfer(**_new(user_id, Direction.RESTORE, now), state=State.CHECKING)
    try:
        transfer.size = keep(transfer, chunks)
    except OSError as error:
        discard(transfer)
        sentence = _("This server cannot keep the file: %(why)s.") % {"why": error.strerror}
        raise TransferRefused(sentence) from error
    transfer.save(force_insert=True)
    return transfer


def begin_restore(transfer: Transfer, now: datetime) -> bool:
    """Let a file that was looked through be restored; False when it was not at that point."""
    begun = {"state": State.WAITING, "active_at": now, "attempts": 0}
    return bool(in_state(transfer, State.READY).update(**begun))


def stop(transfer: Transfer) -> bool:
    """Give up what is not over yet, and delete its file; whoever is at work on it stops and leaves
    nothing behind. False when it is over: what was restored stays restored."""
    stopped, _ = in_state(transfer, *OPEN).delete()
    if stopped:
        discard(transfer)
    return bool(stopped)


def drop(transfer: Transfer) -> bool:
    """Delete what is over from the list, with its file; False while it is not over."""
    dropped, _ = in_state(transfer, State.DONE, State.FAILED).delete()
    if dropped:
        discard(transfer)
    return bool(dropped)


def throw_away(transfer: Transfer, now: datetime) -> bool:
    """Take what is over off the list; for an hour `take_back` brings it again, then it is deleted
    with its file. False while it is not over."""
    return bool(in_state(transfer, State.DONE, State.FAILED).update(dropped_at=now))


def take_back(user_id: UUID, transfer_id: UUID) -> bool:
    """Put back what was thrown away, as it was; also true when it was put back before. False when
    it is gone."""
    rows = Transfer.objects.filter(user_id=user_id, id=transfer_id)
    return bool(rows.update(dropped_at=None))


def file_of(transfer: Transfer, now: datetime) -> Path | None:
    """The export to be fetched; None when it is not done, too old, deleted, or made before something
    was forgotten."""
    done = (transfer.direction, transfer.state) == (Direction.EXPORT, State.DONE)
    if not done or not transfer.name or now >= transfer.expires_at or is_outdated(transfer):
        return None
    path = path_of(transfer)
    return path if path.is_file() else None


def unattended_transfers(user_id: UUID, now: datetime) -> list[UUID]:
    """Transfers that wait for a worker, or whose worker gives no sign of life."""
    waiting = transfers_of(user_id).filter(state__in=AT_WORK, active_at__lte=now - SILENT)
    return list(waiting.values_list("id", flat=True))


def tidy_transfers(user_id: UUID, now: datetime) -> None:
    """Delete files that are a day old, that were thrown away an hour ago, that something was
    forgotten since, or that nothing needs."""
    every = Transfer.objects.filter(user_id=user_id)
    for transfer in every.filter(dropped_at__lte=now - DROPPED_FOR):
        drop(transfer)
    kept = every.exclude(name="")
    for transfer in kept.filter(expires_at__lte=now).exclude(state__in=AT_WORK):
        discard(transfer)
        in_state(transfer, State.READY).update(
            state=State.FAILED, error=gettext_noop("It was kept for a day.")
        )
        in_state(transfer, State.DONE, State.FAILED).update(name="")
    discard_outdated(user_id)
    discard_strays(user_id, frozenset(kept.values_list("name", flat=True)), now)


def _new(user_id: UUID, direction: str, now: datetime) -> dict[str, object]:
    transfer_id = uuid7()
    return {
        "user_id": user_id,
        "id": transfer_id,
        "direction": direction,
        "name": transfer_id.hex,
        "forgettings": forgettings(user_id, direction),
        "asked_at": now,
        "active_at": now,
        "expires_at": now + KEPT,
    }


def _refuse_too_many(user_id: UUID) -> None:
    if transfers_of(user_id).filter(state__in=OPEN).count() >= MOST_WAITING:
        sentence = _("%(count)s files are waiting already. Finish one of them first.")
        raise TransferRefused(sentence % {"count": MOST_WAITING})
