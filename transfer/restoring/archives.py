"""Opens an export, validates its structure, and yields its rows."""

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import ValidationError

from transfer.exporting.kinds import KINDS, Kind
from transfer.exporting.writing import (
    MANIFEST_NAME,
    MAX_MANIFEST_BYTES,
    VERSION,
    FileEntry,
    Manifest,
    file_of,
)
from transfer.importing.archives import (
    DAMAGE,
    BoundedReader,
    ImportUnreadable,
    Limits,
    check_member_names,
    check_member_sizes,
)

DAMAGED = gettext_noop("This file is damaged or incomplete. Nothing was restored.")
_FILES = frozenset(file_of(kind.name) for kind in KINDS)


class RestoreRefused(Exception):
    """Nothing of the file is restored; the message is shown to the user."""


@dataclass(frozen=True, slots=True)
class Archive:
    """An export whose table of contents was checked."""

    manifest: Manifest
    opened: zipfile.ZipFile
    limits: Limits

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Its kinds of row, parents first."""
        names = {file.name for file in self.manifest.files}
        return tuple(kind for kind in KINDS if file_of(kind.name) in names)

    @property
    def rows(self) -> int:
        """How many rows there are to read, according to the manifest."""
        return sum(file.rows for file in self.manifest.files)

    def lines(self, kind: Kind) -> Iterator[bytes]:
        """Each row of a kind as JSON. Raises RestoreRefused if its file does not match the manifest."""
        (entry,) = (file for file in self.manifest.files if file.name == file_of(kind.name))
        digest, rows = sha256(), 0
        try:
            with self.opened.open(entry.name) as stream:
                while line := stream.readline(self.limits.entry_bytes):
                    digest.update(line)
                    rows += 1
                    yield _strip_newline(line, entry)
        except DAMAGE as error:
            raise RestoreRefused(DAMAGED) from error
        if rows != entry.rows or digest.hexdigest() != entry.sha256:
            raise RestoreRefused(DAMAGED)


@contextmanager
def open_archive(source: Path | BinaryIO, limits: Limits) -> Iterator[Archive]:
    """The archive, readable while the context lasts and never unpacked to disk. Raises
    RestoreRefused if it is no export, has another version, or exceeds the limits."""
    with ExitStack() as stack:
        stream = stack.enter_context(source.open("rb")) if isinstance(source, Path) else source
        try:
            opened = stack.enter_context(zipfile.ZipFile(BoundedReader(stream, limits.directory_bytes)))
            manifest = _manifest(opened)
            _check_members(opened, manifest, limits)
        except ImportUnreadable as error:
            raise RestoreRefused(str(error)) from error
        except DAMAGE as error:
            sentence = gettext_noop(
                "This file is not a zip file, so it is not an export of Palace, or it is incomplete."
            )
            raise RestoreRefused(sentence) from error
        yield Archive(manifest, opened, limits)


def _strip_newline(line: bytes, entry: FileEntry) -> bytes:
    if not line.endswith(b"\n"):
        sentence = _("A row of %(file)s never ends, so nothing was restored.")
        raise RestoreRefused(sentence % {"file": entry.name})
    return line[:-1]


def _manifest(opened: zipfile.ZipFile) -> Manifest:
    try:
        if opened.getinfo(MANIFEST_NAME).file_size > MAX_MANIFEST_BYTES:
            raise RestoreRefused(gettext_noop("The manifest of this file is too large."))
        manifest = Manifest.model_validate_json(opened.read(MANIFEST_NAME))
    except KeyError as error:
        raise RestoreRefused(
            gettext_noop("This zip file has no manifest.json, so it is not an export of Palace.")
        ) from error
    except ValidationError as error:
        raise RestoreRefused(gettext_noop("The manifest of this file cannot be read.")) from error
    except (*DAMAGE, RuntimeError) as error:
        raise RestoreRefused(DAMAGED) from error
    if manifest.version != VERSION:
        sentence = _("This export has format %(theirs)s; this Palace reads format %(ours)s.")
        raise RestoreRefused(sentence % {"theirs": manifest.version, "ours": VERSION})
    return manifest


def _check_members(opened: zipfile.ZipFile, manifest: Manifest, limits: Limits) -> None:
    members = opened.infolist()
    if len({member.filename for member in members}) < len(members):
        raise RestoreRefused(gettext_noop("This zip file contains two files with the same name."))
    check_member_names(members, limits)
    names = [file.name for file in manifest.files]
    if len(set(names)) < len(names) or not _FILES.issuperset(names):
        raise RestoreRefused(
            gettext_noop("The manifest lists files that this version of Palace does not know.")
        )
    sizes = {member.filename: member.file_size for member in members}
    if any(sizes.get(file.name) != file.bytes for file in manifest.files):
        raise RestoreRefused(DAMAGED)
    check_member_sizes([opened.getinfo(name) for name in names], limits)
