"""Makes a conversation of the nodes of a tree, whatever product they come from.

One message of another product may hold several things at once: thoughts, words, calls of tools and
their results. Each becomes a message of its own, one below the other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext_noop

from chat.importing.trees import Links, linearise
from chat.importing.types import ImportedConversation, ImportedMessage, Role
from chat.importing.values import plain_id, plain_text

UNKNOWN_AUTHOR = gettext_noop(
    "A message does not say who wrote it; it was kept as the assistant's."
)
UNREADABLE_MESSAGE = gettext_noop("A message was damaged beyond reading; it was left out.")

_INSTRUCTIONS = "instructions"

Messages = tuple[ImportedMessage, ...]
Raw = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that a message of an export holds; the fields are those of ImportedMessage."""

    role: Role
    content: str = ""
    tool_name: str = ""
    tool_arguments: str = ""
    call_id: str = ""
    model: str = ""
    said_at: datetime | None = None

    @property
    def says_something(self) -> bool:
        """Whether it holds words or arguments of a tool."""
        return bool(self.content.strip() or self.tool_arguments.strip())


@dataclass(frozen=True, slots=True)
class Node:
    """A message with its neighbours in the tree, and a sentence if something is wrong with it."""

    parent: str | None
    pieces: tuple[Piece, ...] = ()
    children: tuple[str, ...] = ()
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """What an export says of a conversation as a whole; `shown` is the key of the message that it
    was last open at, empty when the export does not say."""

    external_id: str
    title: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    project: str = ""
    shown: str = ""


def conversation(heading: Heading, nodes: Mapping[str, Node]) -> ImportedConversation:
    """Return the conversation with all its branches, parents before replies."""
    order = linearise({key: Links(node.parent, node.children) for key, node in nodes.items()})
    nearest: dict[str | None, str | None] = {}
    kept: list[ImportedMessage] = []
    empty = 0
    for placed in order.nodes:
        grown = messages_of(placed.key, nearest.get(placed.parent), nodes[placed.key].pieces)
        nearest[placed.key] = grown[-1].external_id if grown else nearest.get(placed.parent)
        kept += grown
        empty += not grown
    flaws = (node.flaw for node in nodes.values() if node.flaw)
    messages = with_times(tuple(kept), heading.created_at)
    times = [message.said_at for message in messages if message.said_at]
    return ImportedConversation(
        external_id=heading.external_id,
        title=heading.title,
        created_at=heading.created_at or min(times, default=None),
        updated_at=heading.updated_at or max(times, default=heading.created_at),
        project=heading.project,
        messages=messages,
        current_leaf=nearest.get(heading.shown) or last_leaf(messages),
        empty_messages=empty,
        repairs=(*order.repairs, *flaws),
    )


def below_instructions(given: str, nodes: Mapping[str, Node]) -> Mapping[str, Node]:
    """Return the nodes with what the chat was told by its owner's settings above the first ones."""
    if not given.strip() or _INSTRUCTIONS in nodes:
        return nodes
    below = {key: replace(node, parent=node.parent or _INSTRUCTIONS) for key, node in nodes.items()}
    return {_INSTRUCTIONS: Node(None, (Piece("system", given, _INSTRUCTIONS),)), **below}


def messages_of(
    key: str, parent: str | None, pieces: Sequence[Piece]
) -> tuple[ImportedMessage, ...]:
    """Return a message for each piece that says something, one below the other.

    Their ids are the key, the key and `/2`, and so on by their place among all pieces, so that
    they are the same in a later export.
    """
    found: list[ImportedMessage] = []
    for number, piece in enumerate(pieces, start=1):
        if piece.says_something:
            name = plain_id(key if number == 1 else f"{key}/{number}")
            found.append(_message(name, parent, piece))
            parent = name
    return tuple(found)


def keyed(listed: Iterable[object], name: str) -> Iterator[tuple[str, object]]:
    """Yield each item with the id it has under that name, made unique by its place in the list."""
    taken: set[str] = set()
    for position, item in enumerate(listed, start=1):
        key = plain_text(item.get(name)) if isinstance(item, dict) else ""
        if not key or key in taken:
            key = f"{key or 'message'}#{position}"
        taken.add(key)
        yield key, item


def with_times(messages: Messages, created_at: datetime | None) -> Messages:
    """Give a message without a time that of the one before it, else after it, else the chat's."""
    times: dict[str | None, datetime | None] = {}
    _hand_down(messages, times)
    for message in reversed(messages):
        if times[message.external_id] and message.parent_external_id in times:
            times[message.parent_external_id] = (
                times[message.parent_external_id] or times[message.external_id]
            )
    _hand_down(messages, times)
    return tuple(
        replace(message, said_at=times[message.external_id] or created_at) for message in messages
    )


def last_leaf(messages: Messages) -> str | None:
    """Return the newest message without a reply; of equally old ones the last."""
    answered = {message.parent_external_id for message in messages}
    leaves = [message for message in messages if message.external_id not in answered]
    newest = max((leaf.said_at for leaf in leaves if leaf.said_at), default=None)
    return next(
        (leaf.external_id for leaf in reversed(leaves) if leaf.said_at in (newest, None)), None
    )


def _hand_down(messages: Messages, times: dict[str | None, datetime | None]) -> None:
    for message in messages:
        known = message.said_at or times.get(message.external_id)
        times[message.external_id] = known or times.get(message.parent_external_id)


def _message(name: str, parent: str | None, piece: Piece) -> ImportedMessage:
    return ImportedMessage(
        external_id=name,
        parent_external_id=parent,
        role=piece.role,
        content=piece.content,
        said_at=piece.said_at,
        tool_name=piece.tool_name,
        tool_arguments=piece.tool_arguments,
        call_id=plain_id(piece.call_id) if piece.call_id else "",
        model=piece.model,
    )
