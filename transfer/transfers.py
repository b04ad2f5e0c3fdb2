"""Exports and restores, from request to cleanup.

A worker may be killed anywhere: an export is then written again, and a restore is one transaction
that also marks it as done. Deleting the file tells a worker to stop.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, QuerySet
from django.utils.translation import gettext_noop

from transfer.exporting.writing import Progress, record_export, write_export
from transfer.file_jobs import HEARTBEAT, Clock, check_open, create_file, open_jobs, store, work_on
from transfer.forgetting import SINCE, count_forgettings, discard_outdated, is_outdated
from transfer.importing.archives import FileRefused
from transfer.models import FILE_LIFETIME, IN_PROGRESS, Transfer
from transfer.restoring.restoring import Restored, RestoreRequest, restore

Direction, State = Transfer.Direction, Transfer.State

MAX_KEPT = 3
ALL_DONE = {"done": F("total")}
"""Progress is reported once a second, so the last report may be far from the end."""


def transfers_of(user_id: UUID) -> QuerySet[Transfer]:
    """A user's exports and restores, newest first."""
    return Transfer.objects.filter(user_id=user_id).order_by("-requested_at", "-id")


def request_export(user_id: UUID, now: datetime) -> Transfer:
    """Ask for an export in the background; returns the one in progress if there is one.

    Raises JobRefused if too much is waiting.
    """
    waiting = open_jobs(Transfer, user_id).filter(direction=Direction.EXPORT).first()
    if waiting is not None:
        return waiting
    check_open(Transfer, user_id)
    transfer = _new(user_id, Direction.EXPORT, State.WAITING, now)
    transfer.save(force_insert=True)
    return transfer


def receive_export(user_id: UUID, chunks: Iterable[bytes], now: datetime) -> Transfer:
    """Store an uploaded export, to be checked next; nothing is restored yet.

    Raises JobRefused, and then stores nothing.
    """
    check_open(Transfer, user_id)
    transfer = _new(user_id, Direction.RESTORE, State.CHECKING, now)
    store(transfer, [chunks])
    transfer.size = transfer.file.stat().st_size
    transfer.save(force_insert=True)
    return transfer


def _new(user_id: UUID, direction: str, state: str, now: datetime) -> Transfer:
    forgettings = count_forgettings(user_id, direction)
    expires_at = now + FILE_LIFETIME
    values = {"direction": direction, "state": state, "forgettings": forgettings, "expires_at": expires_at}
    return Transfer.new(user_id, now, **values)


def file_of(transfer: Transfer, now: datetime) -> Path | None:
    """The export to download; None if it is not done, expired, deleted, or older than a deletion."""
    done = (transfer.direction, transfer.state) == (Direction.EXPORT, State.DONE)
    if not done or not transfer.has_file or now >= transfer.expires_at or is_outdated(transfer):
        return None
    return transfer.file


def delete_expired(user_id: UUID, now: datetime) -> None:
    """Delete files that expired or are outdated."""
    expired = Transfer.objects.filter(user_id=user_id, expires_at__lte=now).exclude(path="")
    for transfer in expired.exclude(state__in=IN_PROGRESS):
        transfer.withdraw(gettext_noop("The file was deleted after one day."))
    discard_outdated(user_id)


def process_transfer(user_id: UUID, transfer_id: UUID, clock: Clock) -> None:
    """Write an export, check a file, or restore it, whichever a transfer waits for.

    An interrupted export is written again; a restore is one transaction that also marks it as done.
    """

    def work(transfer: Transfer) -> bool:
        transfer.in_state(*IN_PROGRESS).update(active_at=clock(), done=0)
        (_export if transfer.direction == Direction.EXPORT else _restore)(transfer, clock)
        return False

    work_on(Transfer, user_id, transfer_id, clock, work)


def _export(transfer: Transfer, clock: Clock) -> None:
    with create_file(transfer.file) as file:
        transfer.forgettings = count_forgettings(transfer.user_id, transfer.direction)
        begun = {"state": State.RUNNING, "forgettings": transfer.forgettings}
        transfer.in_state(State.WAITING, State.RUNNING).update(**begun)
        with _progress(transfer, clock) as progress:
            manifest = write_export(transfer.user_id, file, clock(), progress)
        size = file.seek(0, 2)
    now = clock()
    done = {"state": State.DONE, "size": size, "counts": manifest.counts, "finished_at": now} | ALL_DONE
    if not transfer.has_file or is_outdated(transfer):
        raise FileRefused(SINCE)
    if not transfer.in_state(State.RUNNING).update(**done, active_at=now, expires_at=now + FILE_LIFETIME):
        raise FileRefused(SINCE)
    record_export(transfer.user_id, manifest, now)
    _discard_older(transfer.user_id)


def _discard_older(user_id: UUID) -> None:
    """Keep only the newest exports, so that repeated exports do not fill the disk."""
    done = Transfer.objects.filter(user_id=user_id, direction=Direction.EXPORT, state=State.DONE)
    for older in done.exclude(path="").order_by("-finished_at", "-id")[MAX_KEPT:]:
        older.withdraw(gettext_noop("Newer exports replaced this one."))


def _restore(transfer: Transfer, clock: Clock) -> None:
    checking = transfer.state == State.CHECKING
    if not transfer.has_file:
        raise FileRefused(SINCE)
    if not checking:
        transfer.in_state(State.WAITING).update(state=State.RUNNING)

    def on_restored(restored: Restored) -> None:
        done = {"state": State.DONE, "finished_at": clock(), "path": ""}
        if not transfer.in_state(State.RUNNING).update(**done, **_result_fields(restored, clock())):
            raise FileRefused(SINCE)

    with _progress(transfer, clock) as progress:
        request = RestoreRequest(
            transfer.user_id, clock(), checking, progress=progress, on_restored=on_restored
        )
        restored = restore(request, transfer.file)
    if checking:
        fields = _result_fields(restored, clock())
        transfer.in_state(State.CHECKING).update(**fields, state=State.READY)
    else:
        transfer.discard()


def _result_fields(restored: Restored, now: datetime) -> dict[str, Any]:
    return {"counts": asdict(restored), "active_at": now} | ALL_DONE


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
            if not transfer.has_file:
                raise FileRefused(SINCE)
            with other.cursor() as cursor:
                cursor.execute(
                    "UPDATE chat_transfer SET done = %s, total = %s, active_at = %s "
                    "WHERE user_id = %s AND id = %s",
                    [done, total, last, transfer.user_id, transfer.id],
                )

        yield report
