"""Splits a stream of JSON into entries without reading it whole.

A streaming JSON parser gives up at the first flaw and loses everything after it. This one follows
only quotes, brackets and commas, so that each entry can fail on its own.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ijson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from transfer.importing.archives import Limits

ENDS_EARLY = gettext_noop("The file stops in the middle of it.")
REST_MISSING = gettext_noop("The file stops before its end; whatever came after is missing.")
REPLACED = gettext_noop("Some characters could not be read and were replaced.")
NOT_JSON = gettext_noop("It is not valid JSON.")

_HEAD_KEPT = 4096
_QUOTE, _COMMA, _SQUARE = b'",['
_OPENING = b"[{"
_BETWEEN_ENTRIES = re.compile(rb'["{}\[\],]')
_WITHIN_ENTRY = re.compile(rb'["{}\[\]]')


@dataclass(frozen=True, slots=True)
class RawEntry:
    """The bytes of one entry with its number from 1 and its depth; with a `problem`, only the first
    bytes."""

    index: int
    data: bytes
    problem: str = ""
    depth: int = 0


class EntryUnreadable(Exception):
    """An entry is not JSON; the message is a sentence for the person."""


class EntrySplitter:
    """Takes UTF-8 JSON in chunks and yields the elements of its outermost list.

    Objects outside any list are entries too, unless `one_list` is set: then everything behind the
    first list is ignored. Memory is bounded by one entry. `stopped` is set if the nesting is too deep
    to continue.
    """

    def __init__(self, limits: Limits, *, one_list: bool = False) -> None:
        self.stopped = False
        self._one_list = one_list
        self._is_over = False
        self.count = 0
        self._limits = limits
        self._entry = bytearray()
        self._size = 0
        self._depth = self._floor = self._deepest = 0
        self._in_string = self._escaped = False

    def feed(self, chunk: bytes) -> Iterator[RawEntry]:
        """The entries that end in this chunk."""
        kept = 0
        for end, following in self._boundaries(chunk):
            self._keep(chunk[kept:end])
            kept = following
            yield from self._cut()
        if not self._is_over:
            self._keep(chunk[kept:])

    def finish(self) -> Iterator[RawEntry]:
        """The rest at the end of the stream, with a problem if the end is missing."""
        inside = self._in_string or self._depth > self._floor
        pending = bool(self._entry.strip())
        yield from self._cut(ENDS_EARLY if inside and not self.stopped else "")
        if self._depth and not self.stopped and not (inside and pending):
            self.count += 1
            yield RawEntry(self.count, b"", REST_MISSING)

    def _boundaries(self, chunk: bytes) -> Iterator[tuple[int, int]]:
        """Where an entry ends and where the next may begin."""
        for at in self._structure(chunk):
            byte = chunk[at]
            if byte == _COMMA:
                yield at, at + 1
            elif byte in _OPENING:
                if self._depth == 0:
                    self._floor = int(byte == _SQUARE)
                    yield at, at + self._floor
                self._deepen()
            elif self._depth:
                self._depth -= 1
                if self._depth == 0:
                    yield at + 1 - self._floor, at + 1
                    self._floor = 0
                    self._is_over = self._one_list

    def _deepen(self) -> None:
        self._depth += 1
        self._deepest = max(self._deepest, self._depth)
        self.stopped = self._depth > self._limits.nested

    def _structure(self, chunk: bytes) -> Iterator[int]:
        position = int(self._escaped)
        self._escaped = False
        while not (self.stopped or self._is_over):
            if self._in_string:
                position = self._skip_string(chunk, position)
            pattern = _WITHIN_ENTRY if self._depth > self._floor else _BETWEEN_ENTRIES
            match = None if self._in_string else pattern.search(chunk, position)
            if match is None:
                return
            position = match.end()
            if chunk[match.start()] == _QUOTE:
                self._in_string = True
            else:
                yield match.start()

    def _skip_string(self, chunk: bytes, position: int) -> int:
        while self._in_string:
            quote = chunk.find(b'"', position)
            piece = chunk[position : quote if quote >= 0 else None]
            escaped = (len(piece) - len(piece.rstrip(b"\\"))) % 2 == 1
            if quote < 0:
                self._escaped = escaped
                return len(chunk)
            self._in_string = escaped
            position = quote + 1
        return position

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if not self._problem():
            self._entry += piece
        elif len(self._entry) < _HEAD_KEPT:
            self._entry += piece[:_HEAD_KEPT]

    def _problem(self) -> str:
        if self._deepest - self._floor > self._limits.nested:
            return too_deep(self._limits.nested)
        if self._size > self._limits.entry_bytes:
            return too_large(self._limits.entry_bytes)
        return ""

    def _cut(self, problem: str = "") -> Iterator[RawEntry]:
        problem = self._problem() or problem
        data = bytes(self._entry[:_HEAD_KEPT] if problem else self._entry)
        depth = self._deepest - self._floor
        self._entry.clear()
        self._size = 0
        self._deepest = self._depth
        if data.strip():
            self.count += 1
            yield RawEntry(self.count, data, problem, depth)


class LineSplitter:
    """Takes UTF-8 in chunks and yields its numbered lines without blank ones.

    Memory is bounded by one line.
    """

    def __init__(self, limits: Limits) -> None:
        self.count = 0
        self._limits = limits
        self._line = bytearray()
        self._is_long = False

    def feed(self, chunk: bytes) -> Iterator[RawEntry]:
        """The lines that end in this chunk."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._keep(piece)
            yield from self._cut()
        self._keep(rest)

    def finish(self) -> Iterator[RawEntry]:
        """The last line, which may have no end."""
        yield from self._cut()

    def _keep(self, piece: bytes) -> None:
        self._is_long = self._is_long or len(self._line) + len(piece) > self._limits.entry_bytes
        if not self._is_long:
            self._line += piece
        elif len(self._line) < _HEAD_KEPT:
            self._line += piece[:_HEAD_KEPT]

    def _cut(self) -> Iterator[RawEntry]:
        self.count += 1
        data = bytes(self._line[:_HEAD_KEPT] if self._is_long else self._line)
        problem = too_large(self._limits.entry_bytes) if self._is_long else ""
        self._line.clear()
        self._is_long = False
        if data.strip():
            depth = data.count(b"{") + data.count(b"[")
            yield RawEntry(self.count, data, problem, depth)


