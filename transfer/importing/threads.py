"""Builds conversations from the message trees of any product, even damaged ones.

One message of another product may hold several things: thoughts, words, tool calls and their
results. Each becomes a separate message, one below the other.
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from django.utils.translation import gettext_noop

MAX_ID_LENGTH = 200
ATTACHMENT = "attachment"
SOURCES = "sources"
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic")


def plain_text(value: object) -> str:
    """A string or whole number as text; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value)


def plain_id(key: str) -> str:
    """The key, or a digest of it if it is empty, too long or not printable."""
    plain = 0 < len(key) <= MAX_ID_LENGTH and key.isprintable()
    return key if plain else f"hashed-{digest(key)}"


def digest(text: str) -> str:
    """A digest of 32 hex digits; the text may hold lone surrogates."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def derived_id(seed: str) -> str:
    """The id of a conversation that has none in its export."""
    return f"derived-{digest(seed)}"


def joined(*texts: str, by: str = "\n") -> str:
    """Join the texts that are not empty."""
    return by.join(filter(None, texts))


def arguments_of(given: object) -> str:
    """The arguments of a tool call, which are text or JSON."""
    return given if isinstance(given, str) and given else as_json(given or {})


def as_json(value: object) -> str:
    """The value as compact JSON without escaping non-ASCII letters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def label(kind: str, name: object) -> str:
    """The placeholder of a file in a text, such as `[image: a.jpg]`."""
    words = " ".join(name.split()) if isinstance(name, str) else ""
    return f"[{kind}: {words}]" if words else f"[{kind}]"


def file_label(name: object, *, is_image: bool) -> str:
    """A placeholder such as `[image: cat.png]` or `[file: notes.pdf]`."""
    return label("image" if is_image else "file", name)


class Raw(dict[str, object]):
    """A JSON object that may hold anything."""

    __slots__ = ()

    def text(self, name: str) -> str:
        """A string or whole number as text; empty for anything else."""
        return plain_text(self.get(name))

    def moment(self, *names: str) -> datetime | None:
        """The first of these that is a time, in UTC."""
        return next((time for name in names if (time := moment(self.get(name)))), None)

    def object(self, name: str) -> "Raw":
        """An object, else an empty one."""
        return fields(self.get(name))

    def listed(self, name: str) -> list[Any]:
        """A list, else an empty one."""
        return items(self.get(name))

    def objects(self, name: str) -> "list[Raw]":
        """The objects in a list; empty for anything else."""
        return [item for item in self.listed(name) if isinstance(item, Raw)]


def fields(value: object) -> Raw:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Raw) else Raw()


def items(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


_NUMBER = re.compile(r"\s*\d{1,16}(\.\d*)?\s*")
_FIRST_MILLISECONDS = 100_000_000_000
_FIRST, _END = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def moment(value: object) -> datetime | None:
    """An aware UTC time between 1970 and 2200 from Unix seconds, milliseconds or ISO text, else None."""
    if isinstance(value, str):
        return _from_number(float(value)) if _NUMBER.fullmatch(value) else _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def _from_number(seconds: float) -> datetime | None:
    if not math.isfinite(seconds):
        return None
    if seconds >= _FIRST_MILLISECONDS:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, tz=UTC) if 0 < seconds < _END.timestamp() else None


def _from_text(value: str) -> datetime | None:
    try:
        parsed = datetime.fromisoformat(value.strip())
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        read = aware.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return read if _FIRST < read < _END else None


Role = Literal["user", "assistant", "tool", "system"]


