"""The blocks that messages of Claude are made of, in its app, its API and Claude Code alike."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from chat.importing.moments import moment
from chat.importing.threads import Piece, Raw
from chat.importing.types import Role
from chat.importing.values import as_json, fields, items, label, plain_text

_WITHOUT_WORDS = {
    "type", "id", "flags", "citations", "signature", "cache_control", "data",
    "start_timestamp", "stop_timestamp",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who says a message and when; `read` tells what a piece of its text really is."""

    role: Role
    said_at: datetime | None = None
    model: str = ""
    read: Callable[[str], Piece | None] = lambda text: None


def pieces_of(content: object, speaker: Speaker) -> tuple[Piece, ...]:
    """Return what a message holds, in order; texts that follow each other are one piece.

    Only the first piece has the time of the speaker for certain: a later one has a time if its
    block says one.
    """
    blocks = [content] if isinstance(content, str | dict) else items(content)
    found = [piece for block in blocks for piece in _pieces(block, speaker)]
    joined = list(_joined(found, speaker.role))
    if joined and joined[0].said_at is None:
        joined[0] = replace(joined[0], said_at=speaker.said_at)
    return tuple(joined)


def result_text(content: object) -> str:
    """Return what a tool answered as text, with labels such as `[image]` for media."""
    if isinstance(content, str):
        return content
    blocks = [content] if isinstance(content, dict) else items(content)
    return "\n".join(text for text in map(_result_part, blocks) if text)


def _result_part(part: object) -> str:
    if isinstance(part, str):
        return part
    block = fields(part)
    kind = plain_text(block.get("type"))
    if kind in ("image", "document"):
        return _media(block, kind)
    told = [plain_text(block.get(name)) for name in ("title", "url", "text")]
    if told[-1] or kind == "text":
        return "\n".join(text for text in told if text)
    return as_json(part)


def _pieces(block: object, speaker: Speaker) -> Iterator[Piece]:
    if isinstance(block, str):
        yield _spoken(block, speaker)
        return
    raw = fields(block)
    kind = plain_text(raw.get("type"))
    piece = _piece(raw, kind, speaker)
    if piece:
        yield replace(piece, said_at=moment(raw.get("start_timestamp")))


def _piece(raw: Raw, kind: str, speaker: Speaker) -> Piece | None:
    if kind == "text":
        return _spoken(plain_text(raw.get("text")), speaker)
    if kind == "thinking":
        return Piece("system", plain_text(raw.get("thinking")), "thinking", model=speaker.model)
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
    given = raw.get("input")
    return Piece(
        "assistant",
        tool_name=plain_text(raw.get("name")) or "tool",
        tool_arguments=given if isinstance(given, str) and given else as_json(given or {}),
        call_id=plain_text(raw.get("id")),
        model=speaker.model,
    )


def _result(raw: Raw) -> Piece:
    return Piece(
        "tool",
        result_text(raw.get("content")),
        tool_name=plain_text(raw.get("name")),
        call_id=plain_text(raw.get("tool_use_id")),
    )


def _media(raw: Raw, kind: str) -> str:
    source = fields(raw.get("source"))
    name = label("file" if kind == "document" else kind, raw.get("title") or raw.get("file_name"))
    text = source.get("data") if source.get("type") == "text" else None
    return f"{name}\n{text}" if isinstance(text, str) else name


def _other(raw: Raw, kind: str, speaker: Speaker) -> Piece | None:
    if text := plain_text(raw.get("text")):
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
            text = "\n".join(text for text in (waiting.content, piece.content) if text)
            waiting = replace(waiting, content=text)
            continue
        if waiting:
            yield waiting
        waiting = piece if plain else None
        if not plain:
            yield piece
    if waiting:
        yield waiting
