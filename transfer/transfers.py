"""Exports and restores, from request to cleanup.

A worker may be killed anywhere: an export is then written again, and a restore is one transaction
that also marks it as done. Deleting the file tells a worker to stop.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from uuid_utils.compat import uuid7

from transfer.exporting.writing import record_export, write_export
from transfer.forgetting import SINCE, count_forgettings, discard_outdated, is_outdated
from transfer.imports import Clock, StorageFailed, sole_importer
from transfer.models import (
    FILE_LIFETIME,
    IN_PROGRESS,
    OPEN,
    UNDO_PERIOD,
    Transfer,
    create_file,
    delete_strays,
    folder_of,
)
from transfer.restoring.archives import RestoreRefused
from transfer.restoring.restoring import Progress, Restored, RestoreRequest, restore

Direction, State = Transfer.Direction, Transfer.State

STALLED_AFTER = timedelta(seconds=30)
HEARTBEAT = timedelta(seconds=1)
MAX_WAITING = 3
MAX_ATTEMPTS = 3
MAX_KEPT = 3
ALL_DONE = {"done": F("total")}
"""Progress is reported once a second, so the last report may be far from the end."""


class TransferRefused(Exception):
    """The transfer cannot be started; the message is shown to the user."""


class TransferStopped(Exception):
    """Its owner stopped the transfer, or something was forgotten meanwhile; it is rolled back."""


def transfers_of(user_id: UUID) -> QuerySet[Transfer]:
    """A user's exports and restores, newest first."""
    visible = Transfer.objects.filter(user_id=user_id, dropped_at=None)
    return visible.order_by("-requested_at", "-id")


def request_export(user_id: UUID, now: datetime) -> Transfer:
    """Ask for an export in the background; returns the one in progress if there is one.

    Raises TransferRefused if too much is waiting.
    """
    waiting = transfers_of(user_id).filter(direction=Direction.EXPORT, state__in=IN_PROGRESS).first()
    if waiting is not None:
        return waiting
    _check_waiting(user_id)
    return Transfer.objects.create(**_initial_values(user_id, Direction.EXPORT, now), state=State.WAITING)


def receive_export(user_id: UUID, chunks: Iterable[bytes], now: datetime) -> Transfer:
    """Store an uploaded export, to be checked next; nothing is restored yet.

    Raises TransferRefused or StorageFailed, and then stores nothing.
    """
    _check_waiting(user_id)
    transfer = Transfer(**_initial_values(user_id, Direction.RESTORE, now), state=State.CHECKING)
    try:
        with create_file(transfer.file, transfer.user_id) as file:
            file.writelines(chunks)
            transfer.size = file.tell()
    except OSError as error:
        transfer.discard()
        raise StorageFailed(error) from error
    transfer.save(force_insert=True)
    return transfer


def begin_restore(transfer: Transfer, now: datetime) -> bool:
    """Start restoring a checked file; False if it was not waiting for that."""
    begun = {"state": State.WAITING, "active_at": now, "attempts": 0}
    return bool(transfer.in_state(State.READY).update(**begun))


def stop(transfer: Transfer) -> bool:
    """Stop an unfinished transfer and delete its file; its worker leaves nothing behind. False if it
    is finished: what was restored stays restored."""
    stopped, _ = transfer.in_state(*OPEN).delete()
    if stopped:
        transfer.discard()
    return bool(stopped)


def drop(transfer: Transfer) -> bool:
    """Delete a finished transfer with its file; False if it is not finished."""
    dropped, _ = transfer.in_state(State.DONE, State.FAILED).delete()
    if dropped:
        transfer.discard()
    return bool(dropped)


def hide_transfer(transfer: Transfer, now: datetime) -> bool:
    """Hide a finished transfer; `undo_hide` shows it again for an hour, then it is deleted
    with its file. False if it is not finished."""
    return bool(transfer.in_state(State.DONE, State.FAILED).update(dropped_at=now))


def undo_hide(user_id: UUID, transfer_id: UUID) -> bool:
    """Show a hidden transfer again; also true if it was not hidden. False if it is gone."""
    rows = Transfer.objects.filter(user_id=user_id, id=transfer_id)
    return bool(rows.update(dropped_at=None))


def file_of(transfer: Transfer, now: datetime) -> Path | None:
    """The export to download; None if it is not done, expired, deleted, or older than a deletion."""
    done = (transfer.direction, transfer.state) == (Direction.EXPORT, State.DONE)
    if not done or not transfer.name or now >= transfer.expires_at or is_outdated(transfer):
        return None
    path = transfer.file
    return path if path.is_file() else None


def stalled_transfers(user_id: UUID, now: datetime) -> list[UUID]:
    """Transfers waiting for a worker, or whose worker has stalled."""
    waiting = transfers_of(user_id).filter(state__in=IN_PROGRESS, active_at__lte=now - STALLED_AFTER)
    return list(waiting.values_list("id", flat=True))


def clean_up_transfers(user_id: UUID, now: datetime) -> None:
    """Delete files that expired, were deleted an hour ago, are outdated, or belong to no transfer."""
    every = Transfer.objects.filter(user_id=user_id)
    for transfer in every.filter(dropped_at__lte=now - UNDO_PERIOD):
        drop(transfer)
    kept = every.exclude(name="")
    for transfer in kept.filter(expires_at__lte=now).exclude(state__in=IN_PROGRESS):
        transfer.discard()
        transfer.in_state(State.READY).update(
            state=State.FAILED, error=gettext_noop("Exports are deleted after one day.")
        )
        transfer.in_state(State.DONE, State.FAILED).update(name="")
    discard_outdated(user_id)
    delete_strays(folder_of(user_id), set(kept.values_list("name", flat=True)), now)


