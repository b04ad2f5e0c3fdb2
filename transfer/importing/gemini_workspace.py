"""Reads chats with Gemini in Docs, Gmail and other Workspace apps from a Takeout.

They are files named `conversation_….txt` in the folder "Gemini in Workspace", each a JSON object.
"""

from collections.abc import Iterator, Mapping

from transfer.importing.threads import UNREADABLE_MESSAGE, Heading, Node, Piece, Raw, conversation
from transfer.importing.types import ImportedConversation
from transfer.importing.values import digest, fields, items, moment, objects, plain_text


def recognises(entry: Raw) -> bool:
    """Whether an entry is a chat with Gemini in Workspace."""
    return isinstance(entry.get("conversation_turns"), list)


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation; only its file's name identifies it, so its beginning does here."""
    turns = items(raw.get("conversation_turns"))
    nodes: dict[str, Node] = {}
    previous: str | None = None
    for number, turn in enumerate(turns, start=1):
        key = f"turn-{number}"
        pieces = tuple(_pieces(fields(turn)))
        nodes[key] = Node(previous, pieces, flaw="" if pieces else UNREADABLE_MESSAGE)
        previous = key
    words = next((piece.content for node in nodes.values() for piece in node.pieces), "")
    created_at = moment(raw.get("creation_time"))
    seed = f"{raw.get('creation_time')}\n{words}"
    heading = Heading(
        external_id=f"derived-{digest(seed)}",
        title=plain_text(raw.get("title")),
        created_at=created_at,
        updated_at=moment(raw.get("last_modification_time")),
    )
    return conversation(heading, nodes)


def _pieces(turn: Raw) -> Iterator[Piece]:
    asked, told = fields(turn.get("user_turn")), fields(turn.get("system_turn"))
    if asked:
        said_at = moment(asked.get("turn_last_modified"))
        yield Piece("user", plain_text(asked.get("prompt")), said_at=said_at)
    if told:
        said_at = moment(told.get("turn_last_modified"))
        yield Piece("assistant", "\n\n".join(_texts(told)), said_at=said_at)


def _texts(told: Raw) -> Iterator[str]:
    for text in objects(told.get("text")):
        yield from filter(None, (plain_text(text.get(name)) for name in ("preamble", "data")))
