"""Reads conversations of LibreChat: lists of messages, or replies nested in replies."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from transfer.importing.claude import result_text
from transfer.importing.threads import (
    ATTACHMENT,
    UNREADABLE_MESSAGE,
    Heading,
    ImportedConversation,
    MessagePart,
    Node,
    Raw,
    Role,
    arguments_of,
    as_json,
    below_instructions,
    conversation,
    derived_id,
    fields,
    file_label,
    plain_id,
    with_keys,
)

_ROOT_ID = "00000000-0000-0000-0000-000000000000"


def recognises(entry: Raw) -> bool:
    """Whether an entry is a conversation of LibreChat."""
    return "conversationId" in entry and bool(entry.keys() & {"messages", "messagesTree"})


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation with all its branches, or None if it has no messages."""
    listed = raw.get("messagesTree") or raw.get("messages")
    if not isinstance(listed, list):
        return None
    options = raw.object("options")
    nodes, known = _nodes(listed, options.text("model")), raw.text("conversationId")
    heading = Heading(
        external_id=plain_id(known) if known else derived_id(next(iter(nodes), "")),
        title=raw.text("title") or options.text("title"),
        created_at=raw.moment("createdAt"),
        updated_at=raw.moment("updatedAt"),
    )
    return conversation(heading, below_instructions(_instructions(options), nodes))


def _nodes(listed: list[object], model: str) -> dict[str, Node]:
    nested = list(_flatten(listed))
    keyed = with_keys((item for item, _ in nested), "messageId")
    return {key: _node(item, above, model) for (key, item), (_, above) in zip(keyed, nested, strict=True)}


def _node(item: object, above: str | None, model: str) -> Node:
    if not isinstance(item, Raw):
        return Node(above, flaw=UNREADABLE_MESSAGE)
    replies = tuple(filter(None, map(_key, item.listed("children"))))
    named = item.text("parentMessageId")
    parent = above if named in ("", _ROOT_ID) else named
    return Node(parent, tuple(_parts(item, model)), replies)


def _flatten(listed: list[object]) -> Iterator[tuple[object, str | None]]:
    """Each message with the id of the one it is nested in, at any depth."""
    waiting: list[tuple[object, str | None]] = [(item, None) for item in reversed(listed)]
    while waiting:
        item, above = waiting.pop()
        yield item, above
        if isinstance(item, Raw):
            inner = reversed(item.listed("children"))
            waiting += [(child, _key(item) or above) for child in inner]


def _key(item: object) -> str:
    return fields(item).text("messageId")


def _role(raw: Raw) -> Role:
    sender = raw.text("sender").lower()
    is_user = raw.get("isCreatedByUser")
    if isinstance(is_user, bool):
        return "user" if is_user else "assistant"
    return "user" if sender in ("user", "you") else "assistant"


def _parts(raw: Raw, model: str) -> Iterator[MessagePart]:
    role = _role(raw)
    said_at = raw.moment("createdAt", "timestamp")
    named = raw.text("model") or model
    speaker = MessagePart(role, model=named if role == "assistant" else "", said_at=said_at)
    if raw.get("error") is True:
        speaker = MessagePart("system", tool_name="error", said_at=said_at)
    files = [*raw.objects("files"), *raw.objects("attachments")]
    names = (
        file_label(file.get("filename"), is_image=file.text("type").startswith("image/")) for file in files
    )
    yield from _merge_text([*(raw.listed("content") or [raw.text("text")]), *names], speaker)
    yield from (MessagePart("tool", file.text("text"), ATTACHMENT) for file in files)


def _merge_text(parts: list[object], speaker: MessagePart) -> Iterator[MessagePart]:
    """The parts as pieces; adjacent words are one piece. Ids of messages depend on how many there are."""
    words: list[str] = []
    for part in parts:
        text = part if isinstance(part, str) else _text_of_part(fields(part))
        if text is not None:
            words += [text] * bool(text)
            continue
        yield replace(speaker, content="\n".join(words))
        words = []
        yield from _other_parts(fields(part), speaker)
    yield replace(speaker, content="\n".join(words))


def _text_of_part(part: Raw) -> str | None:
    """The words of a part, or None if it is not speech."""
    kind = part.text("type")
    if kind == "text":
        return part.text("text") or part.object("text").text("value")
    return "[image]" if kind.startswith("image") else None


def _other_parts(part: Raw, speaker: MessagePart) -> Iterator[MessagePart]:
    kind = part.text("type")
    if kind == "tool_call":
        yield from _call(part.object("tool_call"), speaker)
    elif kind in ("think", "error"):
        words = part.text(kind) or part.object(kind).text("value")
        yield MessagePart("system", words, kind, said_at=speaker.said_at)
    elif part:
        yield MessagePart("system", as_json(part), kind or "unknown", said_at=speaker.said_at)


def _call(raw: Raw, speaker: MessagePart) -> Iterator[MessagePart]:
    inner = raw.object("function") or raw
    name = inner.text("name") or raw.text("type") or "tool"
    call = raw.text("id")
    arguments = arguments_of(inner.get("args", inner.get("arguments")))
    yield MessagePart("assistant", "", name, arguments, call, speaker.model, speaker.said_at)
    yield MessagePart("tool", result_text(inner.get("output")), name, call_id=call)


def _instructions(options: Raw) -> str:
    named = (options.text(name) for name in ("promptPrefix", "system", "instructions"))
    return next((text for text in named if text.strip()), "")
