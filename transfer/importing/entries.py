"""Yields the values in one file of an export, each with its place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from django.utils.translation import gettext_noop

from transfer.importing.archives import ImportUnreadable, Limits, Part
from transfer.importing.splitting import (
    ENDS_EARLY,
    REST_MISSING,
    EntrySplitter,
    EntryUnreadable,
    LineSplitter,
    RawEntry,
    load_entry,
    load_nested,
    too_deep,
)

BREAKS_OFF = gettext_noop("This file stops before its end. Downloading it again may help.")
BOTTOMLESS = gettext_noop("This file is nested so deep that it cannot be an export.")
NOT_UNICODE = gettext_noop("This file is not written in Unicode (UTF-8), so its words cannot be read.")

_MOST_STRAY = 1000
_CHUNKS_SNIFFED = 16
_TITLE_SHOWN = 60
_NAME_SHOWN = 80
_TITLE = re.compile(rb'"(?:title|name)"\s*:\s*"((?:[^"\\]|\\.){0,400})')
_WRAPPER = re.compile(rb'\s*\{\s*"conversations"\s*:\s*(?=\[)')


@dataclass(frozen=True, slots=True)
class Value:
    """A value and `where` it is, or the `problem` that kept it from being read."""

    where: str
    value: object = None
    repairs: tuple[str, ...] = ()
    problem: str = ""


class Letters:
    """Counts invalid characters to detect files that are not Unicode."""

    def __init__(self) -> None:
        self._good = self._stray = 0

    def read(self, data: bytes) -> None:
        """Count characters beyond ASCII. Raises ImportUnreadable if most are invalid."""
        if data.isascii():
            return
        text = data.decode("utf-8", "replace")
        self._good += len(data) - len(text)
        self._stray += text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
        if self._stray > _MOST_STRAY:
            self.check()

    def check(self) -> None:
        """Raise ImportUnreadable if more characters were invalid than valid."""
        if self._stray > self._good:
            raise ImportUnreadable(NOT_UNICODE)


def values_in(part: Part, limits: Limits, letters: Letters) -> Iterator[Value]:
    """Each entry of the outermost list; objects outside any list are entries too.

    Raises ImportUnreadable if the file is cut off, damaged or bottomless.
    """
    for raw in _entries(part, limits):
        letters.read(raw.data)
        try:
            value, repairs = _loaded(raw, limits)
        except EntryUnreadable as error:
            yield Value(_place(part, raw, _title_in(raw.data)), problem=str(error))
            continue
        for inner in _unwrapped(value):
            title = inner.get("title") if isinstance(inner, dict) else None
            yield Value(_place(part, raw, title), inner, repairs)


def lines_in(part: Part, limits: Limits, letters: Letters) -> Iterator[Value]:
    """The value on each line. A cut-off file only loses its last line."""
    splitter = LineSplitter(limits)
    for chunk in part.chunks():
        yield from _of_lines(splitter.feed(chunk), part, limits, letters)
    yield from _of_lines(splitter.finish(), part, limits, letters)


def first_lines(part: Part, limits: Limits) -> Iterator[Value]:
    """The values on the first lines, at most a megabyte; the last may be cut off."""
    splitter = LineSplitter(limits)
    for chunk in islice(part.chunks(), _CHUNKS_SNIFFED):
        yield from _of_lines(splitter.feed(chunk), part, limits, Letters())
    yield from _of_lines(splitter.finish(), part, limits, Letters())


def is_cut_off(part: Part) -> bool:
    """Whether the end of the file, if known, shows that it is incomplete."""
    end = part.tail.strip(b"\x00 \t\r\n")
    return bool(end) and not end.endswith((b"]", b"}"))


def _of_lines(lines: Iterator[RawEntry], part: Part, limits: Limits, letters: Letters) -> Iterator[Value]:
    for raw in lines:
        letters.read(raw.data)
        where = _in_file(part, f"line {raw.index:,}")
        try:
            value, repairs = _line(raw, limits)
        except EntryUnreadable as error:
            yield Value(where, problem=str(error))
            continue
        yield Value(where, value, repairs)


def _line(raw: RawEntry, limits: Limits) -> tuple[object, tuple[str, ...]]:
    """The value of a line; its depth is at most its number of brackets."""
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
    return list(value.values()) if isinstance(value, dict) else list(value)  # type: ignore[call-overload]


def _entries(part: Part, limits: Limits) -> Iterator[RawEntry]:
    """The raw entries; those of a `{"conversations": […], …}` wrapper are read one at a time."""
    chunks = part.chunks()
    head = next(chunks, b"")
    wrapper = _WRAPPER.match(head)
    splitter = EntrySplitter(limits, one_list=wrapper is not None)
    for chunk in chain([head[wrapper.end() :] if wrapper else head], chunks):
        yield from splitter.feed(chunk)
        if splitter.stopped:
            raise ImportUnreadable(BOTTOMLESS)
    for raw in splitter.finish():
        if raw.problem in (ENDS_EARLY, REST_MISSING):
            raise ImportUnreadable(BREAKS_OFF)
        yield raw


def _loaded(raw: RawEntry, limits: Limits) -> tuple[object, tuple[str, ...]]:
    if raw.problem:
        raise EntryUnreadable(raw.problem)
    if raw.depth > limits.depth:
        return load_nested(raw.data, limits.depth), ()
    return load_entry(raw.data)


def _unwrapped(value: object) -> list[object]:
    """The conversations of a `{"conversations": […]}` wrapper, else the value alone."""
    inner = value.get("conversations") if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else [value]


def place_of(part: Part, number: int) -> str:
    """Where an entry is: its number, behind the name of the file if that is known."""
    return _in_file(part, f"entry {number:,}")


def _place(part: Part, raw: RawEntry, title: object) -> str:
    place = place_of(part, raw.index)
    named = _shown(title, _TITLE_SHOWN) if isinstance(title, str) else ""
    return f"{place} (“{named}”)" if named else place


def _in_file(part: Part, place: str) -> str:
    return f"{_shown(part.name, _NAME_SHOWN)} {place}".lstrip()


def _shown(text: str, length: int) -> str:
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