def _initial_values(user_id: UUID, direction: str, now: datetime) -> dict[str, object]:
    transfer_id = uuid7()
    return {
        "user_id": user_id,
        "id": transfer_id,
        "direction": direction,
        "name": transfer_id.hex,
        "forgettings": count_forgettings(user_id, direction),
        "requested_at": now,
        "active_at": now,
        "expires_at": now + FILE_LIFETIME,
    }


def _check_waiting(user_id: UUID) -> None:
    if transfers_of(user_id).filter(state__in=OPEN).count() >= MAX_WAITING:
        sentence = _("%(count)s files are already waiting. Finish one of them first.")
        raise TransferRefused(sentence % {"count": MAX_WAITING})


def process_transfer(user_id: UUID, transfer_id: UUID, clock: Clock) -> None:
    """Do what a transfer is waiting for.

    Does nothing if it waits for its owner, is gone, or another process works on it.
    """
    with sole_importer(transfer_id) as locked:
        transfer = Transfer.objects.filter(user_id=user_id, id=transfer_id).first()
        if not locked or transfer is None or transfer.state not in IN_PROGRESS:
            return
        begun = {"attempts": F("attempts") + 1, "active_at": clock(), "done": 0}
        transfer.in_state(*IN_PROGRESS).update(**begun)
        if transfer.attempts >= MAX_ATTEMPTS:
            sentence = gettext_noop("This server was interrupted too many times.")
            _fail(transfer, sentence, clock())
            return
        try:
            work = _export if transfer.direction == Direction.EXPORT else _restore
            work(transfer, clock)
        except TransferStopped:
            _fail(transfer, SINCE, clock())
        except RestoreRefused as error:
            _fail(transfer, str(error), clock())
        except OSError as error:
            sentence = _("This server cannot store or read the file: %(why)s.")
            _fail(transfer, sentence % {"why": error.strerror}, clock())


def _export(transfer: Transfer, clock: Clock) -> None:
    with create_file(transfer.file, transfer.user_id) as file:
        transfer.forgettings = count_forgettings(transfer.user_id, transfer.direction)
        begun = {"state": State.RUNNING, "forgettings": transfer.forgettings}
        transfer.in_state(State.WAITING, State.RUNNING).update(**begun)
        with _progress(transfer, clock) as progress:
            manifest = write_export(transfer.user_id, file, clock(), progress)
        size = file.seek(0, 2)
    now = clock()
    done = {"state": State.DONE, "size": size, "counts": manifest.counts, "finished_at": now} | ALL_DONE
    if not _has_file(transfer) or is_outdated(transfer):
        raise TransferStopped
    if not transfer.in_state(State.RUNNING).update(**done, active_at=now, expires_at=now + FILE_LIFETIME):
        raise TransferStopped
    record_export(transfer.user_id, manifest, now)
    _discard_older(transfer.user_id)


def _discard_older(user_id: UUID) -> None:
    """Keep only the newest exports, so that repeated exports do not fill the disk."""
    done = Transfer.objects.filter(user_id=user_id, direction=Direction.EXPORT, state=State.DONE)
    for older in done.exclude(name="").order_by("-finished_at", "-id")[MAX_KEPT:]:
        older.discard()
        older.in_state(State.DONE).update(name="")


def _restore(transfer: Transfer, clock: Clock) -> None:
    checking = transfer.state == State.CHECKING
    if not _has_file(transfer):
        raise TransferStopped
    if not checking:
        transfer.in_state(State.WAITING).update(state=State.RUNNING)

    def on_restored(restored: Restored) -> None:
        done = {"state": State.DONE, "finished_at": clock(), "name": ""}
        if not transfer.in_state(State.RUNNING).update(**done, **_result_fields(restored, clock())):
            raise TransferStopped

    with _progress(transfer, clock) as progress:
        request = RestoreRequest(
            transfer.user_id, clock(), checking, progress=progress, on_restored=on_restored
        )
        restored = restore(request, transfer.file)
    if checking:
        fields = _result_fields(restored, clock())
        transfer.in_state(State.CHECKING).update(**fields, state=State.READY, attempts=0)
    else:
        transfer.discard()


def _result_fields(restored: Restored, now: datetime) -> dict[str, Any]:
    return {"counts": asdict(restored), "active_at": now} | ALL_DONE


def _fail(transfer: Transfer, error: str, now: datetime) -> None:
    transfer.discard()
    ended = {"state": State.FAILED, "error": error[:300], "finished_at": now, "name": ""}
    transfer.in_state(*IN_PROGRESS).update(**ended, active_at=now)


@contextmanager
def _progress(transfer: Transfer, clock: Clock) -> Iterator[Progress]:
    """Report progress on a separate connection, because the work itself is one transaction."""
    last = clock() - HEARTBEAT
    with closing(connection.copy()) as other:

        def report(done: int, total: int) -> None:
            nonlocal last
            if clock() - last < HEARTBEAT:
                return
            last = clock()
            if not _has_file(transfer):
                raise TransferStopped
            with other.cursor() as cursor:
                cursor.execute(
                    "UPDATE chat_transfer SET done = %s, total = %s, active_at = %s "
                    "WHERE user_id = %s AND id = %s",
                    [done, total, last, transfer.user_id, transfer.id],
                )

        yield report


def _has_file(transfer: Transfer) -> bool:
    """False once the file was deleted; workers stop when they see it."""
    return bool(transfer.name) and transfer.file.is_file()
