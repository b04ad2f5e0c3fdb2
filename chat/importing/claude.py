"""Reads one conversation of an export of Claude.ai."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext_noop

from chat.importing.claude_blocks import Speaker, pieces_of
from chat.importing.moments import moment
from chat.importing.threads import (
    UNKNOWN_AUTHOR,
    UNREADABLE_MESSAGE,
    Heading,
    Node,
    Piece,
    Raw,
    conversation,
    keyed,
)
from chat.importing.types import BrokenEntry, Entry, Role
from chat.importing.values import fields, items, label, objects, plain_id, plain_text

ATTACHMENT = "attachment"

_TOP = {"", "00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"}
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic")

_ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}


def parse_conversation(raw: object, where: str, projects: Mapping[str, str]) -> Entry:
    """Return the conversation with all its branches, or why there is none at `where`.

    `projects` has the names of projects by their ids.
    """
    if not isinstance(raw, dict):
        return BrokenEntry(where, gettext_noop("It is not a conversation."))
    listed = raw.get("chat_messages")
    if not isinstance(listed, list):
        return BrokenEntry(where, gettext_noop("It has no messages that Palace can find."))
    heading = Heading(
        external_id=plain_id(plain_text(raw.get("uuid"))),
        title=plain_text(raw.get("name")),
        created_at=moment(raw.get("created_at")),
        updated_at=moment(raw.get("updated_at")),
        project=_project(raw, projects),
        shown=plain_text(raw.get("current_leaf_message_uuid")),
    )
    return conversation(heading, _nodes(listed))


def _project(raw: Raw, projects: Mapping[str, str]) -> str:
    project = fields(raw.get("project"))
    known = plain_text(raw.get("project_uuid")) or plain_text(project.get("uuid"))
    return plain_text(project.get("name")) or projects.get(known, "")


def _nodes(listed: Iterable[object]) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    previous: str | None = None
    for key, item in keyed(listed, "uuid"):
        nodes[key] = _node(item, previous) if isinstance(item, dict) else _unreadable(previous)
        previous = key
    return nodes


def _unreadable(previous: str | None) -> Node:
    return Node(previous, flaw=UNREADABLE_MESSAGE)


def _node(raw: Raw, previous: str | None) -> Node:
    """Exports before 2025 do not say what a message replies to: it was the one before."""
    named = plain_text(raw.get("parent_message_uuid"))
    above = None if named in _TOP else named
    sender = plain_text(raw.get("sender")).lower()
    return Node(
        parent=above if "parent_message_uuid" in raw else previous,
        pieces=_pieces(raw, _ROLES.get(sender, "assistant")),
        flaw="" if sender in _ROLES else UNKNOWN_AUTHOR,
    )


def _pieces(raw: Raw, role: Role) -> tuple[Piece, ...]:
    """Thoughts, words, calls and results, names of files, then the text of what was attached."""
    speaker = Speaker(role, moment(raw.get("created_at")), plain_text(raw.get("model")))
    attached = objects(raw.get("attachments"))
    files = objects(raw.get("files")) or objects(raw.get("files_v2"))
    names = [label("file", item.get("file_name")) for item in attached]
    names += [label(_kind(item), item.get("file_name")) for item in files]
    texts = (plain_text(item.get("extracted_content")) for item in attached)
    return (
        *pieces_of([*_blocks(raw, speaker), *names], speaker),
        *(Piece("tool", text, ATTACHMENT) for text in texts),
    )


def _blocks(raw: Raw, speaker: Speaker) -> list[object]:
    """The content, else the plain text, which is all that old exports have."""
    blocks = items(raw.get("content"))
    told = any(piece.says_something for piece in pieces_of(blocks, speaker))
    return blocks if told else [plain_text(raw.get("text"))]


def _kind(file: Raw) -> str:
    name = plain_text(file.get("file_name")).lower()
    return "image" if name.endswith(_PICTURES) or file.get("file_kind") == "image" else "file"
