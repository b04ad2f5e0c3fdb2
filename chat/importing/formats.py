"""Tells which product an export entry comes from."""

from collections.abc import Mapping
from enum import StrEnum


class Format(StrEnum):
    """The exports we can tell apart; the value is what a person calls them."""

    CHATGPT = "ChatGPT"
    CLAUDE = "Claude.ai"
    CLAUDE_CODE = "Claude Code"
    OPEN_WEBUI = "Open WebUI"
    LIBRECHAT = "LibreChat"


IMPORTABLE = frozenset({Format.CHATGPT})


def recognise(entry: object) -> Format | None:
    """Return the product whose shape this entry has, None when it has nobody's."""
    if not isinstance(entry, dict):
        return None
    if isinstance(entry.get("mapping"), dict | list):
        return Format.CHATGPT
    if "uuid" in entry and "chat_messages" in entry:
        return Format.CLAUDE
    if _is_open_webui(entry):
        return Format.OPEN_WEBUI
    if "conversationId" in entry and "messages" in entry:
        return Format.LIBRECHAT
    return _by_lines(entry)


def _is_open_webui(entry: Mapping[str, object]) -> bool:
    chat = entry.get("chat", entry)
    history = chat.get("history") if isinstance(chat, dict) else None
    return isinstance(history, dict) and "messages" in history


def _by_lines(entry: Mapping[str, object]) -> Format | None:
    if "sessionId" in entry or entry.get("type") in ("file-history-snapshot", "summary"):
        return Format.CLAUDE_CODE
    listed = any(isinstance(entry.get(name), list) for name in ("messages", "chat_messages"))
    named = entry.keys() & {"conversation_id", "id", "title", "create_time"}
    return Format.CHATGPT if listed and named else None
