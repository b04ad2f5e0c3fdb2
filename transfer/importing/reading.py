"""Reads an export of any product, one conversation at a time.

Reading a file that is cut off, damaged, nested too deeply or not Unicode raises FileRefused, so callers
that read it completely before storing anything never store half of it.
A broken entry is reported by name, and reading continues after it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any

from django.utils.translation import gettext_noop

from transfer.importing import (
    activity_pages,
    ai_studio,
    chatgpt,
    claude,
    claude_code,
    gemini,
    grok,
    librechat,
    open_webui,
)
from transfer.importing.archives import (
    DEFAULT_LIMITS,
    MEMORIES,
    PROJECTS,
    FileRefused,
    Limits,
    Part,
    Source,
    open_parts,
)
from transfer.importing.entries import Value, lines_in, values_in
from transfer.importing.threads import BrokenEntry, Entry, ImportedConversation, ImportedMessage, Raw, fields


@dataclass(frozen=True, slots=True)
class Format:
    """How the exports of one product are recognised and read.

    `parse` gets an entry and the names of projects by id, and returns None if the entry has no
    messages; a format with `gather` gets all lines of a file instead, and one with `group` a function
    that reads the entries of all its files from the start. Chats `named_by_file` have its name as title.
    """

    name: str
    recognises: Callable[[Raw], bool]
    parse: Callable[[Raw, Mapping[str, str]], ImportedConversation | None] = chatgpt.parse
    gather: Callable[[Iterable[Value]], Iterator[Entry]] | None = None
    group: Callable[[Callable[[], Iterator[Value]]], Iterator[Entry]] | None = None
    named_by_file: bool = False


FORMATS = (
    Format("Claude.ai", claude.recognises, parse=claude.parse),
    Format("Open WebUI", open_webui.recognises, parse=open_webui.parse),
    Format("LibreChat", librechat.recognises, parse=librechat.parse),
    Format("Claude Code", claude_code.recognises, gather=claude_code.gather),
    Format("Gemini", gemini.recognises, group=gemini.group),
    Format("Grok", grok.recognises, parse=grok.parse),
    Format("Google AI Studio", ai_studio.recognises, parse=ai_studio.parse, named_by_file=True),
    Format("ChatGPT", chatgpt.recognises),  # last: it also reads plain lists of messages
)


def recognise(entry: object) -> Format | None:
    """The first format that recognises an entry, or None."""
    if not isinstance(entry, Raw):
        return None
    return next((each for each in FORMATS if each.recognises(entry)), None)


MIXED = "Mixed"
OWN_EXPORT = gettext_noop("This is an export of Palace. Restore it under Settings › Export and restore.")
MEMORIES_LEFT_OUT = gettext_noop(
    "Memories saved by Claude are not chats. Copy them into “Import ChatGPT’s saved memories”, one per line."
)
_MAX_ENTRIES_SNIFFED = 1000
_LINES_SNIFFED = 20
_CHUNKS_SNIFFED = 16


def detect(source: Source, limits: Limits = DEFAULT_LIMITS) -> Format:
    """The format of an export, judged by its content and not by its name.

    Raises FileRefused, with a message for the user, for any other file.
    """
    with open_parts(source, limits) as parts:
        return _detect_format(parts, limits)


def product_of(source: Source, limits: Limits = DEFAULT_LIMITS) -> str:
    """The name of the product that an export comes from, MIXED if it has files of several, or empty."""
    with open_parts(source, limits) as parts:
        found = {product.name for part in parts if (product := _sniff(part, limits, []))}
    return MIXED if len(found) > 1 else next(iter(found), "")


def read_entries(source: Source, limits: Limits = DEFAULT_LIMITS) -> Iterator[Entry]:
    """Each conversation of an export, and each entry that cannot be read, in order.

    Memory stays within a few times the largest entry. Raises FileRefused: at the first step if
    nothing can be imported, later if a file turns out to be incomplete.
    """
    with open_parts(source, limits) as parts:
        product = _detect_format(parts, limits)
        projects = _projects(parts, limits)
        formats = [(part, _format_of_part(part, limits, product)) for part in parts]
        for part, found in formats:
            if found and found.gather:
                yield from found.gather(lines_in(part, limits))
            elif found and found.group:
                same = [each for each, other in formats if other is found]
                if part is same[0]:  # further files continue its chats
                    yield from found.group(partial(_values, same, limits))
            elif found:
                yield from _conversations(part, _values([part], limits), found, projects)
            elif part.name == MEMORIES:
                yield BrokenEntry(part.name, MEMORIES_LEFT_OUT)


def _values(parts: Iterable[Part], limits: Limits) -> Iterator[Value]:
    """The entries of JSON files and of Takeout's HTML pages."""
    for part in parts:
        read = activity_pages.entries_in if activity_pages.is_page(part) else values_in
        yield from read(part, limits)


