"""Yields the values in one file of an export, each with its location."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import ijson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from transfer.importing.archives import ImportUnreadable, Limits, Part
from transfer.importing.threads import Raw

ENTRY_TRUNCATED = gettext_noop("The file ends in the middle of it.")
REST_MISSING = gettext_noop("The file is cut off; the rest is missing.")
REPLACED = gettext_noop("Some characters could not be read and were replaced.")
NOT_JSON = gettext_noop("It is not valid JSON.")

_HEAD_BYTES = 4096
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
    """An entry is not JSON; the message is shown to the user."""


class EntrySplitter:
    """Takes UTF-8 JSON in chunks and yields the elements of its outermost list.

    Objects outside any list are entries too, unless `one_list` is set: then everything after the first list
    is ignored. Memory is bounded by one entry. `stopped` is set if the nesting is too deep
    to continue.
    """

    def __init__(self, limits: Limits, *, one_list: bool = False) -> None:
        self.stopped = False
        self._one_list = one_list
        self._is_done = False
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
            self._append(chunk[kept:end])
            kept = following
            yield from self._emit()
        if not self._is_done:
            self._append(chunk[kept:])

    def finish(self) -> Iterator[RawEntry]:
        """The rest at the end of the stream, with a problem if the end is missing."""
        inside = self._in_string or self._depth > self._floor
        pending = bool(self._entry.strip())
        yield from self._emit(ENTRY_TRUNCATED if inside and not self.stopped else "")
        if self._depth and not self.stopped and not (inside and pending):
            self.count += 1
            yield RawEntry(self.count, b"", REST_MISSING)

    def _boundaries(self, chunk: bytes) -> Iterator[tuple[int, int]]:
        """The end of an entry and the start of the next one, repeatedly."""
        for at in self._structure(chunk):
            byte = chunk[at]
            if byte == _COMMA:
                yield at, at + 1
            elif byte in _OPENING:
                if self._depth == 0:
                    self._floor = int(byte == _SQUARE)
                    yield at, at + self._floor
                self._increase_depth()
            elif self._depth:
                self._depth -= 1
                if self._depth == 0:
                    yield at + 1 - self._floor, at + 1
                    self._floor = 0
                    self._is_done = self._one_list

    def _increase_depth(self) -> None:
        self._depth += 1
        self._deepest = max(self._deepest, self._depth)
        self.stopped = self._depth > self._limits.nested

    def _structure(self, chunk: bytes) -> Iterator[int]:
        position = int(self._escaped)
        self._escaped = False
        while not (self.stopped or self._is_done):
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

    def _append(self, piece: bytes) -> None:
        self._size += len(piece)
        if not self._problem():
            self._entry += piece
        elif len(self._entry) < _HEAD_BYTES:
            self._entry += piece[:_HEAD_BYTES]

    def _problem(self) -> str:
        if self._deepest - self._floor > self._limits.nested:
            return too_deep(self._limits.nested)
        if self._size > self._limits.entry_bytes:
            return too_large(self._limits.entry_bytes)
        return ""

    def _emit(self, problem: str = "") -> Iterator[RawEntry]:
        problem = self._problem() or problem
        data = bytes(self._entry[:_HEAD_BYTES] if problem else self._entry)
        depth = self._deepest - self._floor
        self._entry.clear()
        self._size = 0
        self._deepest = self._depth
        if data.strip():
            self.count += 1
            yield RawEntry(self.count, data, problem, depth)


def split_lines(chunks: Iterable[bytes], limits: Limits) -> Iterator[RawEntry]:
    """The numbered lines of UTF-8 without blank ones. Memory is bounded by one line."""
    index, size, line = 0, 0, bytearray()
    for piece in (piece for chunk in chain(chunks, [b"\n"]) for piece in chunk.splitlines(keepends=True)):
        size += len(piece)
        if size <= limits.entry_bytes + 1 or len(line) < _HEAD_BYTES:
            line += piece
        if piece.endswith(b"\n"):
            index += 1
            if line.strip():
                yield _line_entry(index, line, size - 1, limits)
            size, line = 0, bytearray()


def _line_entry(index: int, line: bytearray, size: int, limits: Limits) -> RawEntry:
    """A line with its number of brackets as depth, which it cannot exceed."""
    if size > limits.entry_bytes:
        return RawEntry(index, bytes(line[:_HEAD_BYTES]), too_large(limits.entry_bytes))
    return RawEntry(index, bytes(line), depth=line.count(b"{") + line.count(b"["))


def too_deep(levels: int) -> str:
    """The error message for an entry with more levels."""
    return _("It is nested more than %(most)s levels deep.") % {"most": f"{levels:,}"}


def too_large(size: int) -> str:
    """The error message for an entry of more bytes."""
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


def _object(pairs: list[tuple[str, object]]) -> Raw:
    found = Raw(pairs)
    if len(found) == len(pairs):
        return found
    distinct = Raw()
    seen: Counter[str] = Counter()
    for key, value in pairs:
        seen[key] += 1
        distinct[key if seen[key] == 1 else f"{key} ({seen[key]})"] = value
    return distinct


REPLIES = "children"

_LARGE_INTEGER = "integer overflow"
"""The fast parser's error for an integer over 64 bits, which the slow one can read."""

