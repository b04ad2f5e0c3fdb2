"""Reads an export of any product, one conversation at a time.

A file that is cut off, damaged, bottomless or not Unicode is no export: reading it ends in
ImportUnreadable, so whoever reads it through once before keeping anything never keeps half of it.
An entry that is broken in itself is reported by name, and reading continues behind it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from django.utils.translation import gettext_noop

from transfer.importing import activity_pages
from transfer.importing.archives import (
    DEFAULT_LIMITS,
    PROJECTS,
    ImportUnreadable,
    Limits,
    Part,
    Source,
    open_parts,
)
from transfer.importing.entries import (
    BREAKS_OFF,
    Letters,
    Value,
    first_lines,
    is_cut_off,
    lines_in,
    values_in,
)
from transfer.importing.formats import Format, recognise
from transfer.importing.types import BrokenEntry, Entry
from transfer.importing.values import fields, plain_text

_SNIFFED = 1000
_LINES_SNIFFED = 20


def detect(source: Source, limits: Limits = DEFAULT_LIMITS) -> Format:
    """The format of an export, judged by its content and not by its name.

    Raises ImportUnreadable, with a sentence for the person, for any other file.
    """
    with open_parts(source, limits) as parts:
        return _format(parts, limits)


def read_entries(source: Source, limits: Limits = DEFAULT_LIMITS) -> Iterator[Entry]:
    """Each conversation of an export, and each entry that cannot be read, in order.

    `source` is a path, a folder or a seekable binary file. Memory stays within a few times the
    largest entry. Raises ImportUnreadable: at the first step if nothing can be imported, later if
    the file turns out to be incomplete.
    """
    letters = Letters()
    with open_parts(source, limits) as parts:
        product = _format(parts, limits)
        projects = _projects(parts, limits)
        for part in parts:
            found = _format_of_part(part, limits, product)
            if found and found.gather:
                yield from found.gather(lines_in(part, limits, letters))
            elif found and found.group:
                yield from found.group(partial(_values, part, limits, letters))
            elif found:
                yield from _conversations(part, _values(part, limits, letters), found, projects)
    letters.check()


def _values(part: Part, limits: Limits, letters: Letters) -> Iterator[Value]:
    """The entries of a file, which may be a web page of Takeout."""
    read = activity_pages.entries_in if activity_pages.is_page(part) else values_in
    return read(part, limits, letters)


def _conversations(
    part: Part, values: Iterator[Value], format_: Format, projects: Mapping[str, str]
) -> Iterator[Entry]:
    for value in values:
        if value.problem:
            yield BrokenEntry(value.where, value.problem)
            continue
        if not isinstance(value.value, dict):
            yield BrokenEntry(value.where, gettext_noop("It is not a conversation."))
            continue
        product = recognise(value.value) or format_
        found = product.parse(value.value, projects)
        if found is None:
            yield BrokenEntry(value.where, gettext_noop("It has no messages that Palace can find."))
        else:
            title = part.name.removesuffix(".json") if product.named_by_file else found.title
            yield replace(found, title=title, repairs=(*value.repairs, *found.repairs))


def _format(parts: Sequence[Part], limits: Limits) -> Format:
    problems: list[str] = []
    for part in parts:
        if found := _sniffed(part, limits, problems):
            return found
    raise ImportUnreadable(_not_an_export(problems))


def _format_of_part(part: Part, limits: Limits, product: Format) -> Format | None:
    """The format of one file of an export, or None if it holds something other than chats.

    A file whose beginning cannot be read is taken for chats, so that its loss is reported.
    """
    problems: list[str] = []
    return _sniffed(part, limits, problems) or (product if any(problems) else None)


def _sniffed(part: Part, limits: Limits, problems: list[str]) -> Format | None:
    """The format of the beginning of a file; collects the problem of each entry before it."""
    for line in islice(first_lines(part, limits), _LINES_SNIFFED):
        found = recognise(line.value)
        if found and found.gather:
            return found
    if is_cut_off(part) and not activity_pages.is_page(part):
        raise ImportUnreadable(BREAKS_OFF)
    for value in islice(_values(part, limits, Letters()), _SNIFFED):
        if found := recognise(value.value):
            return found
        problems.append(value.problem)
    return None


def _projects(parts: Sequence[Part], limits: Limits) -> Mapping[str, str]:
    """The names of projects listed beside the chats, by id."""
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
    return gettext_noop("This is a JSON file, but not an export of chats: its entries hold no messages.")
