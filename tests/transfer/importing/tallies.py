"""Counts what an export holds by plain JSON, without any of the product's own reading."""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

NOTHING = {"00000000-0000-4000-8000-000000000000", "00000000-0000-0000-0000-000000000000", ""}
NO_WORDS = {"content_type", "type", "language", "response_format_name", "decoding_id", "direction"}
SPEAKERS = {"user", "assistant"}
FOLD = re.compile(r'<details\s+type="(\w+)".*?</details>', re.DOTALL)


@dataclass(frozen=True)
class Tally:
    """Conversations with words in them, what they hold, and entries that are none."""

    conversations: int = 0
    messages: int = 0
    branches: int = 0
    calls: int = 0
    refused: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*(mine + theirs for mine, theirs in zip(_row(self), _row(other), strict=True)))


@dataclass(frozen=True)
class Turn:
    """A message of another product, and how many messages of ours it is worth."""

    key: str
    above: str | None
    holds: int
    calls: int = 0


def tally(path: Path) -> Tally:
    """What the file holds."""
    if path.suffix == ".jsonl":
        return _of_log(path.read_text("utf-8").splitlines())
    return sum(map(_of_chat, _chats(path)), Tally())


def _row(found: Tally) -> list[int]:
    return [found.conversations, found.messages, found.branches, found.calls, found.refused]


def _chats(path: Path) -> Iterator[Any]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if "conversations" in name]
            texts = [archive.read(name).decode() for name in names]
    else:
        texts = [path.read_text("utf-8")]
    for whole in map(json.loads, texts):
        yield from whole if isinstance(whole, list) else [whole]


def _of_chat(raw: Any) -> Tally:
    turns = _turns(raw)
    if turns is None:
        return Tally(refused=1)
    held = sum(turn.holds for turn in turns)
    calls = sum(turn.calls for turn in turns)
    return Tally(bool(held), held, _forks(turns), calls) if held else Tally()


def _turns(raw: Any) -> list[Turn] | None:
    if not isinstance(raw, dict):
        return None
    chat = raw.get("chat") or raw
    if "mapping" in raw:
        return list(_of_chatgpt(raw["mapping"]))
    if "history" in chat or "chat" in raw:
        return _of_open_webui(chat)
    if "conversationId" in raw:
        return _of_librechat(raw)
    listed = raw.get("chat_messages", raw.get("messages"))
    return list(_of_claude(listed)) if isinstance(listed, list) else None


def _forks(turns: Iterable[Turn]) -> int:
    """Every end of the tree is a branch; one of them is the conversation itself."""
    above = {turn.key: turn.above for turn in turns}
    kept = {turn.key for turn in turns if turn.holds}
    answered = {_nearest(turn.above, above, kept) for turn in turns if turn.holds}
    return len(kept - answered) - 1


def _nearest(key: str | None, above: dict[str, str | None], kept: set[str]) -> str | None:
    while key is not None and key not in kept:
        key = above.get(key)
    return key


def _of_chatgpt(mapping: dict[str, Any]) -> Iterator[Turn]:
    for key, node in mapping.items():
        message = node.get("message") or {}
        asked = (message.get("author") or {}).get("role") == "assistant"
        calls = asked and message.get("recipient") not in (None, "", "all")
        says = _says(message.get("content"))
        yield Turn(key, node.get("parent"), int(says), int(calls and says))


