"""Opens an export, a file, a folder or a zip of files, without ever unpacking it to disk."""

import json
import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat.importing.limits import Limits
from chat.importing.parts import (
    DAMAGE,
    INCOMPLETE,
    SNIFFED_BYTES,
    ImportUnreadable,
    Part,
    chosen,
    gigabytes,
)

Source = Path | BinaryIO

_TAIL = 64


class _Sips:
    """A stream that refuses huge reads, so that a zip's own list of files stays bounded."""

    def __init__(self, stream: BinaryIO, largest: int) -> None:
        self._stream = stream
        self._largest = largest
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(min(size, self._largest + 1) if size >= 0 else self._largest + 1)
        if len(data) > self._largest:
            raise ImportUnreadable(
                gettext_noop("This zip lists more files than an export can hold.")
            )
        return data


@contextmanager
def open_parts(source: Source, limits: Limits) -> Iterator[tuple[Part, ...]]:
    """Give the JSON files of an export in natural order, readable as long as the context lasts.

    `source` is a path, also of a folder, or a seekable binary file. Raises ImportUnreadable when
    it is no zip and no JSON, or goes beyond the limits.
    """
    with ExitStack() as stack:
        if isinstance(source, Path) and source.is_dir():
            yield _in_folder(source, limits)
            return
        try:
            stream = stack.enter_context(_opened(source))
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _TAIL))
            tail = stream.read(_TAIL)
            stream.seek(0)
            head = stream.read(SNIFFED_BYTES)
        except OSError as error:
            sentence = _("This file cannot be read: %(why)s.") % {"why": error.strerror}
            raise ImportUnreadable(sentence) from error
        if not size:
            raise ImportUnreadable(gettext_noop("This file is empty."))
        if head.startswith(b"PK"):
            yield _zipped(stack, stream, limits)
        else:
            yield (_single(stream, (head, tail), size, limits),)


def files_in(folder: Path) -> list[Path]:
    """Return the files of a folder that may hold chats, in natural order; links are left out."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return [folder / name for name in chosen(str(path.relative_to(folder)) for path in found)]


def _in_folder(folder: Path, limits: Limits) -> tuple[Part, ...]:
    found = files_in(folder)
    if not found:
        raise ImportUnreadable(
            gettext_noop("This folder holds no JSON file, so there are no chats in it.")
        )
    if len(found) > limits.members:
        sentence = _("This folder holds more than %(most)s files.")
        raise ImportUnreadable(sentence % {"most": f"{limits.members:,}"})
    if sum(path.stat().st_size for path in found) > limits.total_bytes:
        sentence = _("This folder is larger than %(most)s.")
        raise ImportUnreadable(sentence % {"most": gigabytes(limits.total_bytes)})
    return tuple(map(_loose, found))


def _loose(path: Path) -> Part:
    return Part(path.name, lambda: path.open("rb"))


def _opened(source: Source) -> AbstractContextManager[BinaryIO]:
    return source.open("rb") if isinstance(source, Path) else nullcontext(source)


def _single(stream: BinaryIO, ends: tuple[bytes, bytes], size: int, limits: Limits) -> Part:
    head, tail = ends
    if size > limits.total_bytes:
        sentence = _("This file is larger than %(most)s.")
        raise ImportUnreadable(sentence % {"most": gigabytes(limits.total_bytes)})
    start = head.decode(json.detect_encoding(head), "replace").lstrip().encode()
    if start.startswith(b"<"):
        raise ImportUnreadable(
            gettext_noop(
                "This is a web page, not an export. Choose the zip, or the conversations.json in it."
            )
        )
    if start and not start.startswith((b"[", b"{")):
        raise ImportUnreadable(
            gettext_noop("This file is neither a zip nor JSON, so it cannot be imported.")
        )
    if not start and size <= SNIFFED_BYTES:
        raise ImportUnreadable(gettext_noop("This file is empty."))
    return Part(_file_name(stream), lambda: _rewound(stream), tail)


@contextmanager
def _rewound(stream: BinaryIO) -> Iterator[BinaryIO]:
    stream.seek(0)
    yield stream


def _file_name(stream: BinaryIO) -> str:
    name = getattr(stream, "name", None)
    return PurePosixPath(name).name if isinstance(name, str) else ""


def _zipped(stack: ExitStack, stream: BinaryIO, limits: Limits) -> tuple[Part, ...]:
    try:
        archive = stack.enter_context(zipfile.ZipFile(_Sips(stream, limits.directory_bytes)))
    except DAMAGE as error:
        raise ImportUnreadable(INCOMPLETE) from error
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > limits.members:
        sentence = _("This zip holds more than %(most)s files.")
        raise ImportUnreadable(sentence % {"most": f"{limits.members:,}"})
    _refuse_odd_paths(members)
    chosen = _chosen(members)
    _refuse_oversize(chosen, limits)
    return tuple(_member_part(archive, member) for member in chosen)


def _member_part(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Part:
    return Part(PurePosixPath(member.filename).name, lambda: archive.open(member))


def _refuse_odd_paths(members: Sequence[zipfile.ZipInfo]) -> None:
    for member in members:
        path = PurePosixPath(member.orig_filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", str(path)):
            raise ImportUnreadable(
                gettext_noop("This zip names files outside its own folder, which no export does.")
            )


def _chosen(members: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    by_name = {member.filename: member for member in members}
    if found := chosen(by_name):
        return [by_name[name] for name in found]
    if any(name.lower().endswith(".zip") for name in by_name):
        raise ImportUnreadable(
            gettext_noop("This zip holds another zip. Unpack it and import the inner one.")
        )
    raise ImportUnreadable(
        gettext_noop("This zip holds no JSON file, so it is not an export of chats.")
    )


def _refuse_oversize(members: Sequence[zipfile.ZipInfo], limits: Limits) -> None:
    if sum(member.file_size for member in members) > limits.total_bytes:
        sentence = _("Unpacked, this zip is larger than %(most)s.")
        raise ImportUnreadable(sentence % {"most": gigabytes(limits.total_bytes)})
    for member in members:
        if member.flag_bits & 1:
            raise ImportUnreadable(
                gettext_noop("This zip is locked with a password. Unpack it first.")
            )
        packed = max(member.compress_size, 1)
        swollen = member.file_size > limits.ratio * packed
        if swollen and member.file_size > limits.ratio_matters_from:
            raise ImportUnreadable(
                gettext_noop(
                    "This zip unpacks to far more than an export can hold, so it was not opened."
                )
            )
