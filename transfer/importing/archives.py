"""Opens an export (a file, a folder or a zip) part by part, without unpacking it to disk."""

import codecs
import io
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

_MEGABYTE = 1024**2


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is read: sizes in bytes once unpacked, `ratio` of unpacked to packed.

    `depth` is how deep an entry may be nested, `nested` how deep if replies are nested in what they reply to.
    Anything deeper is not an export.
    """

    total_bytes: int = 4096 * _MEGABYTE
    entry_bytes: int = 128 * _MEGABYTE
    depth: int = 200
    nested: int = 10_000
    members: int = 200_000
    ratio: int = 200
    ratio_min_bytes: int = 16 * _MEGABYTE
    directory_bytes: int = 64 * _MEGABYTE


DEFAULT_LIMITS = Limits()


PROJECTS = "projects.json"
MEMORIES = "memories.json"
INCOMPLETE = gettext_noop("This file is damaged or incomplete. Downloading it again may help.")

_CHUNK = 64 * 1024
SNIFFED_BYTES = 1024
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_CHAT_PAGE = "chat.html"  # a page beside ChatGPT's conversations
_ACTIVITY = b"outer-cell"
_ACTIVITY_FROM = 4 * _MEGABYTE
_CONVERSATIONS = re.compile(r"conversations([-_ .]?\d+)?\.json", re.IGNORECASE)
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
)


class FileRefused(Exception):
    """The file as a whole cannot be imported, restored or written; the message is shown to the user."""


class EmptyExport(FileRefused):
    """The file is intact but has no JSON, like a part of an export that only has pictures."""


@dataclass(frozen=True, slots=True)
class Part:
    """One JSON file of an export.

    `name` is its file name, without folders, empty when it has none that its owner knows. `position` tells
    apart several sources.
    """

    name: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    position: str = ""

    def chunks(self) -> Iterator[bytes]:
        """Yield the content. Raises FileRefused when the rest cannot be read."""
        try:
            with self.open() as stream:
                yield stream.read(_CHUNK).removeprefix(codecs.BOM_UTF8)
                yield from iter(partial(stream.read, _CHUNK), b"")
        except DAMAGE as error:
            raise FileRefused(INCOMPLETE) from error


def select_files(names: Iterable[str], open_file: Callable[[str], IO[bytes]]) -> list[str]:
    """The names of files that may hold chats, in natural order; `open_file` opens one of them.

    In a folder with files called conversations only those do, with the projects and memories beside them.
    """
    plain = (name for name in names if not name.startswith("__MACOSX/"))
    visible = [name for name in plain if not PurePosixPath(name).name.startswith("._")]
    named = {name for name in visible if _CONVERSATIONS.fullmatch(PurePosixPath(name).name)}
    folders = {PurePosixPath(name).parent for name in named}
    found = [name for name in visible if name in named or _may_hold_chats(name, folders, open_file)]
    return sorted(found, key=_natural_key)


def gigabytes(size: int) -> str:
    """A human-readable size."""
    return f"{size / 1024**3:.3g} GB"


def _may_hold_chats(
    name: str, folders: Container[PurePosixPath], open_file: Callable[[str], IO[bytes]]
) -> bool:
    """Prompts of AI Studio have no file extension, so their content decides."""
    path = PurePosixPath(name)
    if path.parent in folders:
        return path.name in (PROJECTS, MEMORIES)
    if path.suffix.lower() in (".json", ".jsonl", ".html"):
        return path.name != _CHAT_PAGE
    if _EXTENSION.search(path.name):
        return False
    try:
        with open_file(name) as stream:
            start = stream.read(SNIFFED_BYTES).lstrip()
    except (*DAMAGE, RuntimeError):  # RuntimeError: the file is encrypted
        return False
    return start.startswith(b"{") and (b'"runSettings"' in start or b'"chunkedPrompt"' in start)


def _natural_key(name: str) -> list[tuple[int, str]]:
    pieces = re.findall(r"\d+|\D+", name.casefold())
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in pieces]


Source = Path | BinaryIO | tuple[Path | BinaryIO, ...]
"""A file, a folder or a seekable binary stream, or several of them that form one export."""


class BoundedReader(io.RawIOBase):
    """A stream that rejects huge reads, which bounds the directory of a zip file."""

    def __init__(self, stream: BinaryIO, largest: int) -> None:
        super().__init__()
        self._stream, self._max_read = stream, largest

    def read(self, size: int = -1, /) -> bytes:
        """Read as usual. Raises FileRefused when there is more than the largest read."""
        data = self._stream.read(min(size, self._max_read + 1) if size >= 0 else self._max_read + 1)
        if len(data) > self._max_read:
            raise FileRefused(gettext_noop("This zip file lists more files than an export can contain."))
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def seekable(self) -> bool:
        """Always: zips are read from their end."""
        return True


def check_member_names(members: Sequence[zipfile.ZipInfo], limits: Limits) -> None:
    """Raise FileRefused if there are too many members, or if the path of one leads out of the archive's
    folder."""
    if len(members) > limits.members:
        sentence = _("This zip file contains more than %(most)s files.")
        raise FileRefused(sentence % {"most": f"{limits.members:,}"})
    for member in members:
        path = PurePosixPath(member.orig_filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", str(path)):
            raise FileRefused(
                gettext_noop("This zip file lists files outside its own folder, which no export does.")
            )


def check_member_sizes(members: Sequence[zipfile.ZipInfo], limits: Limits) -> None:
    """Raise FileRefused if members are encrypted, too large or suspiciously compressed."""
    if sum(member.file_size for member in members) > limits.total_bytes:
        sentence = _("Unpacked, this zip file is larger than %(most)s.")
        raise FileRefused(sentence % {"most": gigabytes(limits.total_bytes)})
    for member in members:
        size = member.file_size
        if member.flag_bits & 1:
            raise FileRefused(gettext_noop("This zip file is protected with a password. Unpack it first."))
        if size > limits.ratio_min_bytes and size > limits.ratio * max(member.compress_size, 1):
            raise FileRefused(
                gettext_noop(
                    "This zip file unpacks to far more than an export can contain, so it was not opened."
                )
            )


@contextmanager
def open_parts(source: Source, limits: Limits) -> Iterator[tuple[Part, ...]]:
    """The JSON files of an export in natural order, readable while the context lasts.

    The limits apply to everything together. Raises FileRefused if one of several sources is neither a
    zip nor JSON, if none of them holds JSON, or if they exceed the limits.
    """
    parts: list[Part] = []
    empty: EmptyExport | None = None
    with ExitStack() as stack:
        sources = source if isinstance(source, tuple) else (source,)
        for number, each in enumerate(sources, 1):
            with ExitStack() as own:
                try:
                    found = _read_source(own, each, limits)
                except EmptyExport as error:
                    empty = error
                    continue
                stack.enter_context(own.pop_all())
            position = f"file {number}," if len(sources) > 1 else ""
            parts += (replace(part, position=position) for part in found.parts)
            limits = replace(
                limits, members=limits.members - found.members, total_bytes=limits.total_bytes - found.size
            )
        if empty and not parts:
            raise empty
        yield tuple(parts)


@dataclass(frozen=True, slots=True)
class _Contents:
    """The parts in a source, how many files it has, and the size of the parts once unpacked."""

    parts: tuple[Part, ...]
    members: int
    size: int


def _read_source(stack: ExitStack, source: Path | BinaryIO, limits: Limits) -> _Contents:
    if isinstance(source, Path) and source.is_dir():
        return _read_folder(source, limits)
    try:
        stream = stack.enter_context(source.open("rb") if isinstance(source, Path) else nullcontext(source))
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        head = stream.read(SNIFFED_BYTES)
    except OSError as error:
        sentence = _("This file cannot be read: %(why)s.") % {"why": error.strerror}
        raise FileRefused(sentence) from error
    if not size:
        raise FileRefused(gettext_noop("This file is empty."))
    if head.startswith(b"PK"):
        return _read_zip(stack, stream, limits)
    return _Contents((_single_part(stream, head, size, limits),), 1, size)


def files_in(folder: Path) -> list[Path]:
    """The files of a folder that may hold chats, in natural order, without links."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    names = (str(path.relative_to(folder)) for path in found)
    return [folder / name for name in select_files(names, lambda name: (folder / name).open("rb"))]