Container = Raw | list[object]


def load_nested(data: bytes, depth: int) -> object:
    """The JSON value, parsed without recursion. Replies nested in `children` may be any depth, other
    levels at most `depth`.

    Raises EntryUnreadable.
    """
    try:
        return _build(ijson, data, depth)
    except ijson.JSONError as error:
        if _LARGE_INTEGER not in str(error):
            raise EntryUnreadable(NOT_JSON) from error
    try:
        return _build(ijson.get_backend("python"), data, depth)
    except (ijson.JSONError, ValueError, ArithmeticError) as error:
        raise EntryUnreadable(NOT_JSON) from error


def _build(parser: Any, data: bytes, depth: int) -> object:
    builder = _Builder(depth)
    for event, value in parser.basic_parse(io.BytesIO(data), use_float=True):
        builder.handle(event, value)
    return builder.value


class _Builder:
    """Builds a value from parser events; `_open` has the incomplete containers, outermost first."""

    def __init__(self, depth: int) -> None:
        self.value: object = None
        self._max_depth = depth
        self._counted_depth = 0
        self._key = ""
        self._open: list[tuple[Container, bool, str]] = []

    def handle(self, event: str, value: object) -> None:
        if event == "map_key":
            self._key = str(value)
        elif event == "start_map":
            self._open_container(Raw())
        elif event == "start_array":
            self._open_container([])
        elif event in ("end_map", "end_array"):
            _, is_free, self._key = self._open.pop()
            self._counted_depth -= not is_free
        else:
            self._add(value)

    def _open_container(self, container: Container) -> None:
        is_free = self._is_reply(container)
        self._add(container)
        self._open.append((container, is_free, self._key))
        self._counted_depth += not is_free
        if self._counted_depth > self._max_depth:
            raise EntryUnreadable(too_deep(self._max_depth))

    def _is_reply(self, container: Container) -> bool:
        """A list of replies, or one of them."""
        if isinstance(container, list):
            return self._key == REPLIES
        return bool(self._open) and self._open[-1][1] and isinstance(self._open[-1][0], list)

    def _add(self, value: object) -> None:
        if not self._open:
            self.value = value
            return
        holder = self._open[-1][0]
        if isinstance(holder, list):
            holder.append(value)
        else:
            holder[self._key] = value


FILE_TRUNCATED = gettext_noop("This file is cut off. Downloading it again may help.")
TOO_DEEP = gettext_noop("This file is nested too deeply to be an export.")
NOT_UNICODE = gettext_noop("This file is not encoded as UTF-8, so it cannot be read.")

_MAX_STRAY = 1000
_MAX_TITLE_LENGTH = 60
_MAX_NAME_LENGTH = 80
_TITLE = re.compile(rb'"(?:title|name)"\s*:\s*"((?:[^"\\]|\\.){0,400})')
_WRAPPER = re.compile(rb'\s*\{\s*"conversations"\s*:\s*(?=\[)')


@dataclass(frozen=True, slots=True)
class Value:
    """A value and `where` it is, or the `problem` that kept it from being read."""

    where: str
    value: object = None
    repairs: tuple[str, ...] = ()
    problem: str = ""


class EncodingCheck:
    """Counts invalid characters to detect files that are not Unicode."""

    def __init__(self) -> None:
        self._good = self._stray = 0

    def count(self, data: bytes) -> None:
        """Count characters beyond ASCII. Raises ImportUnreadable if most are invalid."""
        if data.isascii():
            return
        text = data.decode("utf-8", "replace")
        self._good += len(data) - len(text)
        self._stray += text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
        if self._stray > _MAX_STRAY:
            self.check()

    def check(self) -> None:
        """Raise ImportUnreadable if more characters were invalid than valid."""
        if self._stray > self._good:
            raise ImportUnreadable(NOT_UNICODE)


