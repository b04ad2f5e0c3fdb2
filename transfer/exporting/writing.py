"""Writes an export: the rows of each kind, pages to read, and a manifest.

The same state gives the same bytes, except for the date in the manifest: rows are ordered, and files
in the archive have a fixed date.
"""

import zipfile
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from pathlib import PurePosixPath
from typing import IO, Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from memory.changes.activity import record
from memory.models import ActivityEvent
from transfer.exporting.kinds import KINDS, LEFT_OUT, Kind, consistent_snapshot, count_of, lines_of
from transfer.exporting.markdown import pages

VERSION = 1
MANIFEST_NAME = "manifest.json"
MAX_MANIFEST_BYTES = 1024 * 1024

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Path = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=0, lt=2**53)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FileEntry(_Strict):
    """A file of the archive: its number of rows (none for pages), its size once
    unpacked, and the SHA-256 of that."""

    name: Path
    rows: Count
    bytes: Count
    sha256: Digest


class OmittedTable(_Strict):
    """A table that an export leaves out, and why."""

    what: str
    why: str


class Manifest(_Strict):
    """The manifest. `made_at` is the only value that differs between two exports of the same state.

    `scope` is `wing` in exports of a single wing by earlier versions."""

    format: Literal["palace-export"]
    version: int
    made_at: AwareDatetime
    scope: Literal["everything", "wing"] = "everything"
    files: Annotated[tuple[FileEntry, ...], Field(max_length=len(KINDS) + 20)]
    reading: Count = 0
    left_out: tuple[OmittedTable, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many rows there are of each kind that has any."""
        return {PurePosixPath(file.name).stem: file.rows for file in self.files if file.rows}


def file_of(kind_name: str) -> str:
    """The path of a kind's rows in the archive."""
    return f"data/{kind_name}.jsonl"


Progress = Callable[[int, int], None]

FIRST_DAY = (1980, 1, 1, 0, 0, 0)
PROGRESS_EVERY = 1000


def write_export(
    user_id: UUID, out: IO[bytes], now: datetime, progress: Progress = lambda done, total: None
) -> Manifest:
    """Write the archive to a seekable file and return its manifest.

    `progress` gets the rows written and their total. Memory use does not grow with the palace.
    Runs inside the tenant and, for a consistent snapshot, outside of a transaction.
    """
    with consistent_snapshot(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        total = sum(count_of(kind, user_id) for kind in KINDS)
        files: list[FileEntry] = []
        for kind in KINDS:
            before = sum(file.rows for file in files)
            files.append(_write_rows(archive, kind, user_id, _offset_progress(progress, before, total)))
        reading = _write_pages(archive, user_id)
        manifest = Manifest(
            format="palace-export",
            version=VERSION,
            made_at=now,
            files=tuple(files),
            reading=reading,
            left_out=tuple(OmittedTable(what=what, why=why) for what, why in LEFT_OUT.items()),
        )
        archive.writestr(_entry(MANIFEST_NAME), manifest.model_dump_json(indent=1) + "\n")
    return manifest


def record_export(user_id: UUID, manifest: Manifest, now: datetime) -> None:
    """Record the export as an activity event."""
    record(user_id, ActivityEvent.Kind.EXPORTED, {"counts": manifest.counts}, now)


def _offset_progress(progress: Progress, before: int, total: int) -> Callable[[int], None]:
    return lambda rows: progress(before + rows, total)


def _write_rows(
    archive: zipfile.ZipFile, kind: Kind, user_id: UUID, progress: Callable[[int], None]
) -> FileEntry:
    name, digest, size, rows = file_of(kind.name), sha256(), 0, 0
    with archive.open(_entry(name), "w", force_zip64=True) as file:
        for line in lines_of(kind, user_id):
            piece = f"{line}\n".encode()
            file.write(piece)
            digest.update(piece)
            size, rows = size + len(piece), rows + 1
            if rows % PROGRESS_EVERY == 0:
                progress(rows)
    progress(rows)
    return FileEntry(name=name, rows=rows, bytes=size, sha256=digest.hexdigest())


def _write_pages(archive: zipfile.ZipFile, user_id: UUID) -> int:
    count = 0
    for path, text in pages(user_id):
        with archive.open(_entry(path), "w", force_zip64=True) as file:
            file.writelines(piece.encode() for piece in text)
        count += 1
    return count


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, FIRST_DAY)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry
