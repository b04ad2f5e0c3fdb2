"""From an export to its conversations, one at a time, whatever product it comes from.

A file that is cut off, damaged, bottomless or not Unicode is no export: reading it ends in
ImportUnreadable. So whoever reads it through once before anything is kept, never keeps half of it.
An entry that is broken in itself is told by its name, and reading goes on behind it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from django.utils.translation import gettext_noop

from chat.importing import chatgpt, claude, librechat, open_webui
from chat.importing.archives import Source, open_parts
from chat.importing.claude_code import Sessions
from chat.importing.entries import (
    BREAKS_OFF,
    Letters,
    Value,
    first_lines,
    is_cut_off,
    lines_in,
    values_in,
)
from chat.importing.formats import Format, recognise
from chat.importing.limits import DEFAULT_LIMITS, Limits
from chat.importing.parts import PROJECTS, ImportUnreadable, Part
from chat.importing.types import BrokenEntry, Entry, ImportedConversation
from chat.importing.values import fields, plain_text

Parser = Callable[[object, str, Mapping[str, str]], Entry]

_SNIFFED = 1000
_LINES_SNIFFED = 20
_PARSERS: Mapping[Format, Parser] = {
    Format.CHATGPT: lambda raw, where, projects: chatgpt.parse_conversation(raw, where=where),
    Format.CLAUDE: claude.parse_conversation,
    Format.OPEN_WEBUI: open_webui.parse_conversation,
    Format.LIBRECHAT: librechat.parse_conversation,
}


def detect(source: Source, limits: Limits = DEFAULT_LIMITS) -> Format:
    """Return the product that an export comes from, told by its shape and not by its name.

    Raises ImportUnreadable, with a sentence for the person, for any other file.
    """
    with open_parts(source, limits) as parts:
        return _product(parts, limits)


def read_entries(source: Source, limits: Limits = DEFAULT_LIMITS) -> Iterator[Entry]:
    """Yield each conversation of an export, and each entry that could not be read, in order.

    `source` is a path, a folder or a seekable binary file. Memory stays within a few times the
    largest entry. Raises ImportUnreadable: at the first step when nothing of it can be imported,
    later when the file turns out to be no whole export.
    """
    letters = Letters()
    with open_parts(source, limits) as parts:
        product = _product(parts, limits)
        projects = _projects(parts, limits)
        for part in parts:
            shape = _shape(part, limits, product)
            if shape is Format.CLAUDE_CODE:
                yield from _sessions(lines_in(part, limits, letters))
            elif shape:
                yield from _conversations(values_in(part, limits, letters), shape, projects)
    letters.check()


def _conversations(
    values: Iterator[Value], shape: Format, projects: Mapping[str, str]
) -> Iterator[Entry]:
    for value in values:
        if value.problem:
            yield BrokenEntry(value.where, value.problem)
            continue
        parse = _PARSERS.get(recognise(value.value) or shape, _PARSERS[Format.CHATGPT])
        entry = parse(value.value, value.where, projects)
        yield _with_repairs(entry, value.repairs)


def _sessions(lines: Iterator[Value]) -> Iterator[Entry]:
    sessions = Sessions()
    for line in lines:
        if line.problem:
            yield BrokenEntry(line.where, line.problem)
        else:
            yield from sessions.take(line.value, line.where)
    yield from sessions.finish()


def _with_repairs(entry: Entry, repairs: tuple[str, ...]) -> Entry:
    if isinstance(entry, ImportedConversation) and repairs:
        return replace(entry, repairs=(*repairs, *entry.repairs))
    return entry


def _product(parts: Sequence[Part], limits: Limits) -> Format:
    problems: list[str] = []
    for part in parts:
        if found := _sniffed(part, limits, problems):
            return found
    raise ImportUnreadable(_not_an_export(problems))


def _shape(part: Part, limits: Limits, product: Format) -> Format | None:
    """What a file of an export holds, None when it is something else than chats.

    A file whose beginning cannot be read is taken for chats, so that its loss is told.
    """
    problems: list[str] = []
    return _sniffed(part, limits, problems) or (product if any(problems) else None)


def _sniffed(part: Part, limits: Limits, problems: list[str]) -> Format | None:
    """What the beginning of a file looks like; tells the problem of each entry before it."""
    if _is_of_lines(part, limits):
        return Format.CLAUDE_CODE
    if is_cut_off(part):
        raise ImportUnreadable(BREAKS_OFF)
    for value in islice(values_in(part, limits, Letters()), _SNIFFED):
        found = recognise(value.value)
        if found:
            return found
        problems.append(value.problem)
    return None


def _is_of_lines(part: Part, limits: Limits) -> bool:
    lines = islice(first_lines(part, limits), _LINES_SNIFFED)
    return any(recognise(line.value) is Format.CLAUDE_CODE for line in lines)


def _projects(parts: Sequence[Part], limits: Limits) -> Mapping[str, str]:
    """The names of the projects that an export lists beside its chats, by their ids."""
    names: dict[str, str] = {}
    for part in parts:
        if part.name == PROJECTS:
            for value in values_in(part, limits, Letters()):
                project = fields(value.value)
                names[plain_text(project.get("uuid"))] = plain_text(project.get("name"))
    return names


def _not_an_export(problems: Sequence[str]) -> str:
    if not problems:
        return gettext_noop("There is no conversation in this export.")
    if problems[0]:
        return f"This is not a readable export. Its first entry fails: {problems[0]}"
    return gettext_noop(
        "This is a JSON file, but not an export of chats: its entries hold no messages."
    )
