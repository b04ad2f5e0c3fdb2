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
    if "conversationId" in entry and entry.keys() & {"messages", "messagesTree"}:
        return Format.LIBRECHAT
    return _by_lines(entry)


def _is_open_webui(entry: Mapping[str, object]) -> bool:
    chat = entry.get("chat", entry)
    if not isinstance(chat, dict):
        return False
    history = chat.get("history")
    listed = chat is not entry and isinstance(chat.get("messages"), list)
    return listed or (isinstance(history, dict) and "messages" in history)


def _by_lines(entry: Mapping[str, object]) -> Format | None:
    if _is_line_of_claude_code(entry):
        return Format.CLAUDE_CODE
    listed = any(isinstance(entry.get(name), list) for name in ("messages", "chat_messages"))
    named = entry.keys() & {"conversation_id", "id", "title", "create_time"}
    return Format.CHATGPT if listed and named else None


def _is_line_of_claude_code(entry: Mapping[str, object]) -> bool:
    kind = entry.get("type")
    if not isinstance(kind, str):
        return False
    return "sessionId" in entry or kind in ("file-history-snapshot", "summary")