@dataclass(frozen=True, slots=True)
class MessagePart:
    """A part of a message in an export, verbatim.

    A tool call is an assistant's with `tool_name` and `tool_arguments`; its result is a tool's with the
    same `call_id`. A part with the role `system` was never shown as speech; `tool_name` says what it is, such
    as "thoughts". Text may hold NUL characters and lone surrogates.
    """

    role: Role
    content: str = ""
    tool_name: str = ""
    tool_arguments: str = ""
    call_id: str = ""
    model: str = ""
    said_at: datetime | None = None

    @property
    def has_content(self) -> bool:
        """Whether it holds words or arguments of a tool."""
        return bool(self.content.strip() or self.tool_arguments.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMessage(MessagePart):
    """A part as a separate message."""

    external_id: str
    parent_external_id: str | None


@dataclass(frozen=True, slots=True)
class Heading:
    """What an export says about a whole conversation. `shown` is the key of the message it was last
    open at, empty if unknown; `mine` is False if the user asked not to remember it."""

    external_id: str
    title: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    project: str = ""
    shown: str = ""
    mine: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedConversation(Heading):
    """One conversation with every branch, parents before replies.

    `current_leaf` is the external id of the message it was last open at, None without messages.
    `repairs` has a sentence for each flaw that was fixed. One that `continues` has more messages of a
    conversation too large for one part.
    """

    messages: tuple[ImportedMessage, ...]
    current_leaf: str | None
    repairs: tuple[str, ...] = ()
    continues: bool = False


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """An entry that could not be read: `where` to find it, and a sentence saying why."""

    where: str
    reason: str


Entry = ImportedConversation | BrokenEntry


UNKNOWN_AUTHOR = gettext_noop("A message has no author; it was imported as the assistant's.")
UNREADABLE_MESSAGE = gettext_noop("A message was too damaged to read and was skipped.")

_INSTRUCTIONS = "instructions"

Messages = tuple[ImportedMessage, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A message with its neighbours in the tree, and a sentence about what is wrong with it, if anything."""

    parent: str | None
    parts: tuple[MessagePart, ...] = ()
    children: tuple[str, ...] = ()
    flaw: str = ""


def conversation(heading: Heading, nodes: Mapping[str, Node]) -> ImportedConversation:
    """The conversation with all its branches, parents before replies."""
    parents = linearise(nodes)
    nearest: dict[str | None, str | None] = {}
    kept: list[ImportedMessage] = []
    for key, parent in parents.items():
        added = messages_of(key, nearest.get(parent), nodes[key].parts)
        nearest[key] = added[-1].external_id if added else nearest.get(parent)
        kept += added
    times = [message.said_at for message in kept if message.said_at]
    created_at = heading.created_at or min(times, default=None)
    known = {
        "created_at": created_at,
        "updated_at": heading.updated_at or max(times, default=created_at),
    }
    messages = fill_times(kept, created_at)
    return ImportedConversation(
        **(asdict(heading) | known),
        messages=messages,
        current_leaf=nearest.get(heading.shown) or last_leaf(messages),
        repairs=tuple(node.flaw for node in nodes.values() if node.flaw),
    )


def below_instructions(given: str, nodes: Mapping[str, Node]) -> Mapping[str, Node]:
    """The nodes, with the chat's custom instructions above the first ones."""
    if not given.strip() or _INSTRUCTIONS in nodes:
        return nodes
    below = {key: replace(node, parent=node.parent or _INSTRUCTIONS) for key, node in nodes.items()}
    return {_INSTRUCTIONS: Node(None, (MessagePart("system", given, _INSTRUCTIONS),)), **below}


def messages_of(key: str, parent: str | None, parts: Sequence[MessagePart]) -> tuple[ImportedMessage, ...]:
    """A message for each part with content, one below the other.

    Their ids are the key, the key with `/2`, and so on by position among all parts, so that a later export
    gets the same ids.
    """
    found: list[ImportedMessage] = []
    for number, part in enumerate(parts, start=1):
        if part.has_content:
            name = plain_id(key if number == 1 else f"{key}/{number}")
            call_id = plain_id(part.call_id) if part.call_id else ""
            given = asdict(part) | {"call_id": call_id}
            found.append(ImportedMessage(external_id=name, parent_external_id=parent, **given))
            parent = name
    return tuple(found)


def with_keys(listed: Iterable[object], name: str) -> Iterator[tuple[str, object]]:
    """Each item with its id from this field, made unique by its position in the list."""
    taken: set[str] = set()
    for position, item in enumerate(listed, start=1):
        key = plain_text(item.get(name)) if isinstance(item, Raw) else ""
        if not key or key in taken:
            key = f"{key or 'message'}#{position}"
        taken.add(key)
        yield key, item


def nodes_from_list(
    listed: Iterable[object], name: str, node: Callable[[object, str | None], Node]
) -> dict[str, Node]:
    """The node of each item by its id from this field; `node` also gets the id of the item before."""
    nodes: dict[str, Node] = {}
    previous: str | None = None
    for key, item in with_keys(listed, name):
        nodes[key] = node(item, previous)
        previous = key
    return nodes


def fill_times(messages: Sequence[ImportedMessage], created_at: datetime | None) -> Messages:
    """Give messages without a time that of the message before, or else of the chat."""
    times: dict[str | None, datetime | None] = {None: created_at}
    for message in messages:
        above = times.get(message.parent_external_id, created_at)
        times[message.external_id] = message.said_at or above
    return tuple(replace(message, said_at=times[message.external_id]) for message in messages)


def last_leaf(messages: Messages) -> str | None:
    """The newest message without a reply; of equally old ones the last."""
    answered = {message.parent_external_id for message in messages}
    leaves = [message for message in messages if message.external_id not in answered]
    newest = max((leaf.said_at for leaf in leaves if leaf.said_at), default=None)
    return next((leaf.external_id for leaf in reversed(leaves) if leaf.said_at in (newest, None)), None)


def linearise(links: Mapping[str, Node]) -> dict[str, str | None]:
    """The parent of every node, depth first, parents before children, and children in the order their
    parent names them. A node whose parent is missing starts a branch, and a circle is broken up."""
    parents = _parents(links)
    children = _children(links, parents)
    placed: dict[str, str | None] = {}
    for key in [*(key for key, parent in parents.items() if parent is None), *links]:
        _place_subtree(key, children, placed)
    return placed


def _parents(links: Mapping[str, Node]) -> dict[str, str | None]:
    claimed: dict[str, str] = {}
    for key, link in links.items():
        for child in link.children:
            claimed.setdefault(child, key)
    named = {key: link.parent if link.parent in links else claimed.get(key) for key, link in links.items()}
    return {key: parent if parent != key else None for key, parent in named.items()}


def _children(links: Mapping[str, Node], parents: Mapping[str, str | None]) -> dict[str, dict[str, None]]:
    children: dict[str, dict[str, None]] = {key: {} for key in links}
    for key, link in links.items():
        children[key].update((child, None) for child in link.children if parents.get(child) == key)
    for key, parent in parents.items():
        if parent is not None:
            children[parent].setdefault(key)
    return children


def _place_subtree(
    start: str, children: Mapping[str, dict[str, None]], placed: dict[str, str | None]
) -> None:
    waiting: list[tuple[str, str | None]] = [(start, None)]
    while waiting:
        key, parent = waiting.pop()
        if key not in placed:
            placed[key] = parent
            waiting += [(child, key) for child in reversed(children[key])]
