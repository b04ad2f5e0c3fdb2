"""Converts messages in OpenAI's format to stored messages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from api.openai.access import Json
from chat.conversations import MAX_MESSAGE_LENGTH, NewMessage, ToolUse
from memory.recall.context import strip_blocks

_ROLES = {"user": "user", "assistant": "assistant", "tool": "tool", "function": "tool"}
_LABELS = {
    "image_url": "[image]",
    "input_image": "[image]",
    "image": "[image]",
    "input_audio": "[audio]",
    "file": "[file]",
    "input_file": "[file]",
    "video_url": "[video]",
}


def turns_of(messages: Iterable[Json]) -> tuple[NewMessage, ...]:
    """The messages in order, without memory blocks and with labels for images, files and what is too long to
    store. Each of several tool calls becomes a turn of its own."""
    return tuple(_storable(turn) for message in messages for turn in _turns(message))


def is_too_long(message: Json) -> bool:
    """Whether a part of the message is too long to store."""
    return any(turn != _storable(turn) for turn in _turns(message))


def text_of(content: object) -> str:
    """The text of a message's content, plain or in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(text for text in map(_part, parts) if text)


def last_request(messages: Sequence[Json]) -> int | None:
    """The index of the last user message, or None."""
    places = (place for place in reversed(range(len(messages))) if _is_user(messages[place]))
    return next(places, None)


def user_messages(messages: Iterable[Json]) -> list[str]:
    """The text of each user message, without memory blocks."""
    return [strip_blocks(text_of(each.get("content"))) for each in messages if _is_user(each)]


def _is_user(message: Json) -> bool:
    return message.get("role") == "user"


def _storable(turn: NewMessage) -> NewMessage:
    tool = replace(turn.tool, arguments=_labelled(turn.tool.arguments))
    return replace(turn, content=_labelled(turn.content), tool=tool)


def _labelled(text: str) -> str:
    return text if len(text) <= MAX_MESSAGE_LENGTH else f"[{len(text):,} characters]"


def _turns(message: Json) -> Iterator[NewMessage]:
    role = _ROLES.get(str(message.get("role")), "system")
    text = strip_blocks(text_of(message.get("content")) or str(message.get("refusal") or ""))
    if role == "tool":
        result = ToolUse(str(message.get("name") or ""), call_id=str(message.get("tool_call_id") or ""))
        yield NewMessage(role, text, tool=result)
        return
    if text.strip():
        yield NewMessage(role, text)
    for call in _calls(message):
        yield NewMessage(role, "", tool=call)


def _calls(message: Json) -> Iterator[ToolUse]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, Mapping):
            called = call.get("function") or call.get("custom")
            yield _tool(called, str(call.get("id") or ""))
    if isinstance(message.get("function_call"), Mapping):
        yield _tool(message["function_call"], "")


def _tool(called: Any, call_id: str) -> ToolUse:
    function = called if isinstance(called, Mapping) else {}
    arguments = function.get("arguments") or function.get("input") or "{}"
    return ToolUse(str(function.get("name") or ""), str(arguments), call_id)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return ""
    text = part.get("text") or part.get("refusal")
    if isinstance(text, str):
        return text
    return _LABELS.get(str(part.get("type")), "")