def values_in(part: Part, limits: Limits, encoding: EncodingCheck) -> Iterator[Value]:
    """Each entry of the outermost list; objects outside any list are entries too.

    Raises ImportUnreadable if the file is cut off, damaged or nested too deeply.
    """
    for raw in _entries(part, limits):
        encoding.count(raw.data)
        try:
            value, repairs = _load(raw, limits)
        except EntryUnreadable as error:
            yield Value(_location(part, raw, _title_in(raw.data)), problem=str(error))
            continue
        for inner in _unwrap(value):
            title = inner.get("title") if isinstance(inner, Raw) else None
            yield Value(_location(part, raw, title), inner, repairs)


def lines_in(part: Part, limits: Limits, encoding: EncodingCheck, most: int | None = None) -> Iterator[Value]:
    """The value on each line, from the first `most` chunks. A cut-off file only loses its last line."""
    for raw in split_lines(islice(part.chunks(), most), limits):
        encoding.count(raw.data)
        where = _location_in_file(part, f"line {raw.index:,}")
        try:
            value, repairs = _line(raw, limits)
        except EntryUnreadable as error:
            yield Value(where, problem=str(error))
        else:
            yield Value(where, value, repairs)


def is_cut_off(part: Part) -> bool:
    """Whether the end of the file, if known, shows that it is incomplete."""
    end = part.tail.strip(b"\x00 \t\r\n")
    return bool(end) and not end.endswith((b"]", b"}"))


def _line(raw: RawEntry, limits: Limits) -> tuple[object, tuple[str, ...]]:
    if raw.problem:
        raise EntryUnreadable(raw.problem)
    value, repairs = load_entry(raw.data)
    if raw.depth > limits.depth and _depth(value) > limits.depth:
        raise EntryUnreadable(too_deep(limits.depth))
    return value, repairs


def _depth(value: object) -> int:
    level, deepest = [value], 0
    while level := [item for item in level if isinstance(item, dict | list)]:
        deepest += 1
        level = [inner for item in level for inner in _inside(item)]
    return deepest


def _inside(value: object) -> list[object]:
    return list(value.values()) if isinstance(value, Raw) else list(value)  # type: ignore[call-overload]


def _entries(part: Part, limits: Limits) -> Iterator[RawEntry]:
    """The raw entries; those of a `{"conversations": […], …}` wrapper are read one at a time."""
    chunks = part.chunks()
    head = next(chunks, b"")
    wrapper = _WRAPPER.match(head)
    splitter = EntrySplitter(limits, one_list=wrapper is not None)
    for chunk in chain([head[wrapper.end() :] if wrapper else head], chunks):
        yield from splitter.feed(chunk)
        if splitter.stopped:
            raise ImportUnreadable(TOO_DEEP)
    for raw in splitter.finish():
        if raw.problem in (ENTRY_TRUNCATED, REST_MISSING):
            raise ImportUnreadable(FILE_TRUNCATED)
        yield raw


def _load(raw: RawEntry, limits: Limits) -> tuple[object, tuple[str, ...]]:
    if raw.problem:
        raise EntryUnreadable(raw.problem)
    if raw.depth > limits.depth:
        return load_nested(raw.data, limits.depth), ()
    return load_entry(raw.data)


def _unwrap(value: object) -> list[object]:
    """The conversations of a `{"conversations": […]}` wrapper, else the value alone."""
    inner = value.get("conversations") if isinstance(value, Raw) else None
    return inner if isinstance(inner, list) else [value]


def entry_location(part: Part, number: int) -> str:
    """The location of an entry: the name of the file, or its position, and its number."""
    return _location_in_file(part, f"entry {number:,}")


def _location(part: Part, raw: RawEntry, title: object) -> str:
    place = entry_location(part, raw.index)
    named = printable(title, _MAX_TITLE_LENGTH) if isinstance(title, str) else ""
    return f"{place} (“{named}”)" if named else place


def _location_in_file(part: Part, place: str) -> str:
    return f"{printable(part.name or part.position, _MAX_NAME_LENGTH)} {place}".lstrip()


def printable(text: str, length: int) -> str:
    """The text as one line of at most this length, safe for a terminal."""
    words = " ".join(text.split())
    clean = "".join(letter if letter.isprintable() else "\ufffd" for letter in words[: length + 1])
    return clean if len(clean) <= length else f"{clean[: length - 1]}…"


def _title_in(data: bytes) -> str | None:
    """The title at the beginning of an unreadable entry, if there is one."""
    found = _TITLE.search(data[:4096])
    if not found:
        return None
    try:
        return str(load_entry(b'"' + found[1] + b'"')[0])
    except EntryUnreadable:
        return None
