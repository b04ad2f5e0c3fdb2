"""Where exports and files to restore lie: in a folder of their owner that no address leads to, and
that only this server's account can read."""

import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.conf import settings

from chat.transfer import Transfer

LEFT_BEHIND = timedelta(hours=1)


def folder_of(user_id: UUID) -> Path:
    """The folder of one person's files, below that of their uploads."""
    return Path(settings.MEDIA_ROOT) / str(user_id) / "transfers"


def path_of(transfer: Transfer) -> Path:
    """Where the file of a transfer lies, if it is there."""
    return folder_of(transfer.user_id) / transfer.name


def make(transfer: Transfer) -> BinaryIO:
    """A new, empty file for a transfer, to be written."""
    path = path_of(transfer)
    for folder in (path.parent.parent, path.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    return os.fdopen(descriptor, "w+b")


def keep(transfer: Transfer, chunks: Iterable[bytes]) -> int:
    """Keep an upload; returns its size in bytes."""
    with make(transfer) as file:
        file.writelines(chunks)
        return file.tell()


def is_there(transfer: Transfer) -> bool:
    """Whether the file was not deleted, by which whoever is at work on it is told to stop."""
    return bool(transfer.name) and path_of(transfer).is_file()


def discard(transfer: Transfer) -> None:
    """Delete the file; what cannot be deleted now is tidied away later."""
    if transfer.name:
        with suppress(OSError):
            path_of(transfer).unlink(missing_ok=True)


def discard_strays(user_id: UUID, needed: frozenset[str], now: datetime) -> None:
    """Delete a person's files that are not among those needed, once they are an hour old."""
    folder = folder_of(user_id)
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.name not in needed and path.stat().st_mtime < (now - LEFT_BEHIND).timestamp():
            path.unlink(missing_ok=True)
