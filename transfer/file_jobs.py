"""What imports, exports and restores have in common: their files, and the workers on them.

A worker may be killed anywhere: the sweep finds the job again once it has been silent for a while, and only
one process at a time works on a job.
"""

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from io import BufferedRandom, FileIO
from pathlib import Path
from tempfile import gettempdir
from typing import Any, BinaryIO, TypeVar
from uuid import UUID

from django.conf import settings
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from memory import locks
from transfer.importing.archives import FileRefused
from transfer.models import IN_PROGRESS, OPEN, FileJob, ImportRun, Transfer

AnyJob = TypeVar("AnyJob", bound=FileJob)
Clock = Callable[[], datetime]

HEARTBEAT = timedelta(seconds=1)
MAX_ATTEMPTS = 3
STALLED_AFTER = timedelta(seconds=30)
STRAY_AGE = timedelta(hours=1)
WRITE_BUFFER_BYTES = 1024**2

_INTERRUPTED = gettext_noop("This server was interrupted too many times.")
_IS_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class JobRefused(Exception):
    """The server does not accept the file or the request; the message is shown to the user."""


class StorageFailed(JobRefused):
    """The file cannot be stored, for example because the disk is nearly full."""

    def __init__(self, error: OSError) -> None:
        super().__init__(_("This server cannot store the file: %(why)s.") % {"why": error.strerror})


class JobTakenOver(Exception):
    """The job has ended, or another worker continues it; this step was rolled back."""


def has_disk_space(size: int, spooled: int = 0) -> bool:
    """Whether the disk of these files keeps PALACE_MIN_FREE_MB free after `size` more bytes, and the disk of
    temporary files has room for `spooled` bytes."""
    home = Path(settings.MEDIA_ROOT)
    folder = next(each for each in (home, *home.parents) if each.is_dir())
    if spooled and shutil.disk_usage(gettempdir()).free < spooled:
        return False
    return shutil.disk_usage(folder).free - size >= settings.MIN_FREE_MB * 1024**2


class _LimitedFile(FileIO):
    """A file that checks for free disk space before each write."""

    def write(self, data: Any, /) -> int:
        _check_disk_space(len(data))
        return super().write(data)


def create_file(path: Path) -> BinaryIO:
    """A new, empty file in a user's folder that only this server's account can read.

    Raises OSError, also if the disk is nearly full; so does writing to it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    _check_disk_space(0)
    path.unlink(missing_ok=True)
    file = _LimitedFile(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+")
    return BufferedRandom(file, WRITE_BUFFER_BYTES)


def _check_disk_space(size: int) -> None:
    if not has_disk_space(size):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def folder_of(user_id: UUID) -> Path:
    """The folder of a user's uploads and exports, which no URL leads to."""
    return Path(settings.MEDIA_ROOT) / str(user_id)


def owners_of_files() -> set[UUID]:
    """The users who have uploaded or exported files."""
    home = Path(settings.MEDIA_ROOT)
    names = {path.relative_to(home).parts[0] for path in home.glob("*/**/*") if path.is_file()}
    return {UUID(name) for name in names if _IS_ID.fullmatch(name)}


def delete_strays(user_id: UUID, now: datetime) -> None:
    """Delete files that belong to no job, once they are an hour old."""
    jobs = (*_with_file(ImportRun, user_id), *_with_file(Transfer, user_id))
    needed = {file for job in jobs for file in job.files()}
    for path in folder_of(user_id).rglob("*"):
        old = path.is_file() and path.stat().st_mtime < (now - STRAY_AGE).timestamp()
        if old and path not in needed:
            path.unlink(missing_ok=True)


def open_jobs(kind: type[AnyJob], user_id: UUID) -> QuerySet[AnyJob]:
    """A user's unfinished jobs with a file, oldest first."""
    return _with_file(kind, user_id).filter(state__in=OPEN).order_by("requested_at", "id")


def _with_file(kind: type[AnyJob], user_id: UUID) -> QuerySet[AnyJob]:
    return kind._default_manager.filter(user_id=user_id).exclude(path="")


def check_open(kind: type[FileJob], user_id: UUID) -> None:
    """Raise JobRefused if too many jobs are unfinished."""
    if open_jobs(kind, user_id).count() >= kind.MAX_OPEN:
        sentence = _("%(count)s files are already waiting. Finish or cancel one of them first.")
        raise JobRefused(sentence % {"count": kind.MAX_OPEN})


def store(job: FileJob, uploads: Iterable[Iterable[bytes]]) -> None:
    """Write the files of an upload. Raises StorageFailed; then nothing of it is kept."""
    try:
        for number, chunks in enumerate(uploads):
            path = job.file.with_name(f"{job.file.name}.{number}") if number else job.file
            with create_file(path) as file:
                file.writelines(chunks)
    except OSError as error:
        job.discard()
        raise StorageFailed(error) from error


def sole_worker(job_id: UUID) -> AbstractContextManager[bool]:
    """Whether this process now has the job to itself. A killed process releases it."""
    return locks.try_lock(job_id, locks.IMPORTING)


def work_on(
    kind: type[AnyJob], user_id: UUID, job_id: UUID, clock: Clock, work: Callable[[AnyJob], bool]
) -> bool:
    """Let `work` do what a job waits for, and record why it failed; returns whether more is left to do.

    Does nothing if the job waits for its owner, is gone, or another process works on it. A job that was
    interrupted MAX_ATTEMPTS times in a row fails.
    """
    with sole_worker(job_id) as locked:
        job = _with_file(kind, user_id).filter(id=job_id, state__in=IN_PROGRESS).first()
        if not locked or job is None:
            return False
        try:
            return _attempt(job, work)
        except JobTakenOver:
            return False
        except FileRefused as error:
            job.fail(str(error), clock())
        except OSError as error:
            sentence = _("This server cannot store or read the file: %(why)s.")
            job.fail(sentence % {"why": error.strerror}, clock())
    return False


def _attempt(job: AnyJob, work: Callable[[AnyJob], bool]) -> bool:
    """Do the work unless it was interrupted too often. Raises FileRefused and what the work raises."""
    job.in_state(*IN_PROGRESS).update(attempts=F("attempts") + 1)
    if job.attempts >= MAX_ATTEMPTS:
        raise FileRefused(_INTERRUPTED)
    is_left = work(job)
    job.in_state(*OPEN).update(attempts=0)
    return is_left


def stalled(kind: type[FileJob], user_id: UUID, now: datetime) -> list[FileJob]:
    """Jobs that wait for a worker, or whose worker has stalled."""
    silent = open_jobs(kind, user_id).filter(active_at__lte=now - STALLED_AFTER)
    return list(silent.exclude(state=FileJob.State.READY))