def _read_folder(folder: Path, limits: Limits) -> _Contents:
    found = files_in(folder)
    if not found:
        raise EmptyExport(gettext_noop("This folder contains no JSON file, so there are no chats in it."))
    if len(found) > limits.members:
        sentence = _("This folder contains more than %(most)s files.")
        raise FileRefused(sentence % {"most": f"{limits.members:,}"})
    size = sum(path.stat().st_size for path in found)
    if size > limits.total_bytes:
        sentence = _("This folder is larger than %(most)s.")
        raise FileRefused(sentence % {"most": gigabytes(limits.total_bytes)})
    return _Contents(tuple(map(_file_part, found)), len(found), size)


def _file_part(path: Path) -> Part:
    return Part(path.name, lambda: path.open("rb"))


def _single_part(stream: BinaryIO, head: bytes, size: int, limits: Limits) -> Part:
    if size > limits.total_bytes:
        sentence = _("This file is larger than %(most)s.")
        raise FileRefused(sentence % {"most": gigabytes(limits.total_bytes)})
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FileRefused(
            gettext_noop("This file is encoded as UTF-16. Save it as UTF-8, then import it again.")
        )
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if start.startswith(b"<") and not _is_activity(stream):
        raise FileRefused(
            gettext_noop(
                "This is a web page, not an export. Choose the zip file, or the conversations.json inside it."
            )
        )
    if start and not start.startswith((b"[", b"{", b"<")):
        raise FileRefused(
            gettext_noop(
                "This file is neither a zip file nor JSON, so it cannot be imported. If it lists "
                "memories saved by ChatGPT, add them under “Import ChatGPT’s saved memories”."
            )
        )
    if not start and size <= SNIFFED_BYTES:
        raise FileRefused(gettext_noop("This file is empty."))
    name = getattr(stream, "name", None)
    return Part(PurePosixPath(name).name if isinstance(name, str) else "", partial(_rewind, stream))


