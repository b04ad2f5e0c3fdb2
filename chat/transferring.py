"""Does what a transfer waits for: writes an export, looks a file through, or restores it.

A worker may be killed anywhere: an export is then written anew, and a restore is one transaction
that also says that it is done. Deleting the file tells a worker to stop.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat.exporting.manifest import Manifest
from chat.exporting.rows import Scope
from chat.exporting.writing import note_export, write_export
from chat.importer import Clock, sole_importer
from chat.outdated import SINCE, forgettings, is_outdated
from chat.restoring.restoring import restore
from chat.restoring.types import Progress, Restored, RestoreRefused, Wanted
from chat.transfer import AT_WORK, KEPT, Transfer, in_state
from chat.transfer_files import discard, is_there, make, path_of

Direction, State = Transfer.Direction, Transfer.State

SIGN_OF_LIFE = timedelta(seconds=1)
MOST_ATTEMPTS = 3
MOST_KEPT = 3


class Stopped(Exception):
    """Its owner gave it up, or something was forgotten meanwhile; nothing of it is kept."""


def attend_transfer(user_id: UUID, transfer_id: UUID, clock: Clock) -> None:
    """Do what a transfer waits for.

    Does nothing when it waits for its owner, is gone, or another process is at work on it.
    """
    with sole_importer(transfer_id) as alone:
        transfer = Transfer.objects.filter(user_id=user_id, id=transfer_id).first()
        if not alone or transfer is None or transfer.state not in AT_WORK:
            return
        begun = {"attempts": F("attempts") + 1, "active_at": clock(), "done": 0}
        in_state(transfer, *AT_WORK).update(**begun)
        if transfer.attempts >= MOST_ATTEMPTS:
            _fail(
                transfer,
                gettext_noop("This server stopped in the middle of it too often."),
                clock(),
            )
            return
        try:
            _export(transfer, clock) if _is_export(transfer) else _restore(transfer, clock)
        except Stopped:
            _fail(transfer, SINCE, clock())
        except RestoreRefused as error:
            _fail(transfer, str(error), clock())
        except OSError as error:
            sentence = _("This server cannot keep or read the file: %(why)s.")
            _fail(transfer, sentence % {"why": error.strerror}, clock())


def _is_export(transfer: Transfer) -> bool:
    return transfer.direction == Direction.EXPORT


def _export(transfer: Transfer, clock: Clock) -> None:
    scope = Scope(transfer.user_id, transfer.wing_id)
    with make(transfer) as file:
        transfer.forgettings = forgettings(transfer.user_id, transfer.direction)
        begun = {"state": State.RUNNING, "forgettings": transfer.forgettings}
        in_state(transfer, State.WAITING, State.RUNNING).update(**begun)
        with _progress(transfer, clock) as progress:
            manifest = write_export(scope, file, clock(), progress)
        size = file.seek(0, 2)
    now = clock()
    done = {"state": State.DONE, "size": size, "counts": _held(manifest), "finished_at": now}
    if not is_there(transfer) or is_outdated(transfer):
        raise Stopped
    if not in_state(transfer, State.RUNNING).update(**done, active_at=now, expires_at=now + KEPT):
        raise Stopped
    note_export(scope, manifest, now)
    _discard_older(transfer.user_id)


def _discard_older(user_id: UUID) -> None:
    """Only the newest few exports are kept, so that asking again and again fills no disk."""
    done = Transfer.objects.filter(user_id=user_id, direction=Direction.EXPORT, state=State.DONE)
    for older in done.exclude(name="").order_by("-finished_at", "-id")[MOST_KEPT:]:
        discard(older)
        in_state(older, State.DONE).update(name="")


def _restore(transfer: Transfer, clock: Clock) -> None:
    checking = transfer.state == State.CHECKING
    if not is_there(transfer):
        raise Stopped
    if not checking:
        in_state(transfer, State.WAITING).update(state=State.RUNNING)

    def agree(restored: Restored) -> None:
        done = {"state": State.DONE, "finished_at": clock(), "name": ""}
        if not in_state(transfer, State.RUNNING).update(**done, **_came(restored, clock())):
            raise Stopped

    with _progress(transfer, clock) as progress:
        wanted = Wanted(transfer.user_id, clock(), checking, progress=progress, agree=agree)
        restored = restore(wanted, path_of(transfer))
    if checking:
        came = _came(restored, clock())
        in_state(transfer, State.CHECKING).update(**came, state=State.READY, attempts=0)
    else:
        discard(transfer)


def _came(restored: Restored, now: datetime) -> dict[str, Any]:
    return {"counts": asdict(restored), "active_at": now}


def _fail(transfer: Transfer, error: str, now: datetime) -> None:
    discard(transfer)
    ended = {"state": State.FAILED, "error": error[:300], "finished_at": now, "name": ""}
    in_state(transfer, *AT_WORK).update(**ended, active_at=now)


@contextmanager
def _progress(transfer: Transfer, clock: Clock) -> Iterator[Progress]:
    """Says how far it is on a connection of its own, because the work itself is one transaction."""
    last = clock() - SIGN_OF_LIFE
    with closing(connection.copy()) as other:

        def tell(done: int, total: int) -> None:
            nonlocal last
            if clock() - last < SIGN_OF_LIFE:
                return
            last = clock()
            if not is_there(transfer):
                raise Stopped
            with other.cursor() as cursor:
                cursor.execute(
                    "UPDATE chat_transfer SET done = %s, total = %s, active_at = %s "
                    "WHERE user_id = %s AND id = %s",
                    [done, total, last, transfer.user_id, transfer.id],
                )

        yield tell


def _held(manifest: Manifest) -> dict[str, int]:
    return {Path(file.name).stem: file.rows for file in manifest.files if file.rows}
