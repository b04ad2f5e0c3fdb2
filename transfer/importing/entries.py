"""Yields the values in one file of an export, each with its location."""

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

import ijson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from transfer.importing.archives import FileRefused, Limits, Part
from transfer.importing.threads import Raw

FILE_TRUNCATED = gettext_noop("This file is cut off. Downloading it again may help.")
TOO_DEEP = gettext_noop("This file is nested too deeply to be an export.")
NOT_JSON = gettext_noop("It is not valid JSON.")
NOT_UNICODE = gettext_noop("It is not encoded as UTF-8, so it cannot be read.")
REPLIES = "children"

_HEAD_BYTES = 4096
_MAX_TITLE_LENGTH = 60
_MAX_NAME_LENGTH = 80
_QUOTE, _COMMA, _SQUARE = b'",['
_OPENING = b"[{"
_BETWEEN_ENTRIES = re.compile(rb'["{}\[\],]')
_WITHIN_ENTRY = re.compile(rb'["{}\[\]]')
_TITLE = re.compile(rb'"(?:title|name)"\s*:\s*"((?:[^"\\]|\\.){0,400})')
_WRAPPER = re.compile(rb'\s*\{\s*"conversations"\s*:\s*(?=\[)')


class EntryUnreadable(Exception):
    """An entry is not JSON; the message is shown to the user."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value and `where` it is, or the `problem` that kept it from being read."""

    where: str
    value: object = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RawEntry:
    """The bytes of one entry with its number from 1 and the depth it cannot exceed; with a `problem`, only
    the first bytes."""

    index: int
    data: bytes
    problem: str = ""
    depth: int = 0


class EntrySplitter:
    """Takes UTF-8 JSON in chunks and yields the elements of its outermost list.

    Objects outside any list are entries too, unless `one_list` is set: then everything after the first list
    is ignored. Memory is bounded by one entry. Raises FileRefused if the nesting is too deep to
    continue, or if the end is missing.
    """

    def __init__(self, limits: Limits, *, one_list: bool = False) -> None:
        self._one_list = one_list
        self._is_done = False
        self._count = 0
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
        """The rest at the end of the stream."""
        if self._in_string or self._depth:
            raise FileRefused(FILE_TRUNCATED)
        yield from self._emit()

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
        if self._depth > self._limits.nested:
            raise FileRefused(TOO_DEEP)

    def _structure(self, chunk: bytes) -> Iterator[int]:
        position = int(self._escaped)
        self._escaped = False
        while not self._is_done:
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
        if self._size <= self._limits.entry_bytes:
            self._entry += piece
        elif len(self._entry) < _HEAD_BYTES:
            self._entry += piece[:_HEAD_BYTES]

    def _emit(self) -> Iterator[RawEntry]:
        data, depth = bytes(self._entry), self._deepest - self._floor
        is_too_large = self._size > self._limits.entry_bytes
        self._entry.clear()
        self._size, self._deepest = 0, self._depth
        if data.strip():
            self._count += 1
            yield _raw_entry(self._count, data, depth, self._limits, is_too_large=is_too_large)


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
                brackets = line.count(b"{") + line.count(b"[")
                is_too_large = size - 1 > limits.entry_bytes
                yield _raw_entry(index, bytes(line), brackets, limits, is_too_large=is_too_large)
            size, line = 0, bytearray()


def _raw_entry(index: int, data: bytes, depth: int, limits: Limits, *, is_too_large: bool) -> RawEntry:
    if is_too_large:
        return RawEntry(index, data[:_HEAD_BYTES], too_large(limits.entry_bytes))
    return RawEntry(index, data, depth=depth)


