"""Opens an export and gives its rows, after a look at everything that could be wrong with it."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import ValidationError

from chat.exporting.description import Kind
from chat.exporting.kinds import BY_NAME
from chat.exporting.manifest import LARGEST, NAME, VERSION, Manifest, Written, file_of
from chat.importing.limits import Limits
from chat.restoring.types import RestoreRefused

DAMAGED = gettext_noop("This file is damaged or incomplete. Nothing of it was restored.")
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)


class _Sips(io.RawIOBase):
    """A file that refuses huge reads, so that a zip's own list of files stays bounded."""

    def __init__(self, stream: BinaryIO, largest: int) -> None:
        super().__init__()
        self._stream = stream
        self._largest = largest

    def read(self, size: int = -1, /) -> bytes:
        """So many bytes; raises RestoreRefused when they are too many."""
        data = self._stream.read(min(size, self._largest + 1) if size >= 0 else self._largest + 1)
        if len(data) > self._largest:
            raise RestoreRefused(gettext_noop("This zip lists more files than an export can hold."))
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Move, as any file does."""
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        """Where it is, as any file says."""
        return self._stream.tell()

    def seekable(self) -> bool:
        """It is."""
        return True


@dataclass(frozen=True, slots=True)
class Archive:
    """An export whose table of contents was found in order."""

    manifest: Manifest
    opened: zipfile.ZipFile
    limits: Limits

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of row it holds, parents first."""
        names = {file.name for file in self.manifest.files}
        return tuple(kind for kind in BY_NAME.values() if file_of(kind.name) in names)

    @property
    def rows(self) -> int:
        """How many rows it says it holds."""
        return sum(file.rows for file in self.manifest.files)

    def lines(self, kind: Kind) -> Iterator[bytes]:
        """Each row of a kind as JSON. Raises RestoreRefused when the file is not what the manifest
        says."""
        said = next(file for file in self.manifest.files if file.name == file_of(kind.name))
        digest, rows = sha256(), 0
        try:
            with self.opened.open(said.name) as stream:
                while line := stream.readline(self.limits.entry_bytes):
                    digest.update(line)
                    rows += 1
                    yield _whole(line, said)
        except _DAMAGE as error:
            raise RestoreRefused(DAMAGED) from error
        if rows != said.rows or digest.hexdigest() != said.sha256:
            raise RestoreRefused(DAMAGED)


@contextmanager
def open_archive(source: Path | BinaryIO, limits: Limits) -> Iterator[Archive]:
    """The archive, readable while the context lasts. Nothing is ever unpacked to disk. Raises
    RestoreRefused when it is no export, of another version, or goes beyond the limits."""
    if isinstance(source, Path):
        with source.open("rb") as stream, open_archive(stream, limits) as archive:
            yield archive
        return
    try:
        opened = zipfile.ZipFile(_Sips(source, limits.directory_bytes))
    except _DAMAGE as error:
        raise RestoreRefused(
            gettext_noop(
                "This file is not a zip, so it is no export of Palace, or it is incomplete."
            )
        ) from error
    with opened:
        manifest = _manifest(opened)
        _check_members(opened, manifest, limits)
        yield Archive(manifest, opened, limits)


def _whole(line: bytes, said: Written) -> bytes:
    if not line.endswith(b"\n"):
        sentence = _("A row of %(file)s has no end, so nothing was restored.")
        raise RestoreRefused(sentence % {"file": said.name})
    return line[:-1]


def _manifest(opened: zipfile.ZipFile) -> Manifest:
    try:
        if opened.getinfo(NAME).file_size > LARGEST:
            raise RestoreRefused(gettext_noop("The manifest of this file is far too large."))
        manifest = Manifest.model_validate_json(opened.read(NAME))
    except KeyError as error:
        raise RestoreRefused(
            gettext_noop("This zip has no manifest.json, so it is no export of Palace.")
        ) from error
    except ValidationError as error:
        raise RestoreRefused(gettext_noop("The manifest of this file cannot be read.")) from error
    except (*_DAMAGE, RuntimeError) as error:
        raise RestoreRefused(DAMAGED) from error
    if manifest.version != VERSION:
        sentence = _("This export has format %(theirs)s; this Palace reads format %(ours)s.")
        raise RestoreRefused(sentence % {"theirs": manifest.version, "ours": VERSION})
    return manifest


def _check_members(opened: zipfile.ZipFile, manifest: Manifest, limits: Limits) -> None:
    members = opened.infolist()
    if len(members) > limits.members:
        sentence = _("This zip holds more than %(most)s files.")
        raise RestoreRefused(sentence % {"most": f"{limits.members:,}"})
    if len({member.filename for member in members}) < len(members):
        raise RestoreRefused(gettext_noop("This zip holds two files of the same name."))
    for member in members:
        path = PurePosixPath(member.orig_filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
            raise RestoreRefused(gettext_noop("This zip names files outside its own folder."))
        if member.flag_bits & 1:
            raise RestoreRefused(gettext_noop("This zip is locked with a password."))
    _check_files(opened, manifest, limits)


def _check_files(opened: zipfile.ZipFile, manifest: Manifest, limits: Limits) -> None:
    names = [file.name for file in manifest.files]
    known = {file_of(name) for name in BY_NAME}
    if len(set(names)) < len(names) or not set(names) <= known:
        raise RestoreRefused(
            gettext_noop("The manifest names files that this Palace does not know.")
        )
    if sum(file.bytes for file in manifest.files) > limits.total_bytes:
        sentence = _("Unpacked, this file is larger than %(most)s GB.")
        raise RestoreRefused(sentence % {"most": f"{limits.total_bytes / 1024**3:.3g}"})
    for file in manifest.files:
        _check_size(opened, file, limits)


def _check_size(opened: zipfile.ZipFile, file: Written, limits: Limits) -> None:
    try:
        member = opened.getinfo(file.name)
    except KeyError as error:
        raise RestoreRefused(DAMAGED) from error
    if member.file_size != file.bytes:
        raise RestoreRefused(DAMAGED)
    packed = max(member.compress_size, 1)
    if file.bytes > limits.ratio_matters_from and file.bytes > limits.ratio * packed:
        raise RestoreRefused(gettext_noop("This zip unpacks to far more than an export can hold."))
