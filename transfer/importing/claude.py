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
    MessagePart,
    Node,
    Raw,
    Role,
    arguments_of,
    as_json,
    conversation,
    fields,
    file_label,
    items,
    joined,
    label,
    nodes_from_list,
    plain_id,
)

_ROOT_IDS = {"", "00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000"}

_ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}
_METADATA_KEYS = {
    "type", "id", "flags", "citations", "signature", "cache_control", "data",
    "start_timestamp", "stop_timestamp",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Speaker:
    """The author and time of a message. `read` returns a part for text that nobody wrote, else None."""

    role: Role
    said_at: datetime | None = None
    model: str = ""
    read: Callable[[str], MessagePart | None] = lambda text: None


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
    project = raw.object("project")
    heading = Heading(
        external_id=plain_id(raw.text("uuid")),
        title=raw.text("name"),
        created_at=raw.moment("created_at"),
        updated_at=raw.moment("updated_at"),
        project=project.text("name") or projects.get(raw.text("project_uuid") or project.text("uuid"), ""),
        shown=raw.text("current_leaf_message_uuid"),
    )
    return conversation(heading, nodes_from_list(listed, "uuid", _node))


def _node(item: object, previous: str | None) -> Node:
    """Exports before 2025 do not name the parent: it is the message before."""
    if not isinstance(item, Raw):
        return Node(previous, flaw=UNREADABLE_MESSAGE)
    named = item.text("parent_message_uuid")
    above = None if named in _ROOT_IDS else named
    sender = item.text("sender").lower()
    return Node(
        parent=above if "parent_message_uuid" in item else previous,
        parts=_parts(item, _ROLES.get(sender, "assistant")),
        flaw="" if sender in _ROLES else UNKNOWN_AUTHOR,
    )


def _parts(raw: Raw, role: Role) -> tuple[MessagePart, ...]:
    """Thoughts, words, calls and results, names of files, then the text of what was attached."""
    speaker = Speaker(role, raw.moment("created_at"), raw.text("model"))
    attached = raw.objects("attachments")
    files = raw.objects("files") or raw.objects("files_v2")
    names = [label("file", item.get("file_name")) for item in attached]
    names += [file_label(item.get("file_name"), is_image=_is_image(item)) for item in files]
    texts = (item.text("extracted_content") for item in attached)
    return (
        *parts_of([*_blocks(raw, speaker), *names], speaker),
        *(MessagePart("tool", text, ATTACHMENT) for text in texts),
    )


def _blocks(raw: Raw, speaker: Speaker) -> list[object]:
    """The content blocks, or else the plain text, which is all that old exports have."""
    blocks = raw.listed("content")
    told = any(part.has_content for part in parts_of(blocks, speaker))
    return blocks if told else [raw.text("text")]


def _is_image(file: Raw) -> bool:
    return file.text("file_name").lower().endswith(PICTURES) or file.get("file_kind") == "image"


def parts_of(content: object, speaker: Speaker) -> tuple[MessagePart, ...]:
    """The parts of a message, in order; adjacent texts are merged.

    The first part has the speaker's time, later ones only if their block has one.
    """
    blocks = [content] if isinstance(content, str | dict) else items(content)
    found = [part for block in blocks for part in _parts_of_block(block, speaker)]
    merged = list(_merge_adjacent(found, speaker.role))
    if merged and merged[0].said_at is None:
        merged[0] = replace(merged[0], said_at=speaker.said_at)
    return tuple(merged)


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


def _parts_of_block(block: object, speaker: Speaker) -> Iterator[MessagePart]:
    if isinstance(block, str):
        yield _text_part(block, speaker)
        return
    raw = fields(block)
    kind = raw.text("type")
    part = _part_of_block(raw, kind, speaker)
    if part:
        yield replace(part, said_at=raw.moment("start_timestamp"))


def _part_of_block(raw: Raw, kind: str, speaker: Speaker) -> MessagePart | None:
    if kind == "text":
        return _text_part(raw.text("text"), speaker)
    if kind == "thinking":
        return MessagePart("system", raw.text("thinking"), "thinking", model=speaker.model)
    if kind.endswith("tool_use"):
        return _call(raw, speaker)
    if kind.endswith("tool_result"):
        result = result_text(raw.get("content"))
        return MessagePart("tool", result, tool_name=raw.text("name"), call_id=raw.text("tool_use_id"))
    if kind in ("image", "document"):
        return _text_part(_media(raw, kind), speaker)
    return _unknown_part(raw, kind, speaker)


def _text_part(text: str, speaker: Speaker) -> MessagePart:
    return speaker.read(text) or MessagePart(speaker.role, text, model=speaker.model)


def _call(raw: Raw, speaker: Speaker) -> MessagePart:
    return MessagePart(
        "assistant",
        tool_name=raw.text("name") or "tool",
        tool_arguments=arguments_of(raw.get("input")),
        call_id=raw.text("id"),
        model=speaker.model,
    )


def _media(raw: Raw, kind: str) -> str:
    source = raw.object("source")
    name = label("file" if kind == "document" else kind, raw.get("title") or raw.get("file_name"))
    text = source.get("data") if source.get("type") == "text" else None
    return f"{name}\n{text}" if isinstance(text, str) else name


def _unknown_part(raw: Raw, kind: str, speaker: Speaker) -> MessagePart | None:
    if text := raw.text("text"):
        return _text_part(text, speaker)
    rest = {key: value for key, value in raw.items() if value not in (None, "", [], {})}
    if rest.keys() <= _METADATA_KEYS:
        return None
    return MessagePart("system", as_json(rest), kind or "unknown")


def _merge_adjacent(parts: Iterable[MessagePart], role: Role) -> Iterator[MessagePart]:
    """Merge adjacent texts of the same speaker."""
    waiting: MessagePart | None = None
    for part in parts:
        plain = part.role == role and not part.tool_name
        if waiting and plain:
            waiting = replace(waiting, content=joined(waiting.content, part.content))
            continue
        if waiting:
            yield waiting
        waiting = part if plain else None
        if not plain:
            yield part
    if waiting:
        yield waiting
