"""From an export file to its conversations, one at a time."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from chat.importing.archives import (
    DAMAGED,
    INCOMPLETE,
    ImportUnreadable,
    Part,
    PartDamaged,
    Source,
    open_parts,
)
from chat.importing.chatgpt import parse_conversation
from chat.importing.formats import IMPORTABLE, Format, recognise
from chat.importing.limits import DEFAULT_LIMITS, Limits
from chat.importing.splitting import EntrySplitter, EntryUnreadable, RawEntry, load_entry
from chat.importing.types import BrokenEntry, Entry, ImportedConversation

_ENTRIES_TO_SNIFF = 1000
_TITLE_SHOWN = 60
_NAME_SHOWN = 80
_TITLE = re.compile(rb'"(?:title|name)"\s*:\s*"((?:[^"\\]|\\.){0,400})')


def detect(source: Source, limits: Limits = DEFAULT_LIMITS) -> Format:
    """Return the format of an export that can be imported.

    Raises ImportUnreadable, with a sentence for the person, for any other file.
    """
    with open_parts(source, limits) as parts:
        return _importable(parts, limits)


def read_entries(source: Source, limits: Limits = DEFAULT_LIMITS) -> Iterator[Entry]:
    """Yield each conversation of an export, and each entry that could not be read, in order.

    `source` is a path or a seekable binary file. Memory stays within a few times the largest
    entry. The first step raises ImportUnreadable when nothing of the file can be imported.
    """
    with open_parts(source, limits) as parts:
        _importable(parts, limits)
        for part in parts:
            yield from _entries(part, limits)


def _importable(parts: Sequence[Part], limits: Limits) -> Format:
    problems: list[str] = []
    for part in parts:
        for raw in islice(_raw_entries(part, limits), _ENTRIES_TO_SNIFF):
            found = _sniffed(raw, problems)
            if found in IMPORTABLE:
                return found
            if found:
                article = "an" if found[0] in "AEIOU" else "a"
                raise ImportUnreadable(
                    f"This looks like {article} {found} export, which Palace cannot import yet."
                )
    raise ImportUnreadable(_not_an_export(problems))


def _sniffed(raw: RawEntry, problems: list[str]) -> Format | None:
    try:
        found = [recognise(value) for value in _unwrapped(_loaded(raw)[0])]
    except EntryUnreadable as error:
        problems.append(str(error))
        return None
    problems += [""] * (not any(found))
    return next((each for each in found if each), None)


def _not_an_export(problems: Sequence[str]) -> str:
    if not problems:
        return "There is no conversation in this export."
    if DAMAGED in problems:
        return INCOMPLETE
    if problems[0]:
        return f"This is not a readable ChatGPT export. Its first entry fails: {problems[0]}"
    return "This is a JSON file, but not a ChatGPT export: its entries hold no messages."


def _entries(part: Part, limits: Limits) -> Iterator[Entry]:
    for raw in _raw_entries(part, limits):
        try:
            value, repairs = _loaded(raw)
        except EntryUnreadable as error:
            yield BrokenEntry(_where(part, raw.index, _title_in(raw.data)), str(error))
            continue
        for inner in _unwrapped(value):
            title = inner.get("title") if isinstance(inner, dict) else None
            entry = parse_conversation(inner, where=_where(part, raw.index, title))
            yield _with_repairs(entry, repairs)


def _with_repairs(entry: Entry, repairs: tuple[str, ...]) -> Entry:
    if isinstance(entry, ImportedConversation) and repairs:
        return replace(entry, repairs=(*repairs, *entry.repairs))
    return entry


def _raw_entries(part: Part, limits: Limits) -> Iterator[RawEntry]:
    splitter = EntrySplitter(limits)
    damage = ""
    try:
        for chunk in part.chunks():
            yield from splitter.feed(chunk)
            if splitter.stopped:
                break
    except PartDamaged as error:
        damage = str(error)
    yield from splitter.finish()
    if damage:
        yield RawEntry(splitter.count + 1, b"", damage)


def _loaded(raw: RawEntry) -> tuple[object, tuple[str, ...]]:
    if raw.problem:
        raise EntryUnreadable(raw.problem)
    return load_entry(raw.data)


def _unwrapped(value: object) -> list[object]:
    """Return the conversations of a `{"conversations": […]}` wrapper, else the value alone."""
    inner = value.get("conversations") if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else [value]


def _where(part: Part, index: int, title: object) -> str:
    place = f"{_shown(part.name, _NAME_SHOWN)} entry {index:,}"
    named = _shown(title, _TITLE_SHOWN) if isinstance(title, str) else ""
    return f"{place} (“{named}”)" if named else place


def _shown(text: str, length: int) -> str:
    words = " ".join(text.split())
    clean = "".join(letter if letter.isprintable() else "\ufffd" for letter in words[: length + 1])
    return clean if len(clean) <= length else f"{clean[: length - 1]}…"


def _title_in(data: bytes) -> str | None:
    """Return the title that the beginning of an unreadable entry seems to have."""
    found = _TITLE.search(data[:4096])
    if not found:
        return None
    try:
        return str(load_entry(b'"' + found[1] + b'"')[0])
    except EntryUnreadable:
        return None
