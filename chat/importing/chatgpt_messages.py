"""Reads single messages of a ChatGPT conversation: who spoke, what was said, which tool."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from chat.importing.chatgpt_content import content_text
from chat.importing.moments import moment
from chat.importing.types import ImportedMessage, Role
from chat.importing.values import plain_id, plain_text

_EVERYBODY = {"", "all", "assistant", "user"}
_MACHINERY = {"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"}
_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}

Raw = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class OpenCall:
    """The latest tool call above a message, which a result of the same tool answers."""

    tool: str
    call_id: str


@dataclass(frozen=True, slots=True)
class Position:
    """Where a message stands: its key, the kept message above it and the open tool call."""

    key: str
    parent: str | None = None
    call: OpenCall | None = None


def read_message(raw: Raw, position: Position) -> ImportedMessage:
    """Return the message verbatim; one without a known author is the assistant's."""
    text = content_text(raw.get("content") or raw.get("text"), _metadata(raw).get("attachments"))
    tool = _tool_called(raw)
    message = ImportedMessage(
        external_id=plain_id(position.key),
        parent_external_id=position.parent,
        role=_role(raw),
        content="" if tool else text,
        said_at=_said_at(raw),
        tool_name=tool or _origin(raw),
        tool_arguments=text if tool else "",
        call_id=plain_id(position.key) if tool else "",
        model=plain_text(_metadata(raw).get("model_slug")) or plain_text(raw.get("model")),
    )
    return _answering(message, position.call)


def has_known_author(raw: Raw) -> bool:
    """Tell whether the message says who wrote it, in a way we understand."""
    return _author(raw) in _ROLES


def is_empty(message: ImportedMessage) -> bool:
    """Tell whether the message holds neither words nor tool arguments."""
    return not (message.content.strip() or message.tool_arguments.strip())


def open_call(message: ImportedMessage, before: OpenCall | None) -> OpenCall | None:
    """Return the call that a tool message below this one would answer."""
    if message.role == "assistant" and message.tool_name:
        return OpenCall(message.tool_name, message.call_id)
    return None if message.role == "user" else before


def _metadata(raw: Raw) -> Raw:
    metadata = raw.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _role(raw: Raw) -> Role:
    role = _ROLES.get(_author(raw), "assistant")
    if role == "tool" or _tool_called(raw):
        return role
    hidden = _metadata(raw).get("is_visually_hidden_from_conversation") is True
    return "system" if hidden or _content_type(raw) in _MACHINERY else role


def _author(raw: Raw) -> str:
    author = raw.get("author")
    named = author.get("role") if isinstance(author, dict) else author
    return (
        plain_text(named) or plain_text(raw.get("role")) or plain_text(raw.get("sender"))
    ).lower()


def _content_type(raw: Raw) -> str:
    content = raw.get("content")
    return plain_text(content.get("content_type")) if isinstance(content, dict) else ""


def _tool_called(raw: Raw) -> str:
    recipient = plain_text(raw.get("recipient"))
    speaks = _ROLES.get(_author(raw), "assistant") == "assistant"
    return recipient if speaks and recipient not in _EVERYBODY else ""


def _origin(raw: Raw) -> str:
    if _role(raw) == "tool":
        author = raw.get("author")
        return plain_text(author.get("name") if isinstance(author, dict) else raw.get("name"))
    kind = _content_type(raw)
    return kind if kind in _MACHINERY else ""


def _said_at(raw: Raw) -> datetime | None:
    names = ("create_time", "created_at", "timestamp")
    return next((time for time in (moment(raw.get(name)) for name in names) if time), None)


def _answering(message: ImportedMessage, call: OpenCall | None) -> ImportedMessage:
    if message.role != "tool" or call is None:
        return message
    same = call.tool.partition(".")[0] == message.tool_name.partition(".")[0]
    return replace(message, call_id=call.call_id) if same else message
