"""Opens an export, a JSON file or a zip of them, without ever unpacking it to disk."""

import codecs
import json
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from chat.importing.limits import Limits

Source = Path | BinaryIO

INCOMPLETE = "This file is damaged or incomplete. Downloading it again may help."
DAMAGED = "The file is damaged from here on; what came before was read."

_CHUNK = 64 * 1024
_HEAD = 1024
_CONVERSATIONS = re.compile(r"conversations([-_ .]?\d+)?\.json", re.IGNORECASE)
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
)


class ImportUnreadable(Exception):
    """The file as a whole cannot be imported; the message is a sentence for the person."""


class _Sips:
    """A stream that refuses huge reads, so that a zip's own list of files stays bounded."""

    def __init__(self, stream: BinaryIO, largest: int) -> None:
        self._stream = stream
        self._largest = largest
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(min(size, self._largest + 1) if size >= 0 else self._largest + 1)
        if len(data) > self._largest:
            raise ImportUnreadable("This zip lists more files than an export can hold.")
        return data


class PartDamaged(Exception):
    """A part stopped being readable half-way; the message is a sentence for the person."""


@dataclass(frozen=True, slots=True)
class Part:
    """One JSON file of an export; `name` is its file name, without folders."""

    name: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]

    def chunks(self) -> Iterator[bytes]:
        """Yield the content as UTF-8, whatever Unicode encoding it is in.

        Raises PartDamaged when the rest cannot be read.
        """
        try:
            with self.open() as stream:
                yield from _utf8(stream)
        except _DAMAGE as error:
            raise PartDamaged(DAMAGED) from error


@contextmanager
def open_parts(source: Source, limits: Limits) -> Iterator[tuple[Part, ...]]:
    """Give the JSON files of an export in natural order, readable as long as the context lasts.

    `source` is a path or a seekable binary file. Raises ImportUnreadable when the file is no
    zip and no JSON, or goes beyond the limits.
    """
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(_opened(source))
            size = stream.seek(0, os.SEEK_END)
            stream.seek(0)
            head = stream.read(_HEAD)
        except OSError as error:
            raise ImportUnreadable(f"This file cannot be read: {error.strerror}.") from error
        if not size:
            raise ImportUnreadable("This file is empty.")
        if head.startswith(b"PK"):
            yield _zipped(stack, stream, limits)
        else:
            yield (_single(stream, head, size, limits),)


def _opened(source: Source) -> AbstractContextManager[BinaryIO]:
    return source.open("rb") if isinstance(source, Path) else nullcontext(source)


def _single(stream: BinaryIO, head: bytes, size: int, limits: Limits) -> Part:
    if size > limits.total_bytes:
        raise ImportUnreadable(f"This file is larger than {_gigabytes(limits.total_bytes)}.")
    start = b"".join(_decoded(iter([head]), json.detect_encoding(head))).lstrip()
    if start.startswith(b"<"):
        raise ImportUnreadable(
            "This is a web page, not an export. Choose the zip, or the conversations.json in it."
        )
    if start and not start.startswith((b"[", b"{")):
        raise ImportUnreadable("This file is neither a zip nor JSON, so it cannot be imported.")
    if not start and size <= _HEAD:
        raise ImportUnreadable("This file is empty.")
    return Part(_file_name(stream), lambda: _rewound(stream))


@contextmanager
def _rewound(stream: BinaryIO) -> Iterator[BinaryIO]:
    stream.seek(0)
    yield stream


def _file_name(stream: BinaryIO) -> str:
    name = getattr(stream, "name", None)
    return PurePosixPath(name).name if isinstance(name, str) and name else "the file"


def _zipped(stack: ExitStack, stream: BinaryIO, limits: Limits) -> tuple[Part, ...]:
    try:
        archive = stack.enter_context(zipfile.ZipFile(_Sips(stream, limits.directory_bytes)))
    except _DAMAGE as error:
        raise ImportUnreadable(INCOMPLETE) from error
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > limits.members:
        raise ImportUnreadable(f"This zip holds more than {limits.members:,} files.")
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
                "This zip names files outside its own folder, which no export does."
            )


def _chosen(members: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    visible = [member for member in members if not _is_litter(member.filename)]
    named = [m for m in visible if _CONVERSATIONS.fullmatch(PurePosixPath(m.filename).name)]
    chosen = named or [m for m in visible if m.filename.lower().endswith(".json")]
    if chosen:
        return sorted(chosen, key=lambda member: _natural(member.filename))
    if any(member.filename.lower().endswith(".zip") for member in visible):
        raise ImportUnreadable("This zip holds another zip. Unpack it and import the inner one.")
    raise ImportUnreadable("This zip holds no conversations.json, so it is not a ChatGPT export.")


def _is_litter(name: str) -> bool:
    return name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith("._")


def _natural(name: str) -> list[tuple[int, str]]:
    pieces = re.findall(r"\d+|\D+", name.casefold())
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in pieces]


def _refuse_oversize(members: Sequence[zipfile.ZipInfo], limits: Limits) -> None:
    if sum(member.file_size for member in members) > limits.total_bytes:
        raise ImportUnreadable(
            f"Unpacked, this zip is larger than {_gigabytes(limits.total_bytes)}."
        )
    for member in members:
        if member.flag_bits & 1:
            raise ImportUnreadable("This zip is locked with a password. Unpack it first.")
        packed = max(member.compress_size, 1)
        swollen = member.file_size > limits.ratio * packed
        if swollen and member.file_size > limits.ratio_matters_from:
            raise ImportUnreadable(
                "This zip unpacks to far more than an export can hold, so it was not opened."
            )


def _gigabytes(size: int) -> str:
    return f"{size / 1024**3:.3g} GB"


def _utf8(stream: IO[bytes]) -> Iterator[bytes]:
    head = stream.read(_CHUNK)
    chunks = _following(head, stream)
    return _decoded(chunks, json.detect_encoding(head[:_HEAD]))


def _following(head: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    while head:
        yield head
        head = stream.read(_CHUNK)


def _decoded(chunks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    if encoding in ("utf-8", "utf-8-sig"):
        first = next(chunks, b"")
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for chunk in chunks:
        yield decoder.decode(chunk).encode()
