"""Reads conversations of a Claude.ai export, and the blocks that messages of Claude consist of in
its app, its API and Claude Code alike."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from transfer.importing.threads import (
    ATTACHMENT,
    PICTURES,
    UNKNOWN_AUTHOR,
    UNREADABLE_MESSAGE,
    Heading,
    ImportedConversation,
    Node,
    Piece,
    Raw,
    Role,
    arguments_of,
    as_json,
    conversation,
    fields,
    in_a_row,
    items,
    joined,
    label,
    plain_id,
)

_TOP = {"", "00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"}

_ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}
_WITHOUT_WORDS = {
    "type", "id", "flags", "citations", "signature", "cache_control", "data",
    "start_timestamp", "stop_timestamp",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who says a message and when. `read` returns a piece for text nobody said, else None."""

    role: Role
    said_at: datetime | None = None
    model: str = ""
    read: Callable[[str], Piece | None] = lambda text: None


def recognises(entry: Raw) -> bool:
    """Whether an entry is a conversation of Claude.ai."""
    return "uuid" in entry and "chat_messages" in entry


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation with all its branches, or None if it has no messages.

    `projects` maps ids of projects to their names.
    """
    listed = raw.get("chat_messages")
    if not isinstance(listed, list):
        return None
    heading = Heading(
        external_id=plain_id(raw.text("uuid")),
        title=raw.text("name"),
        created_at=raw.moment("created_at"),
        updated_at=raw.moment("updated_at"),
        project=_project(raw, projects),
        shown=raw.text("current_leaf_message_uuid"),
    )
    return conversation(heading, in_a_row(listed, "uuid", _node))


def _project(raw: Raw, projects: Mapping[str, str]) -> str:
    project = raw.object("project")
    known = raw.text("project_uuid") or project.text("uuid")
    return project.text("name") or projects.get(known, "")


def _node(item: object, previous: str | None) -> Node:
    """Exports before 2025 do not name the parent: it is the message before."""
    if not isinstance(item, Raw):
        return Node(previous, flaw=UNREADABLE_MESSAGE)
    named = item.text("parent_message_uuid")
    above = None if named in _TOP else named
    sender = item.text("sender").lower()
    return Node(
        parent=above if "parent_message_uuid" in item else previous,
        pieces=_pieces(item, _ROLES.get(sender, "assistant")),
        flaw="" if sender in _ROLES else UNKNOWN_AUTHOR,
    )


def _pieces(raw: Raw, role: Role) -> tuple[Piece, ...]:
    """Thoughts, words, calls and results, names of files, then the text of what was attached."""
    speaker = Speaker(role, raw.moment("created_at"), raw.text("model"))
    attached = raw.objects("attachments")
    files = raw.objects("files") or raw.objects("files_v2")
    names = [label("file", item.get("file_name")) for item in attached]
    names += [label(_kind(item), item.get("file_name")) for item in files]
    texts = (item.text("extracted_content") for item in attached)
    return (
        *pieces_of([*_blocks(raw, speaker), *names], speaker),
        *(Piece("tool", text, ATTACHMENT) for text in texts),
    )


def _blocks(raw: Raw, speaker: Speaker) -> list[object]:
    """The content, else the plain text, which is all that old exports have."""
    blocks = raw.listed("content")
    told = any(piece.says_something for piece in pieces_of(blocks, speaker))
    return blocks if told else [raw.text("text")]


def _kind(file: Raw) -> str:
    name = file.text("file_name").lower()
    return "image" if name.endswith(PICTURES) or file.get("file_kind") == "image" else "file"


def pieces_of(content: object, speaker: Speaker) -> tuple[Piece, ...]:
    """What a message holds, in order; adjacent texts are one piece.

    The first piece has the speaker's time, a later one only if its block has one.
    """
    blocks = [content] if isinstance(content, str | dict) else items(content)
    found = [piece for block in blocks for piece in _pieces_of_block(block, speaker)]
    joined = list(_joined(found, speaker.role))
    if joined and joined[0].said_at is None:
        joined[0] = replace(joined[0], said_at=speaker.said_at)
    return tuple(joined)


def result_text(content: object) -> str:
    """A tool's result as text, with labels such as `[image]` for media."""
    if isinstance(content, str):
        return content
    blocks = [content] if isinstance(content, Raw) else items(content)
    return joined(*map(_result_part, blocks))


def _result_part(part: object) -> str:
    if isinstance(part, str):
        return part
    block = fields(part)
    kind = block.text("type")
    if kind in ("image", "document"):
        return _media(block, kind)
    told = [block.text(name) for name in ("title", "url", "text")]
    if told[-1] or kind == "text":
        return joined(*told)
    return as_json(part)


def _pieces_of_block(block: object, speaker: Speaker) -> Iterator[Piece]:
    if isinstance(block, str):
        yield _spoken(block, speaker)
        return
    raw = fields(block)
    kind = raw.text("type")
    piece = _piece(raw, kind, speaker)
    if piece:
        yield replace(piece, said_at=raw.moment("start_timestamp"))


def _piece(raw: Raw, kind: str, speaker: Speaker) -> Piece | None:
    if kind == "text":
        return _spoken(raw.text("text"), speaker)
    if kind == "thinking":
        return Piece("system", raw.text("thinking"), "thinking", model=speaker.model)
    if kind.endswith("tool_use"):
        return _call(raw, speaker)
    if kind.endswith("tool_result"):
        return _result(raw)
    if kind in ("image", "document"):
        return _spoken(_media(raw, kind), speaker)
    return _other(raw, kind, speaker)


def _spoken(text: str, speaker: Speaker) -> Piece:
    return speaker.read(text) or Piece(speaker.role, text, model=speaker.model)


def _call(raw: Raw, speaker: Speaker) -> Piece:
    return Piece(
        "assistant",
        tool_name=raw.text("name") or "tool",
        tool_arguments=arguments_of(raw.get("input")),
        call_id=raw.text("id"),
        model=speaker.model,
    )


def _result(raw: Raw) -> Piece:
    return Piece(
        "tool", result_text(raw.get("content")), tool_name=raw.text("name"), call_id=raw.text("tool_use_id")
    )


def _media(raw: Raw, kind: str) -> str:
    source = raw.object("source")
    name = label("file" if kind == "document" else kind, raw.get("title") or raw.get("file_name"))
    text = source.get("data") if source.get("type") == "text" else None
    return f"{name}\n{text}" if isinstance(text, str) else name


def _other(raw: Raw, kind: str, speaker: Speaker) -> Piece | None:
    if text := raw.text("text"):
        return _spoken(text, speaker)
    rest = {key: value for key, value in raw.items() if value not in (None, "", [], {})}
    if rest.keys() <= _WITHOUT_WORDS:
        return None
    return Piece("system", as_json(rest), kind or "unknown")


def _joined(pieces: Iterable[Piece], role: Role) -> Iterator[Piece]:
    """Join the texts of one speaker that stand side by side."""
    waiting: Piece | None = None
    for piece in pieces:
        plain = piece.role == role and not piece.tool_name
        if waiting and plain:
            waiting = replace(waiting, content=joined(waiting.content, piece.content))
            continue
        if waiting:
            yield waiting
        waiting = piece if plain else None
        if not plain:
            yield piece
    if waiting:
        yield waiting