def _says(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    if isinstance(value, list):
        return any(map(_says, value))
    if isinstance(value, dict):
        return any(_says(inner) for name, inner in value.items() if name not in NO_WORDS)
    return False


def _of_claude(listed: list[Any]) -> Iterator[Turn]:
    before: str | None = None
    for number, raw in enumerate(listed):
        key = raw.get("uuid") or str(number)
        above = raw.get("parent_message_uuid", before)
        blocks = raw.get("content")
        holds, calls = _blocks(blocks if isinstance(blocks, list) else [])
        attached = raw.get("attachments") or []
        named = bool(attached or raw.get("files"))
        spoke = holds or _says(raw.get("text")) or _says(blocks if not holds else None)
        texts = sum(_says(item.get("extracted_content")) for item in attached)
        yield Turn(key, above, max(holds, int(spoke or named)) + texts, calls)
        before = key


def _blocks(blocks: list[Any]) -> tuple[int, int]:
    """How many messages the blocks are, texts side by side being one; and how many calls."""
    kinds = [_kind(block) for block in blocks]
    runs = [(kind, len(list(run))) for kind, run in groupby(kind for kind in kinds if kind)]
    held = sum(1 if kind == "text" else count for kind, count in runs)
    return held, kinds.count("tool_use")


def _kind(block: Any) -> str:
    """The type of a block that says something."""
    if isinstance(block, str):
        return "text" * bool(block.strip())
    kind = str(block.get("type"))
    told = {
        "text": block.get("text"),
        "thinking": block.get("thinking"),
        "tool_use": "a call",
        "tool_result": block.get("content"),
    }
    return kind if _says(told.get(kind)) else ""


def _of_log(lines: Iterable[str]) -> Tally:
    """Lines of Claude Code; a line is refused that is no object, or none of a kind that is known."""
    found, sessions = Counter[str](), set[str]()
    typed: Counter[tuple[str, str]] = Counter()
    seen: set[tuple[str, str]] = set()
    for line in filter(str.strip, lines):
        raw = _line(line)
        kind = raw.get("type")
        same = str(raw.get("uuid")), json.dumps(raw.get("message"))
        if raw.get("uuid") and same in seen:
            continue
        seen.add(same)
        if not kind or (kind in SPEAKERS and not _is_said(raw)):
            found["refused"] += 1
        elif raw.get("uuid"):
            holds, calls = _of_line(raw)
            found.update(messages=holds, calls=calls)
            if holds:
                helper = raw.get("isSidechain") and raw.get("agentId")
                sessions.add(f"{raw.get('sessionId')} {helper}")
            if kind == "user" and raw.get("parentUuid") and not _answers(raw):
                typed[raw.get("sessionId"), raw["parentUuid"]] += 1
    forks = sum(count - 1 for count in typed.values())
    return Tally(len(sessions), found["messages"], forks, found["calls"], found["refused"])


def _line(line: str) -> dict[str, Any]:
    try:
        raw = json.loads(line)
    except ValueError:
        return {}
    return raw if isinstance(raw, dict) else {}


def _is_said(raw: dict[str, Any]) -> bool:
    message = raw.get("message")
    said = message.get("content") if isinstance(message, dict) else message
    return bool(raw.get("uuid")) and isinstance(said, str | list)


def _of_line(raw: dict[str, Any]) -> tuple[int, int]:
    if raw["type"] not in SPEAKERS:
        return int(_says(raw.get("content"))), 0
    message = raw["message"]
    said = message["content"] if isinstance(message, dict) else message
    return _blocks(said) if isinstance(said, list) else (int(_says(said)), 0)


def _answers(raw: dict[str, Any]) -> bool:
    message = raw["message"]
    said = message["content"] if isinstance(message, dict) else []
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in said)


def _of_open_webui(chat: dict[str, Any]) -> list[Turn] | None:
    tree = (chat.get("history") or {}).get("messages") or {}
    if not isinstance(tree, dict):
        return None
    listed = list(tree.values()) or chat.get("messages", [])
    turns, before = [], None
    for number, raw in enumerate(listed):
        key = raw.get("id") or str(number)
        holds, calls = _folded(raw)
        turns.append(Turn(key, raw.get("parentId", None if tree else before), holds, calls))
        before = key
    return [*_told(chat.get("system")), *_below(turns, chat.get("system"))]


def _folded(raw: dict[str, Any]) -> tuple[int, int]:
    text, files = raw.get("content") or "", raw.get("files") or []
    folds = FOLD.findall(text)
    calls = sum(kind != "reasoning" for kind in folds)
    words = re.split(r"<details\s.*?</details>", text, flags=re.DOTALL)
    spoken = max(sum(map(_says, words)), int(bool(files)))
    contents = sum(_says((file.get("file") or {}).get("data")) for file in files)
    rest = bool(raw.get("sources")) + bool(raw.get("error"))
    return spoken + len(folds) + calls + contents + rest, calls


def _told(instructions: Any) -> list[Turn]:
    return [Turn("instructions", None, 1)] if _says(instructions) else []


def _below(turns: list[Turn], instructions: Any) -> Iterator[Turn]:
    known = {turn.key for turn in turns}
    top = "instructions" if _says(instructions) else None
    for turn in turns:
        yield Turn(turn.key, turn.above if turn.above in known else top, turn.holds, turn.calls)


def _of_librechat(raw: dict[str, Any]) -> list[Turn]:
    turns, waiting = [], [(message, None) for message in raw["messages"]]
    while waiting:
        message, over = waiting.pop()
        key = message["messageId"]
        above = message.get("parentMessageId") or over
        turns.append(Turn(key, None if above in NOTHING else above, *_parts(message)))
        waiting += [(child, key) for child in message.get("children", [])]
    given = (raw.get("options") or {}).get("promptPrefix")
    return [*_told(given), *_below(turns, given)]


def _parts(message: dict[str, Any]) -> tuple[int, int]:
    parts = message.get("content") or []
    kinds = Counter(part["type"] for part in parts)
    calls = kinds["tool_call"]
    answered = sum(_says(part.get("tool_call", {}).get("output")) for part in parts)
    files = message.get("files") or []
    spoken = kinds["text"] if parts else int(_says(message.get("text")) or bool(files))
    held = spoken + kinds["think"] + calls + answered
    return held + sum(_says(file.get("text")) for file in files), calls
