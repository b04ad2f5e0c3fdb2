"""The pages of an export in Markdown."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from uuid import UUID

from memory.facts.queries import for_display, with_quotes
from memory.facts.validity import HOLDS_OR_HELD
from memory.models import Drawer, Fact, Relation
from memory.outgoing import Outgoing
from memory.text.names import slugify

MAX_NAME_LENGTH = 40
CHUNK_SIZE = 500

_INDEX = (
    "# Your memory\n\nEvery room is a page with what was said, word for word; secrets are masked.\n\n",
    "- [What was understood](<facts.md>)\n- [People and things](<people-and-things.md>)\n",
)

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


def pages(user_id: UUID) -> Iterator[tuple[str, Iterator[str]]]:
    """The path and the text, in chunks, of each page of an export, the index last. Consume each page before
    the next.

    Runs inside a transaction.
    """
    index: list[str] = []
    out = Outgoing(user_id)
    live = Drawer.objects.live().filter(user_id=user_id).select_related("wing", "room", "closet")
    drawers = live.order_by(
        "wing__ordinal", "wing_id", "room__ordinal", "room_id", "source_sequence", "said_at", "id"
    )
    for _room_id, group in groupby(drawers.iterator(CHUNK_SIZE), key=lambda drawer: drawer.room_id):
        room = iter(group)
        first = next(room)
        path = _path(first, out)
        index.append(_entry(first, path, out))
        yield f"reading/{path}", _room(first, room, out)
    yield "reading/facts.md", _facts(user_id, out)
    yield "reading/people-and-things.md", _relations(user_id, out)
    yield "reading/index.md", chain(_INDEX, index)


def _path(drawer: Drawer, out: Outgoing) -> str:
    name = slugify(out.words(drawer.wing.name))[:MAX_NAME_LENGTH]
    wing = f"W-{drawer.wing.ordinal:03}-{name}".rstrip("-")
    return f"{wing}/R-{drawer.room.ordinal:02}-{drawer.room.started_at:%Y-%m-%d}.md"


def _entry(drawer: Drawer, path: str, out: Outgoing) -> str:
    wing, room = plain(out.words(drawer.wing.name)), plain(out.words(drawer.room.title))
    return f"- {wing} › [{room or 'A room'}](<{path}>), {drawer.room.started_at:%Y-%m-%d}\n"


def _room(first: Drawer, following: Iterable[Drawer], out: Outgoing) -> Iterator[str]:
    yield f"# {plain(out.words(first.room.title)) or 'A room'}\n\n"
    yield f"Wing: {plain(out.words(first.wing.name))} ({first.wing.kind})\n\n"
    closet = None
    for drawer in (first, *following):
        if drawer.closet.name != closet:
            closet = drawer.closet.name
            yield f"## {plain(out.words(closet))}\n\n"
        marks = [name for name in ("pinned", "sensitive") if getattr(drawer, name)]
        yield _drawer(drawer, marks, out)


def _drawer(drawer: Drawer, marks: Iterable[str], out: Outgoing) -> str:
    """A drawer verbatim but for secrets, and its annotation if it has one."""
    speaker = plain(drawer.speaker) or str(Drawer.Role(drawer.role).label)
    told = " · ".join((speaker, f"{drawer.said_at:%Y-%m-%d %H:%M} UTC", *marks))
    note = f"Your note on it:\n\n{fenced(out.words(drawer.annotation))}\n" if drawer.annotation else ""
    return f"### {drawer.pointer}\n\n{told}\n\n{fenced(out.words(drawer.content))}\n{note}"


def _facts(user_id: UUID, out: Outgoing) -> Iterator[str]:
    yield "# What was understood\n\nEach with its source.\n\n"
    facts = Fact.objects.filter(
        user_id=user_id, deleted_at=None, merged_into_id=None, status__in=HOLDS_OR_HELD
    )
    remaining = facts.order_by("valid_from", "id").iterator(CHUNK_SIZE)
    while some := list(islice(remaining, CHUNK_SIZE)):
        for known in with_quotes(user_id, some):
            fact = known.fact
            fact.statement, fact.object = out.words(fact.statement), out.words(fact.object)
            yield f"- {plain(out.words(fact.sentence))} ({fact.kind}, {_window(fact)})\n"
            for quote in known.quotes:
                yield f"  - “{plain(quote.text)}” {quote.source.drawer.pointer}\n"


def _relations(user_id: UUID, out: Outgoing) -> Iterator[str]:
    yield "# People and things\n\n"
    kept = Relation.objects.filter(user_id=user_id, deleted_at=None)
    relations = for_display(kept.select_related("drawer")).order_by(
        "subject__name", "subject_id", "relation", "valid_from", "id"
    )
    for relation in relations.iterator(CHUNK_SIZE):
        sentence = plain(out.words(relation.edge.sentence))
        yield f"- {sentence} ({_window(relation)}) {relation.drawer.pointer}\n"


def _window(held: Fact | Relation) -> str:
    since = f"since {held.valid_from:%Y-%m-%d}"
    return f"{since} until {held.valid_to:%Y-%m-%d}" if held.valid_to else since
