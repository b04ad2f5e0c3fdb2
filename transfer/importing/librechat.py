"""Reads conversations of LibreChat: lists of messages, or replies nested in replies."""

from collections.abc import Iterator, Mapping

from transfer.importing.claude import result_text
from transfer.importing.threads import (
    UNREADABLE_MESSAGE,
    Heading,
    Node,
    Piece,
    Raw,
    below_instructions,
    conversation,
)
from transfer.importing.types import ImportedConversation, Role
from transfer.importing.values import (
    as_json,
    digest,
    fields,
    items,
    label,
    moment,
    objects,
    plain_id,
    plain_text,
)

ATTACHMENT = "attachment"

_TOP = "00000000-0000-0000-0000-000000000000"


def recognises(entry: Raw) -> bool:
    """Whether an entry is a conversation of LibreChat."""
    return "conversationId" in entry and bool(entry.keys() & {"messages", "messagesTree"})


def parse(raw: Raw, projects: Mapping[str, str]) -> ImportedConversation | None:
    """The conversation with all its branches, or None if it has no messages."""
    listed = raw.get("messagesTree") or raw.get("messages")
    if not isinstance(listed, list):
        return None
    options = fields(raw.get("options"))
    nodes = _nodes(listed, plain_text(options.get("model")))
    heading = Heading(
        external_id=_id(raw, nodes),
        title=plain_text(raw.get("title")) or plain_text(options.get("title")),
        created_at=moment(raw.get("createdAt")),
        updated_at=moment(raw.get("updatedAt")),
    )
    return conversation(heading, below_instructions(_instructions(options), nodes))


def _id(raw: Raw, nodes: Mapping[str, Node]) -> str:
    known = plain_text(raw.get("conversationId"))
    return plain_id(known) if known else f"derived-{digest(next(iter(nodes), ''))}"


def _nodes(listed: list[object], model: str) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    for position, (item, above) in enumerate(_flattened(listed), start=1):
        key = _key(item) or f"message#{position}"
        if key in nodes:
            key = f"{key}#{position}"
        if isinstance(item, dict):
            replies = tuple(filter(None, map(_key, items(item.get("children")))))
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
        if isinstance(item, dict):
            inner = reversed(items(item.get("children")))
            waiting += [(child, _key(item) or above) for child in inner]


def _key(item: object) -> str:
    return plain_text(fields(item).get("messageId"))


def _parent(raw: Raw, above: str | None) -> str | None:
    named = plain_text(raw.get("parentMessageId"))
    return above if named in ("", _TOP) else named


def _role(raw: Raw) -> Role:
    sender = plain_text(raw.get("sender")).lower()
    mine = raw.get("isCreatedByUser")
    if isinstance(mine, bool):
        return "user" if mine else "assistant"
    return "user" if sender in ("user", "you") else "assistant"


def _pieces(raw: Raw, model: str) -> Iterator[Piece]:
    role = _role(raw)
    said_at = moment(raw.get("createdAt")) or moment(raw.get("timestamp"))
    named = plain_text(raw.get("model")) or model
    speaker = Piece(role, model=named if role == "assistant" else "", said_at=said_at)
    if raw.get("error") is True:
        speaker = Piece("system", tool_name="error", said_at=said_at)
    files = [*objects(raw.get("files")), *objects(raw.get("attachments"))]
    names = (label(_kind(file), file.get("filename")) for file in files)
    yield from _said([*_parts(raw), *names], speaker)
    yield from (Piece("tool", plain_text(file.get("text")), ATTACHMENT) for file in files)


def _parts(raw: Raw) -> list[object]:
    parts = items(raw.get("content"))
    return parts or [plain_text(raw.get("text"))]


def _kind(file: Raw) -> str:
    return "image" if plain_text(file.get("type")).startswith("image/") else "file"


def _said(parts: list[object], speaker: Piece) -> Iterator[Piece]:
    """The parts as pieces; adjacent words are one piece."""
    words: list[str] = []
    for part in parts:
        text = part if isinstance(part, str) else _words(fields(part))
        if text is not None:
            words += [text] * bool(text)
            continue
        yield _with(speaker, words)
        words = []
        yield from _machinery(fields(part), speaker)
    yield _with(speaker, words)


def _with(speaker: Piece, words: list[str]) -> Piece:
    return Piece(
        speaker.role,
        "\n".join(words),
        speaker.tool_name,
        model=speaker.model,
        said_at=speaker.said_at,
    )


def _words(part: Raw) -> str | None:
    """The words of a part, or None if it is not speech."""
    kind = plain_text(part.get("type"))
    if kind == "text":
        return plain_text(part.get("text")) or plain_text(fields(part.get("text")).get("value"))
    return "[image]" if kind.startswith("image") else None


def _machinery(part: Raw, speaker: Piece) -> Iterator[Piece]:
    kind = plain_text(part.get("type"))
    if kind == "tool_call":
        yield from _call(fields(part.get("tool_call")), speaker)
    elif kind in ("think", "error"):
        yield Piece("system", _text(part.get(kind)), kind, said_at=speaker.said_at)
    elif part:
        yield Piece("system", as_json(part), kind or "unknown", said_at=speaker.said_at)


def _text(value: object) -> str:
    return plain_text(value) or plain_text(fields(value).get("value"))


def _call(raw: Raw, speaker: Piece) -> Iterator[Piece]:
    inner = fields(raw.get("function")) or raw
    name = plain_text(inner.get("name")) or plain_text(raw.get("type")) or "tool"
    given = inner.get("args", inner.get("arguments"))
    call = plain_text(raw.get("id"))
    arguments = given if isinstance(given, str) and given else as_json(given or {})
    yield Piece("assistant", "", name, arguments, call, speaker.model, speaker.said_at)
    yield Piece("tool", result_text(inner.get("output")), name, call_id=call)


def _instructions(options: Raw) -> str:
    named = (plain_text(options.get(name)) for name in ("promptPrefix", "system", "instructions"))
    return next((text for text in named if text.strip()), "")