def too_large(size: int) -> str:
    """The error message for an entry of more bytes."""
    return _("It is larger than %(most)s MB.") % {"most": size // 1024**2}


def load_entry(raw: RawEntry, limits: Limits) -> object:
    """The JSON value, with lone surrogates and NUL characters. Replies nested in `children` may be any
    depth, other levels at most `limits.depth`.

    Raises EntryUnreadable.
    """
    if raw.problem:
        raise EntryUnreadable(raw.problem)
    try:
        value = _parse(raw, limits)
    except UnicodeDecodeError as error:
        raise EntryUnreadable(NOT_UNICODE) from error
    except (ValueError, ijson.JSONError) as error:
        raise EntryUnreadable(NOT_JSON) from error
    if raw.depth > limits.depth and (value is None or _levels(value) > limits.depth):
        sentence = _("It is nested more than %(most)s levels deep.")
        raise EntryUnreadable(sentence % {"most": f"{limits.depth:,}"})
    return value


def _parse(raw: RawEntry, limits: Limits) -> object:
    """The value, parsed without recursion where it is nested deeply; None if it may be nested too deeply
    for that."""
    try:
        return json.loads(raw.data.decode(), strict=False, object_pairs_hook=Raw)
    except RecursionError:
        if raw.depth > limits.nested:
            return None
    found: object = next(ijson.items(io.BytesIO(raw.data), "", use_float=True, map_type=Raw))
    return found


def _levels(value: object) -> int:
    """How many levels a value has, apart from replies nested in replies."""
    waiting, deepest = [(value, 1)], 0
    while waiting:
        item, level = waiting.pop()
        if not isinstance(item, Raw | list):
            continue
        deepest = max(deepest, level)
        for name, inner in item.items() if isinstance(item, Raw) else enumerate(item):
            if name == REPLIES and isinstance(inner, list):
                waiting += [(reply, level) for reply in inner]
            else:
                waiting.append((inner, level + 1))
    return deepest


def values_in(part: Part, limits: Limits) -> Iterator[Value]:
    """Each entry of the outermost list; objects outside any list are entries too.

    Raises FileRefused if the file is cut off, damaged or nested too deeply.
    """
    for raw in _entries(part, limits):
        try:
            value = load_entry(raw, limits)
        except EntryUnreadable as error:
            yield Value(_location(part, raw, _title_in(raw.data)), problem=str(error))
            continue
        wrapped = value.get("conversations") if isinstance(value, Raw) else None
        for inner in wrapped if isinstance(wrapped, list) else [value]:
            title = inner.get("title") if isinstance(inner, Raw) else None
            yield Value(_location(part, raw, title), inner)


def lines_in(part: Part, limits: Limits, most: int | None = None) -> Iterator[Value]:
    """The value on each line, from the first `most` chunks. A cut-off file only loses its last line."""
    for raw in split_lines(islice(part.chunks(), most), limits):
        where = _location_in_file(part, f"line {raw.index:,}")
        try:
            yield Value(where, load_entry(raw, limits))
        except EntryUnreadable as error:
            yield Value(where, problem=str(error))


def _entries(part: Part, limits: Limits) -> Iterator[RawEntry]:
    """The raw entries; those of a `{"conversations": […], …}` wrapper are read one at a time."""
    chunks = part.chunks()
    head = next(chunks, b"")
    wrapper = _WRAPPER.match(head)
    splitter = EntrySplitter(limits, one_list=wrapper is not None)
    for chunk in chain([head[wrapper.end() :] if wrapper else head], chunks):
        yield from splitter.feed(chunk)
    yield from splitter.finish()


def entry_location(part: Part, number: int) -> str:
    """The location of an entry: the position of one of several sources, the file and its number."""
    return _location_in_file(part, f"entry {number:,}")


def _location(part: Part, raw: RawEntry, title: object) -> str:
    place = entry_location(part, raw.index)
    named = printable(title, _MAX_TITLE_LENGTH) if isinstance(title, str) else ""
    return f"{place} (“{named}”)" if named else place


def _location_in_file(part: Part, place: str) -> str:
    return " ".join(filter(None, (part.position, printable(part.name, _MAX_NAME_LENGTH), place)))


def printable(text: str, length: int) -> str:
    """The text as one line of at most this length, safe for a terminal."""
    words = " ".join(text.split())
    clean = "".join(letter if letter.isprintable() else "\ufffd" for letter in words[: length + 1])
    return clean if len(clean) <= length else f"{clean[: length - 1]}…"


def _title_in(data: bytes) -> str | None:
    """The title at the beginning of an unreadable entry, if there is one."""
    found = _TITLE.search(data[:_HEAD_BYTES])
    if not found:
        return None
    try:
        return str(json.loads(b'"' + found[1] + b'"', strict=False))
    except ValueError:
        return None