def _conversations(
    part: Part, values: Iterator[Value], format_: Format, projects: Mapping[str, str]
) -> Iterator[Entry]:
    for value in values:
        if value.problem:
            yield BrokenEntry(value.where, value.problem)
            continue
        if not isinstance(value.value, Raw):
            yield BrokenEntry(value.where, gettext_noop("It is not a conversation."))
            continue
        product = recognise(value.value) or format_
        found = product.parse(value.value, projects)
        if found is None:
            yield BrokenEntry(value.where, gettext_noop("It contains no messages that Palace can read."))
        else:
            title = part.name.removesuffix(".json") if product.named_by_file else found.title
            yield replace(found, title=title)


def _detect_format(parts: Sequence[Part], limits: Limits) -> Format:
    problems: list[str] = []
    for part in parts:
        if found := _sniff(part, limits, problems):
            return found
    if any(part.name == "manifest.json" and b"palace-export" in next(part.chunks(), b"") for part in parts):
        raise FileRefused(OWN_EXPORT)
    raise FileRefused(_not_an_export(problems))


def _format_of_part(part: Part, limits: Limits, product: Format) -> Format | None:
    """The format of one file of an export, or None if it holds something other than chats.

    A file whose beginning cannot be read is treated as chats, so that its loss is reported.
    """
    problems: list[str] = []
    return _sniff(part, limits, problems) or (product if any(problems) else None)


def _sniff(part: Part, limits: Limits, problems: list[str]) -> Format | None:
    """The format of the beginning of a file; collects the problem of each entry before it."""
    for line in islice(lines_in(part, limits, _CHUNKS_SNIFFED), _LINES_SNIFFED):
        found = recognise(line.value)
        if found and found.gather:
            return found
    for value in islice(_values([part], limits), _MAX_ENTRIES_SNIFFED):
        if found := recognise(value.value):
            return found
        problems.append(value.problem)
    return None


def _projects(parts: Sequence[Part], limits: Limits) -> Mapping[str, str]:
    """The names of projects listed beside the chats, by id."""
    names: dict[str, str] = {}
    for part in parts:
        if part.name == PROJECTS:
            for value in values_in(part, limits):
                project = fields(value.value)
                names[project.text("uuid")] = project.text("name")
    return names


def _not_an_export(problems: Sequence[str]) -> str:
    if not problems:
        return gettext_noop("There is no conversation in this export.")
    if problems[0]:
        return f"This is not a readable export. Its first entry fails: {problems[0]}"
    return gettext_noop("This is a JSON file, but not an export of chats: its entries contain no messages.")


_MAX_BROKEN_LISTED = 100


@dataclass(slots=True)
class Preview:
    """The result of a dry run: counts, the time span, and what could not be read.

    `entries` are the steps of an import. `branches` counts the alternatives beyond the first at each
    fork. `duplicates` are conversations whose id occurred before in the file. `broken` names the first
    hundred of `broken_entries`. `repairs` counts each sentence about a flaw that was fixed.
    """

    entries: int = 0
    conversations: int = 0
    empty_conversations: int = 0
    duplicates: int = 0
    by_role: Counter[str] = field(default_factory=Counter)
    tool_calls: int = 0
    branches: int = 0
    broken_entries: int = 0
    broken: list[BrokenEntry] = field(default_factory=list)
    repairs: Counter[str] = field(default_factory=Counter)
    first_said_at: datetime | None = None
    last_said_at: datetime | None = None
    _seen: set[str] = field(default_factory=set)

    @property
    def messages(self) -> int:
        return self.by_role.total()

    def plain(self) -> dict[str, Any]:
        """The counts as JSON, without the names of entries, which are their owner's words."""
        first, last = self.first_said_at, self.last_said_at
        return {
            "entries": self.entries,
            "conversations": self.conversations - self.empty_conversations - self.duplicates,
            "empty": self.empty_conversations,
            "duplicates": self.duplicates,
            "messages": self.messages,
            "by_role": dict(self.by_role),
            "branches": self.branches,
            "tool_calls": self.tool_calls,
            "broken": self.broken_entries,
            "repairs": dict(self.repairs),
            "first_said_at": first.isoformat() if first else None,
            "last_said_at": last.isoformat() if last else None,
        }

    def add(self, entry: Entry) -> None:
        self.entries += 1
        if isinstance(entry, BrokenEntry):
            self.broken_entries += 1
            self.broken += [entry] if len(self.broken) < _MAX_BROKEN_LISTED else []
            return
        if not entry.continues:
            self.conversations += 1
            self.empty_conversations += not entry.messages
            self.duplicates += entry.external_id in self._seen
        self._seen.add(entry.external_id)
        self.repairs.update(entry.repairs)
        self._add_messages(entry.messages)

    def _add_messages(self, messages: Sequence[ImportedMessage]) -> None:
        self.branches += len(messages) - len({message.parent_external_id for message in messages})
        self.by_role.update(message.role for message in messages)
        self.tool_calls += sum(
            message.role == "assistant" and bool(message.tool_name) for message in messages
        )
        times = [message.said_at for message in messages if message.said_at]
        seen = [*times, *filter(None, (self.first_said_at, self.last_said_at))]
        self.first_said_at, self.last_said_at = min(seen, default=None), max(seen, default=None)


def summarise(entries: Iterable[Entry]) -> Preview:
    """The counts over all entries, in one pass."""
    preview = Preview()
    for entry in entries:
        preview.add(entry)
    return preview
