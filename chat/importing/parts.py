"""One file of an export: its name, and its bytes as UTF-8."""

import codecs
import json
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

from django.utils.translation import gettext_noop

PROJECTS = "projects.json"
INCOMPLETE = gettext_noop("This file is damaged or incomplete. Downloading it again may help.")

_CHUNK = 64 * 1024
SNIFFED_BYTES = 1024
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


class ImportUnreadable(Exception):
    """The file as a whole cannot be imported; the message is a sentence for the person."""


@dataclass(frozen=True, slots=True)
class Part:
    """One JSON file of an export.

    `name` is its file name, without folders, empty when it has none that its owner knows; `tail`
    its last bytes when they are at hand.
    """

    name: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    tail: bytes = b""

    def chunks(self) -> Iterator[bytes]:
        """Yield the content as UTF-8, whatever Unicode encoding it is in.

        Raises ImportUnreadable when the rest cannot be read.
        """
        try:
            with self.open() as stream:
                yield from _utf8(stream)
        except DAMAGE as error:
            raise ImportUnreadable(INCOMPLETE) from error


def chosen(names: Iterable[str]) -> list[str]:
    """Return the names of files that may hold chats, in natural order.

    Of a folder with files called conversations these alone do, and projects are listed beside.
    """
    visible = [name for name in names if not _is_litter(name)]
    named = {name for name in visible if _CONVERSATIONS.fullmatch(PurePosixPath(name).name)}
    folders = {PurePosixPath(name).parent for name in named}
    found = [name for name in visible if name in named or _may_hold_chats(name, folders)]
    return sorted(found, key=_natural)


def gigabytes(size: int) -> str:
    """Return the size as people say it."""
    return f"{size / 1024**3:.3g} GB"


def _may_hold_chats(name: str, folders: Container[PurePosixPath]) -> bool:
    path = PurePosixPath(name)
    if path.parent in folders:
        return path.name == PROJECTS
    return path.suffix.lower() in (".json", ".jsonl")


def _is_litter(name: str) -> bool:
    return name.startswith("__MACOSX/") or PurePosixPath(name).name.startswith("._")


def _natural(name: str) -> list[tuple[int, str]]:
    pieces = re.findall(r"\d+|\D+", name.casefold())
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in pieces]


def _utf8(stream: IO[bytes]) -> Iterator[bytes]:
    head = stream.read(_CHUNK)
    chunks = _following(head, stream)
    return _decoded(chunks, json.detect_encoding(head[:SNIFFED_BYTES]))


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
    decoder = codecs.getincrementaldecoder(encoding)(errors="strict")
    for chunk in chunks:
        yield decoder.decode(chunk).encode()
    yield decoder.decode(b"", final=True).encode()