def _is_activity(stream: BinaryIO) -> bool:
    """Whether a web page is Takeout's "My Activity"; its entries follow long style sheets."""
    stream.seek(0)
    return _ACTIVITY in stream.read(_ACTIVITY_FROM)


@contextmanager
def _rewind(stream: BinaryIO) -> Iterator[BinaryIO]:
    stream.seek(0)
    yield stream


def _read_zip(stack: ExitStack, stream: BinaryIO, limits: Limits) -> _Contents:
    try:
        archive = stack.enter_context(zipfile.ZipFile(BoundedReader(stream, limits.directory_bytes)))
    except DAMAGE as error:
        raise FileRefused(INCOMPLETE) from error
    members = [member for member in archive.infolist() if not member.is_dir()]
    check_member_names(members, limits)
    selected = _select_members(archive, members)
    check_member_sizes(selected, limits)
    parts = (Part(PurePosixPath(member.filename).name, partial(archive.open, member)) for member in selected)
    return _Contents(tuple(parts), len(members), sum(member.file_size for member in selected))


def _select_members(archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    by_name = {member.filename: member for member in members}
    if found := select_files(by_name, archive.open):
        return [by_name[name] for name in found]
    if any(name.lower().endswith(".zip") for name in by_name):
        raise FileRefused(
            gettext_noop("This zip file contains another one. Unpack it and import the inner file.")
        )
    raise EmptyExport(gettext_noop("This zip file contains no JSON file, so it is not an export of chats."))
