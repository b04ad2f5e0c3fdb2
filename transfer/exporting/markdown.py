"""Pages in Markdown: those of an export, and excerpts of what its owner selected."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory.aaak import Pointer
from memory.drawers import pointer_of
from memory.models import Drawer, Fact
from memory.organize.selection import Item, named
from memory.outgoing import Outgoing
from memory.text.forms import edge
from memory.text.names import slugify
from memory.text.owner_sentences import MAX_WORDS_LENGTH, for_owner
from transfer.exporting.kinds import read

_RUN_OF_TICKS = re.compile(r"`{3,}")
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~>])")


def fenced(text: str) -> str:
    """Text as a code block that shows exactly its characters."""
    longest = max((len(run) for run in _RUN_OF_TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}\n{fence}\n"


def plain(text: str) -> str:
    """A name or short sentence on one line, with Markdown and HTML escaped."""
    line = " ".join(text.split())
    line = line.replace("&", "&amp;").replace("<", "&lt;")
    return _MARKUP.sub(r"\\\1", line)


MAX_NAME_LENGTH = 40

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
ORDER BY wing.ordinal, wing.id, room.ordinal, room.id, t.source_sequence, t.said_at, t.id
"""
_FACTS = """
SELECT t.id, t.statement, t.predicate, t.value, t.object, t.persons, t.mined_by, t.kind, t.valid_from,
       t.valid_to, t.valid_from < t.valid_to AND t.valid_to <= now() AS over,
       drawer.pointer_wing, drawer.pointer_room, drawer.pointer_drawer,
       source.start, source."end", drawer.content
FROM memory_fact t
LEFT JOIN memory_factsource source ON source.user_id = t.user_id AND source.fact_id = t.id
LEFT JOIN memory_drawer drawer ON drawer.user_id = source.user_id
  AND drawer.id = source.drawer_id AND drawer.deleted_at IS NULL
WHERE t.user_id = %(user)s AND t.deleted_at IS NULL AND t.merged_into_id IS NULL
  AND t.status IN ('active', 'superseded')
ORDER BY t.valid_from, t.id, drawer.said_at, source.id
"""
_RELATIONS = """
SELECT CASE WHEN subject.type = 'user' THEN '' ELSE subject.name END AS subject, t.relation,
       CASE WHEN object.type = 'user' THEN '' ELSE object.name END AS object, t.valid_from, t.valid_to,
       coalesce(t.valid_to <= now(), FALSE) AS over, drawer.pointer_wing, drawer.pointer_room,
       drawer.pointer_drawer
FROM memory_relation t
JOIN memory_entity subject ON subject.user_id = t.user_id AND subject.id = t.subject_id
JOIN memory_entity object ON object.user_id = t.user_id AND object.id = t.object_id
JOIN memory_drawer drawer ON drawer.user_id = t.user_id AND drawer.id = t.drawer_id
WHERE t.user_id = %(user)s AND t.deleted_at IS NULL
ORDER BY subject.name, subject.id, t.relation, t.valid_from, t.id
"""

_NAMES = {"wing_name", "title", "closet", "annotation", "statement", "subject", "object"}

Row = Mapping[str, Any]

