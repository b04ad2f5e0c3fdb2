"""Reads conversations of LibreChat: lists of messages, or replies nested in replies."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from transfer.importing.claude import result_text
from transfer.importing.threads import (
    ATTACHMENT,
    UNREADABLE_MESSAGE,
    Heading,
    ImportedConversation,
    Node,
    Piece,
    Raw,
    Role,
    arguments_of,
    as_json,
    below_instructions,
    conversation,
    derived_id,
    fields,
    label,
    plain_id,
    plain_text,
)

_TOP = "00000000-0000-0000-0000-000000000000"


def recognises(entry: Raw) -> bool:
    """Whether an entry is a conversation of LibreChat."""
    return "conversationId" in entry and bool(entry.keys() & {"messages", "messagesTree"})


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation with all its branches, or None if it has no messages."""
    listed = raw.get("messagesTree") or raw.get("messages")
    if not isinstance(listed, list):
        return None
    options = raw.object("options")
    nodes = _nodes(listed, options.text("model"))
    heading = Heading(
        external_id=_id(raw, nodes),
        title=raw.text("title") or options.text("title"),
        created_at=raw.moment("createdAt"),
        updated_at=raw.moment("updatedAt"),
    )
    return conversation(heading, below_instructions(_instructions(options), nodes))


def _id(raw: Raw, nodes: Mapping[str, Node]) -> str:
    known = raw.text("conversationId")
    return plain_id(known) if known else derived_id(next(iter(nodes), ""))


def _nodes(listed: list[object], model: str) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    for position, (item, above) in enumerate(_flattened(listed), start=1):
        key = _key(item) or f"message#{position}"
        if key in nodes:
            key = f"{key}#{position}"
        if isinstance(item, Raw):
            replies = tuple(filter(None, map(_key, item.listed("children"))))
            nodes[key] = Node(_parent(item, above), tuple(_pieces(item, model)), replies)
        else:
            nodes[key] = Node(above, flaw=UNREADABLE_MESSAGE)
    return nodes


def _flattened(listed: list[object]) -> Iterator[tuple[object, str | None]]:
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


def _parent(raw: Raw, above: str | None) -> str | None:
    named = raw.text("parentMessageId")
    return above if named in ("", _TOP) else named


def _role(raw: Raw) -> Role:
    sender = raw.text("sender").lower()
    mine = raw.get("isCreatedByUser")
    if isinstance(mine, bool):
        return "user" if mine else "assistant"
    return "user" if sender in ("user", "you") else "assistant"


def _pieces(raw: Raw, model: str) -> Iterator[Piece]:
    role = _role(raw)
    said_at = raw.moment("createdAt", "timestamp")
    named = raw.text("model") or model
    speaker = Piece(role, model=named if role == "assistant" else "", said_at=said_at)
    if raw.get("error") is True:
        speaker = Piece("system", tool_name="error", said_at=said_at)
    files = [*raw.objects("files"), *raw.objects("attachments")]
    names = (label(_kind(file), file.get("filename")) for file in files)
    yield from _said([*(raw.listed("content") or [raw.text("text")]), *names], speaker)
    yield from (Piece("tool", file.text("text"), ATTACHMENT) for file in files)


def _kind(file: Raw) -> str:
    return "image" if file.text("type").startswith("image/") else "file"


def _said(parts: list[object], speaker: Piece) -> Iterator[Piece]:
    """The parts as pieces; adjacent words are one piece. Ids of messages depend on how many there are."""
    words: list[str] = []
    for part in parts:
        text = part if isinstance(part, str) else _words(fields(part))
        if text is not None:
            words += [text] * bool(text)
            continue
        yield replace(speaker, content="\n".join(words))
        words = []
        yield from _machinery(fields(part), speaker)
    yield replace(speaker, content="\n".join(words))


def _words(part: Raw) -> str | None:
    """The words of a part, or None if it is not speech."""
    kind = part.text("type")
    if kind == "text":
        return part.text("text") or part.object("text").text("value")
    return "[image]" if kind.startswith("image") else None


def _machinery(part: Raw, speaker: Piece) -> Iterator[Piece]:
    kind = part.text("type")
    if kind == "tool_call":
        yield from _call(part.object("tool_call"), speaker)
    elif kind in ("think", "error"):
        yield Piece("system", _text(part.get(kind)), kind, said_at=speaker.said_at)
    elif part:
        yield Piece("system", as_json(part), kind or "unknown", said_at=speaker.said_at)


def _text(value: object) -> str:
    return plain_text(value) or fields(value).text("value")


def _call(raw: Raw, speaker: Piece) -> Iterator[Piece]:
    inner = raw.object("function") or raw
    name = inner.text("name") or raw.text("type") or "tool"
    call = raw.text("id")
    arguments = arguments_of(inner.get("args", inner.get("arguments")))
    yield Piece("assistant", "", name, arguments, call, speaker.model, speaker.said_at)
    yield Piece("tool", result_text(inner.get("output")), name, call_id=call)


def _instructions(options: Raw) -> str:
    named = (options.text(name) for name in ("promptPrefix", "system", "instructions"))
    return next((text for text in named if text.strip()), "")