def too_deep(levels: int) -> str:
    """The sentence for an entry with more levels than that."""
    return _("It is nested more than %(most)s levels deep.") % {"most": f"{levels:,}"}


def too_large(size: int) -> str:
    """The sentence for an entry of more bytes than that."""
    return _("It is larger than %(most)s MB.") % {"most": size // 1024**2}


def load_entry(data: bytes) -> tuple[object, tuple[str, ...]]:
    """The JSON value and a sentence for each flaw that was fixed.

    Raises EntryUnreadable. Lone surrogates and NUL characters are kept; so are both values of a
    duplicate key, the later one as `key (2)`.
    """
    text = data.decode("utf-8", "replace")
    repairs = () if text.count("\ufffd") == data.count(b"\xef\xbf\xbd") else (REPLACED,)
    try:
        return json.loads(text, strict=False, object_pairs_hook=_object), repairs
    except (ValueError, RecursionError) as error:
        raise EntryUnreadable(NOT_JSON) from error


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    distinct: dict[str, object] = {}
    seen: Counter[str] = Counter()
    for key, value in pairs:
        seen[key] += 1
        distinct[key if seen[key] == 1 else f"{key} ({seen[key]})"] = value
    return distinct


REPLIES = "children"

_LARGE_INTEGER = "integer overflow"
"""What the fast parser says of one that does not fit 64 bits; the slow one reads it."""

Container = dict[str, object] | list[object]


def load_nested(data: bytes, depth: int) -> object:
    """The JSON value, parsed without recursion. Replies nested in `children` may be any depth, other
    levels at most `depth`.

    Raises EntryUnreadable.
    """
    try:
        return _built(ijson, data, depth)
    except ijson.JSONError as error:
        if _LARGE_INTEGER not in str(error):
            raise EntryUnreadable(NOT_JSON) from error
    try:
        return _built(ijson.get_backend("python"), data, depth)
    except (ijson.JSONError, ValueError, ArithmeticError) as error:
        raise EntryUnreadable(NOT_JSON) from error


def _built(parser: Any, data: bytes, depth: int) -> object:
    builder = _Builder(depth)
    for event, value in parser.basic_parse(io.BytesIO(data), use_float=True):
        builder.take(event, value)
    return builder.value


class _Builder:
    """Builds a value from parser events; `_open` has the incomplete containers, outermost first."""

    def __init__(self, depth: int) -> None:
        self.value: object = None
        self._most = depth
        self._charged = 0
        self._key = ""
        self._open: list[tuple[Container, bool, str]] = []

    def take(self, event: str, value: object) -> None:
        if event == "map_key":
            self._key = str(value)
        elif event == "start_map":
            self._begin({})
        elif event == "start_array":
            self._begin([])
        elif event in ("end_map", "end_array"):
            _, is_free, self._key = self._open.pop()
            self._charged -= not is_free
        else:
            self._put(value)

    def _begin(self, container: Container) -> None:
        is_free = self._is_reply(container)
        self._put(container)
        self._open.append((container, is_free, self._key))
        self._charged += not is_free
        if self._charged > self._most:
            raise EntryUnreadable(too_deep(self._most))

    def _is_reply(self, container: Container) -> bool:
        """A list of replies, or one of them."""
        if isinstance(container, list):
            return self._key == REPLIES
        return bool(self._open) and self._open[-1][1] and isinstance(self._open[-1][0], list)

    def _put(self, value: object) -> None:
        if not self._open:
            self.value = value
            return
        holder = self._open[-1][0]
        if isinstance(holder, list):
            holder.append(value)
        else:
            holder[self._key] = value