_OF_A_FACT = ("statement", "predicate", "value", "object", "persons", "mined_by")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of an export: its path in the archive and its text in pieces."""

    path: str
    text: Iterator[str]


def pages(user_id: UUID) -> Iterator[Page]:
    """The pages of an export, the index last. Read each before asking for the next.

    Runs inside a transaction.
    """
    index: list[str] = []
    out = Outgoing(user_id)
    drawers = _rows(_DRAWERS, user_id, out)
    for _place, group in groupby(drawers, key=lambda row: (row["wing"], row["room"])):
        room = iter(group)
        first = next(room)
        path = _path(first)
        index.append(_entry(first, path))
        yield Page(f"reading/{path}", _room(first, room, out))
    yield Page("reading/facts.md", _facts(user_id, out))
    yield Page("reading/people-and-things.md", _relations(user_id, out))
    yield Page("reading/index.md", _index(index))


def _rows(query: str, user_id: UUID, out: Outgoing) -> Iterator[Row]:
    """The rows with secrets masked, except in contents, of which a part may be shown."""
    for columns, values in read(query, {"user": user_id}):
        row = dict(zip(columns, values, strict=True))
        yield row | {name: out.words(row[name]) for name in _NAMES & row.keys() if row[name]}


def _path(row: Row) -> str:
    wing = f"W-{row['wing']:03}-{slugify(row['wing_name'])[:MAX_NAME_LENGTH]}".rstrip("-")
    return f"{wing}/R-{row['room']:02}-{row['started_at']:%Y-%m-%d}.md"


def _entry(row: Row, path: str) -> str:
    wing, room = plain(row["wing_name"]), plain(row["title"])
    return f"- {wing} › [{room or 'A room'}](<{path}>), {row['started_at']:%Y-%m-%d}\n"


def _room(first: Row, following: Iterator[Row], out: Outgoing) -> Iterator[str]:
    yield f"# {plain(first['title']) or 'A room'}\n\n"
    yield f"Wing: {plain(first['wing_name'])} ({first['wing_kind']})\n\n"
    closet = None
    for row in (first, *following):
        if row["closet"] != closet:
            closet = row["closet"]
            yield f"## {plain(closet)}\n\n"
        yield _drawer(row, out)


def _drawer(row: Row, out: Outgoing) -> str:
    marks = [name for name in ("pinned", "sensitive") if row[name]]
    return _said(row, _pointer(row), marks, "Your note on it:", out)


def _said(row: Row, pointer: str, about: Sequence[str], noted: str, out: Outgoing) -> str:
    """A drawer verbatim but for secrets, and its annotation if it has one."""
    speaker = plain(row["speaker"]) or str(Drawer.Role(row["role"]).label)
    told = " · ".join((speaker, f"{row['said_at']:%Y-%m-%d %H:%M} UTC", *about))
    note = f"{noted}\n\n{fenced(out.words(row['annotation']))}\n" if row["annotation"] else ""
    return f"### {pointer}\n\n{told}\n\n{fenced(out.words(row['content']))}\n{note}"


def _pointer(row: Row) -> str:
    parts = (row["pointer_wing"], row["pointer_room"], row["pointer_drawer"])
    return "" if None in parts else str(Pointer(*parts))


def _facts(user_id: UUID, out: Outgoing) -> Iterator[str]:
    yield "# What was understood\n\nEach with its source.\n\n"
    for _fact, group in groupby(_rows(_FACTS, user_id, out), key=lambda row: row["id"]):
        first = next(group)
        yield f"- {plain(_to_owner(first, out))} ({first['kind']}, {_window(first)})\n"
        for row in (first, *group):
            if row["pointer_wing"] is not None:
                yield f"  - “{plain(_quote(row, out))}” {_pointer(row)}\n"


def _to_owner(row: Row, out: Outgoing) -> str:
    """A fact as its owner reads it."""
    fact = Fact(**{name: row[name] for name in _OF_A_FACT})
    return out.words(for_owner(fact, lambda: _quote(row, out)[:MAX_WORDS_LENGTH], over=bool(row["over"])))


def _quote(row: Row, out: Outgoing) -> str:
    return out.words(row["content"], row["start"], row["end"]) if row["content"] else ""


def _relations(user_id: UUID, out: Outgoing) -> Iterator[str]:
    yield "# People and things\n\n"
    for row in _rows(_RELATIONS, user_id, out):
        said = edge(row["relation"], row["subject"], row["object"], over=row["over"]).sentence
        yield f"- {plain(said)} ({_window(row)}) {_pointer(row)}\n"


def _window(row: Row) -> str:
    since = f"since {row['valid_from']:%Y-%m-%d}"
    return f"{since} until {row['valid_to']:%Y-%m-%d}" if row["valid_to"] else since


def _index(entries: list[str]) -> Iterator[str]:
    yield "# Your memory\n\nEvery room is a page with what was said, word for word; secrets are masked.\n\n"
    yield "- [What was understood](<facts.md>)\n- [People and things](<people-and-things.md>)\n"
    yield from entries


MAX_DRAWERS = 5_000
"""The most one excerpt holds; beyond that, export everything."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A page in Markdown, how many drawers it has, and how many things were left out."""

    text: str
    drawers: int
    left_out: int


def excerpt(user_id: UUID, items: Sequence[Item]) -> Excerpt:
    """The selected drawers and those in the selected places, room by room, verbatim but for secrets. The top
    says how many are gone or did not fit."""
    gone = sum(not each.name for each in named(user_id, items))
    found = _drawers(user_id, items)
    drawers = list(found[:MAX_DRAWERS])
    further = found.count() - len(drawers) if len(drawers) == MAX_DRAWERS else 0
    head = f"# {_('From your palace')}\n\n{_summary(len(drawers), gone + further)}\n\n"
    return Excerpt(head + "".join(_pages(drawers, Outgoing(user_id))), len(drawers), gone + further)


def _drawers(user_id: UUID, items: Iterable[Item]) -> QuerySet[Drawer]:
    chosen: dict[str, list[UUID]] = {}
    for each in items:
        chosen.setdefault(each.scope, []).append(each.id)
    inside = Q(id__in=chosen.get("drawer", ()))
    for place in ("closet", "room", "wing"):
        inside |= Q(**{f"{place}_id__in": chosen.get(place, ())})
    live = Drawer.objects.live().filter(inside, user_id=user_id)
    return live.select_related("wing", "room", "closet").order_by(
        "wing__ordinal", "room__started_at", "room_id", "said_at", "id"
    )


def _summary(drawers: int, left_out: int) -> str:
    told = ngettext("%(count)s drawer.", "%(count)s drawers.", drawers) % {"count": drawers}
    if not left_out:
        return told
    missing = ngettext("%(count)s was left out.", "%(count)s were left out.", left_out)
    return f"{told} {missing % {'count': left_out}}"


def _pages(drawers: Iterable[Drawer], out: Outgoing) -> Iterator[str]:
    for _room_id, group in groupby(drawers, key=lambda drawer: drawer.room_id):
        several = list(group)
        first = several[0]
        wing, room = plain(out.words(first.wing.name)), plain(out.words(first.room.title))
        yield f"## {wing} › {room or _('Untitled chat')}\n\n"
        yield from (_excerpted(each, out) for each in several)


def _excerpted(drawer: Drawer, out: Outgoing) -> str:
    about = [plain(drawer.closet.name)]
    return _said(vars(drawer), str(pointer_of(drawer)), about, _("Your remark:"), out)
