"""Reads chats with Gemini in Docs, Gmail and other Workspace apps from a Takeout.

They are files named `conversation_….txt` in the folder "Gemini in Workspace", each a JSON object.
"""

from collections.abc import Iterator, Mapping

from transfer.importing.threads import (
    UNREADABLE_MESSAGE,
    Heading,
    ImportedConversation,
    Node,
    Piece,
    Raw,
    conversation,
    derived_id,
    fields,
)


def recognises(entry: Raw) -> bool:
    """Whether an entry is a chat with Gemini in Workspace."""
    return isinstance(entry.get("conversation_turns"), list)


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation; only its file's name identifies it, so its beginning does here."""
    turns = raw.listed("conversation_turns")
    nodes: dict[str, Node] = {}
    previous: str | None = None
    for number, turn in enumerate(turns, start=1):
        key = f"turn-{number}"
        pieces = tuple(_pieces(fields(turn)))
        nodes[key] = Node(previous, pieces, flaw="" if pieces else UNREADABLE_MESSAGE)
        previous = key
    words = next((piece.content for node in nodes.values() for piece in node.pieces), "")
    heading = Heading(
        external_id=derived_id(f"{raw.get('creation_time')}\n{words}"),
        title=raw.text("title"),
        created_at=raw.moment("creation_time"),
        updated_at=raw.moment("last_modification_time"),
    )
    return conversation(heading, nodes)


def _pieces(turn: Raw) -> Iterator[Piece]:
    asked, told = turn.object("user_turn"), turn.object("system_turn")
    if asked:
        said_at = asked.moment("turn_last_modified")
        yield Piece("user", asked.text("prompt"), said_at=said_at)
    if told:
        said_at = told.moment("turn_last_modified")
        yield Piece("assistant", "\n\n".join(_texts(told)), said_at=said_at)


def _texts(told: Raw) -> Iterator[str]:
    for text in told.objects("text"):
        yield from filter(None, (text.text(name) for name in ("preamble", "data")))
