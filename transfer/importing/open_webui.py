"""Reads conversations of Open WebUI, from its list of chats or saved alone."""

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from transfer.importing.threads import (
    ATTACHMENT,
    SOURCES,
    UNKNOWN_AUTHOR,
    UNREADABLE_MESSAGE,
    Heading,
    ImportedConversation,
    MessagePart,
    Node,
    Raw,
    Role,
    as_json,
    below_instructions,
    conversation,
    derived_id,
    fields,
    file_label,
    joined,
    nodes_from_list,
    plain_id,
    plain_text,
)

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_OPENING = re.compile(r'<details\s+type="(reasoning|tool_calls|code_interpreter)"([^>]*)>')
_CLOSING = "</details>"
_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')
_SUMMARY = re.compile(r"\s*<summary>[^<]*</summary>\n?")
_QUOTED = re.compile(r"^> ?", re.MULTILINE)


def recognises(entry: Raw) -> bool:
    """Whether an entry is a conversation of Open WebUI, in a list or alone."""
    chat = entry.get("chat", entry)
    if not isinstance(chat, Raw):
        return False
    history = chat.get("history")
    listed = chat is not entry and isinstance(chat.get("messages"), list)
    return listed or (isinstance(history, Raw) and "messages" in history)


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation with all its branches, or None if it has no messages.

    `projects` maps ids of folders to their names.
    """
    chat = raw.object("chat") or raw
    nodes = _nodes(chat)
    if nodes is None:
        return None
    folder = raw.object("folder")
    heading = Heading(
        external_id=_id(raw, chat, nodes),
        title=raw.text("title") or chat.text("title"),
        created_at=raw.moment("created_at") or chat.moment("timestamp"),
        updated_at=raw.moment("updated_at"),
        project=folder.text("name") or projects.get(raw.text("folder_id"), ""),
        shown=chat.object("history").text("currentId"),
    )
    instructions = chat.text("system") or chat.object("params").text("system")
    return conversation(heading, below_instructions(instructions, nodes))


def _id(raw: Raw, chat: Raw, nodes: Mapping[str, Node]) -> str:
    """A chat saved alone has no id, so its first messages identify it."""
    known = raw.text("id") or chat.text("id")
    tops = [key for key, node in nodes.items() if node.parent not in nodes]
    words = [part.content for key in tops[:1] for part in nodes[key].parts]
    seed = "\n".join([*tops[:1], chat.text("timestamp"), *words])
    return plain_id(known) if known else derived_id(seed)


def _nodes(chat: Raw) -> dict[str, Node] | None:
    history = chat.object("history").get("messages")
    if isinstance(history, Raw) and (history or not chat.get("messages")):
        return {key: _node(item, None) for key, item in history.items()}
    listed = chat.get("messages")
    if not isinstance(listed, list):
        return None
    return nodes_from_list(listed, "id", _node)


def _node(item: object, previous: str | None) -> Node:
    if not isinstance(item, Raw):
        return Node(previous, flaw=UNREADABLE_MESSAGE)
    named = (plain_text(child) for child in item.listed("childrenIds"))
    role = _ROLES.get(item.text("role").lower())
    return Node(
        parent=item.text("parentId") or previous,
        children=tuple(name for name in named if name),
        parts=tuple(_parts(item, role or "assistant")),
        flaw="" if role else UNKNOWN_AUTHOR,
    )


def _parts(raw: Raw, role: Role) -> Iterator[MessagePart]:
    """The words and what is folded into them, files, sources, and errors."""
    said_at = raw.moment("timestamp")
    model = raw.text("model") if role == "assistant" else ""
    files = raw.objects("files")
    text = joined(_text(raw.get("content")), *map(_file_label, files))
    yield from split_details(text, MessagePart(role, model=model, said_at=said_at))
    yield from (MessagePart("tool", words, ATTACHMENT) for words in map(_file_text, files))
    yield MessagePart("tool", "\n\n".join(_sources(raw)), SOURCES)
    yield MessagePart("system", _error(raw.get("error")), "error", said_at=said_at)


def _text(content: object) -> str:
    if not isinstance(content, list):
        return plain_text(content)
    parts = (fields(part) for part in content)
    return "\n".join(part.text("text") or "[image]" for part in parts if part)


def _file_label(file: Raw) -> str:
    name = file.text("name") or file.object("file").text("filename")
    return file_label(name, is_image=file.get("type") == "image")


def _file_text(file: Raw) -> str:
    inner = file.object("file")
    return inner.object("data").text("content") or file.text("content")


def _sources(raw: Raw) -> Iterator[str]:
    for source in raw.objects("sources") or raw.objects("citations"):
        about = source.object("source")
        name = about.text("name") or about.text("url")
        yield joined(name, *map(plain_text, source.listed("document")))


def _error(error: object) -> str:
    if isinstance(error, Raw):
        return error.text("content") or error.text("message") or as_json(error)
    return plain_text(error)


def split_details(text: str, speaker: MessagePart) -> Iterator[MessagePart]:
    """Split text at its folded details: thoughts, tool calls, code that was run.

    An unclosed fold is text. Words become pieces like `speaker`.
    """
    position = 0
    for opening in _OPENING.finditer(text):
        if opening.start() < position:
            continue
        closing = text.find(_CLOSING, opening.end())
        if closing < 0:
            break
        yield replace(speaker, content=text[position : opening.start()].strip())
        attributes = {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(opening[2])}
        yield from _details_parts(opening[1], attributes, text[opening.end() : closing], speaker)
        position = closing + len(_CLOSING)
    yield replace(speaker, content=text[position:].strip() if position else text)


def _details_parts(
    kind: str, attributes: Mapping[str, str], body: str, speaker: MessagePart
) -> Iterator[MessagePart]:
    inner = html.unescape(_SUMMARY.sub("", body, count=1)).strip()
    if kind == "reasoning":
        yield replace(speaker, role="system", tool_name=kind, content=_QUOTED.sub("", inner), model="")
        return
    call = attributes.get("id", "")
    name = attributes.get("name") or kind
    given = _decode(attributes.get("arguments", "")) or inner
    yield replace(speaker, role="assistant", content="", tool_name=name, tool_arguments=given, call_id=call)
    result = _decode(attributes.get("result") or attributes.get("output", ""))
    yield replace(speaker, role="tool", tool_name=name, content=result, call_id=call, model="")


def _decode(value: str) -> str:
    """The string in a value that may be encoded as JSON, once or twice."""
    for _ in range(2):
        if not value.startswith('"'):
            break
        try:
            decoded = json.loads(value)
        except ValueError:
            break
        if not isinstance(decoded, str):
            break
        value = decoded
    return value
