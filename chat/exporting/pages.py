"""The part of an export that people read: a page of Markdown a room, what was understood, and an
index."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chat.exporting.markdown import fenced, plain
from chat.exporting.rows import Scope, read
from memory.aaak import Pointer
from memory.models import Drawer
from memory.names import slugify

LONGEST_NAME = 40

_DRAWERS = """
SELECT wing.ordinal AS wing, wing.name AS wing_name, wing.kind AS wing_kind,
       room.ordinal AS room, room.title, room.started_at, closet.name AS closet,
       t.pointer_wing, t.pointer_room, t.pointer_drawer, t.role, t.speaker, t.said_at, t.content,
       t.annotation, t.pinned, t.sensitive
FROM memory_drawer t
JOIN memory_wing wing ON wing.user_id = t.user_id AND wing.id = t.wing_id
JOIN memory_room room ON room.user_id = t.user_id AND room.id = t.room_id
JOIN memory_closet closet ON closet.user_id = t.user_id AND closet.id = t.closet_id
WHERE t.user_id = %(user)s AND t.deleted_at IS NULL
  AND (%(wing)s::uuid IS NULL OR t.wing_id = %(wing)s)
ORDER BY wing.ordinal, wing.id, room.ordinal, room.id, t.source_sequence, t.said_at, t.id
"""
_FACTS = """
SELECT t.id, t.statement, t.kind, t.status, t.valid_from, t.valid_to, drawer.pointer_wing,
       drawer.pointer_room, drawer.pointer_drawer,
       substr(drawer.content, source.start + 1, source."end" - source.start) AS quote
FROM memory_fact t
LEFT JOIN memory_factsource source ON source.user_id = t.user_id AND source.fact_id = t.id
LEFT JOIN memory_drawer drawer ON drawer.user_id = source.user_id
  AND drawer.id = source.drawer_id AND drawer.deleted_at IS NULL
WHERE t.user_id = %(user)s AND t.deleted_at IS NULL AND t.merged_into_id IS NULL
  AND t.status IN ('active', 'superseded')
  AND (%(wing)s::uuid IS NULL OR drawer.wing_id = %(wing)s)
ORDER BY t.valid_from, t.id, drawer.said_at, source.id
"""
_RELATIONS = """
SELECT subject.name AS subject, t.relation, object.name AS object, t.valid_from, t.valid_to,
       drawer.pointer_wing, drawer.pointer_room, drawer.pointer_drawer
FROM memory_relation t
JOIN memory_entity subject ON subject.user_id = t.user_id AND subject.id = t.subject_id
JOIN memory_entity object ON object.user_id = t.user_id AND object.id = t.object_id
JOIN memory_drawer drawer ON drawer.user_id = t.user_id AND drawer.id = t.drawer_id
WHERE t.user_id = %(user)s AND t.deleted_at IS NULL
  AND (%(wing)s::uuid IS NULL OR drawer.wing_id = %(wing)s)
ORDER BY subject.name, subject.id, t.relation, t.valid_from, t.id
"""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """A page to read: its path in the archive and its text, piece by piece."""

    path: str
    text: Iterator[str]


def pages(scope: Scope) -> Iterator[Page]:
    """The pages of an export, the index last. Each has to be read before the next is asked for.

    Runs inside a transaction.
    """
    index: list[str] = []
    drawers = _rows(_DRAWERS, scope)
    for _, group in groupby(drawers, key=lambda row: (row["wing"], row["room"])):
        room = iter(group)
        first = next(room)
        path = _path(first)
        index.append(_entry(first, path))
        yield Page(f"reading/{path}", _room(first, room))
    yield Page("reading/facts.md", _facts(scope))
    yield Page("reading/people-and-things.md", _relations(scope))
    yield Page("reading/index.md", _index(index))


def _rows(query: str, scope: Scope) -> Iterator[Row]:
    for columns, values in read(query, scope.parameters):
        yield dict(zip(columns, values, strict=True))


def _path(row: Row) -> str:
    wing = f"W-{row['wing']:03}-{slugify(row['wing_name'])[:LONGEST_NAME]}".rstrip("-")
    return f"{wing}/R-{row['room']:02}-{row['started_at']:%Y-%m-%d}.md"


def _entry(row: Row, path: str) -> str:
    wing, room = plain(row["wing_name"]), plain(row["title"])
    return f"- {wing} › [{room or 'A room'}](<{path}>), {row['started_at']:%Y-%m-%d}\n"


def _room(first: Row, following: Iterator[Row]) -> Iterator[str]:
    yield f"# {plain(first['title']) or 'A room'}\n\n"
    yield f"Wing: {plain(first['wing_name'])} ({first['wing_kind']})\n\n"
    closet = None
    for row in (first, *following):
        if row["closet"] != closet:
            closet = row["closet"]
            yield f"## {plain(closet)}\n\n"
        yield _drawer(row)


def _drawer(row: Row) -> str:
    speaker = plain(row["speaker"]) or str(Drawer.Role(row["role"]).label)
    marks = [name for name in ("pinned", "sensitive") if row[name]]
    about = " · ".join((speaker, f"{row['said_at']:%Y-%m-%d %H:%M} UTC", *marks))
    note = f"Your note on it:\n\n{fenced(row['annotation'])}\n" if row["annotation"] else ""
    return f"### {_pointer(row)}\n\n{about}\n\n{fenced(row['content'])}\n{note}"


def _pointer(row: Row) -> str:
    parts = (row["pointer_wing"], row["pointer_room"], row["pointer_drawer"])
    return "" if None in parts else str(Pointer(*parts))


def _facts(scope: Scope) -> Iterator[str]:
    yield "# What was understood\n\nEach with the words that it rests on.\n\n"
    for _, group in groupby(_rows(_FACTS, scope), key=lambda row: row["id"]):
        first = next(group)
        yield f"- {plain(first['statement'])} ({first['kind']}, {_window(first)})\n"
        for row in (first, *group):
            if row["pointer_wing"] is not None:
                yield f"  - “{plain(row['quote'])}” {_pointer(row)}\n"


def _relations(scope: Scope) -> Iterator[str]:
    yield "# People and things\n\n"
    for row in _rows(_RELATIONS, scope):
        said = f"{plain(row['subject'])}: {plain(row['relation'])} {plain(row['object'])}"
        yield f"- {said} ({_window(row)}) {_pointer(row)}\n"


def _window(row: Row) -> str:
    since = f"since {row['valid_from']:%Y-%m-%d}"
    return f"{since} until {row['valid_to']:%Y-%m-%d}" if row["valid_to"] else since


def _index(entries: list[str]) -> Iterator[str]:
    yield "# Your memory\n\nEvery room is a page; what was said stands there word for word.\n\n"
    yield "- [What was understood](<facts.md>)\n- [People and things](<people-and-things.md>)\n"
    yield from entries
