"""Answers in the shape of the Responses API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from api.openai.refusals import Json

_ECHOED: Mapping[str, Any] = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "temperature": None,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": None,
    "truncation": "disabled",
    "user": None,
}
_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


def response_id(identifier: UUID) -> str:
    """The id of a response as clients know it."""
    return f"resp_{identifier.hex}"


@dataclass(frozen=True, slots=True)
class Draft:
    """A response while it is made: the request it answers, and who is to find it again by `id`."""

    request: Json
    id: UUID
    created_at: datetime
    stores: bool = True
    model: str = ""

    def told(self, output: list[Json], status: str = "in_progress", **more: Any) -> Json:
        """The response with this output."""
        given = {name: self.request.get(name) for name in _ECHOED}
        echoed = {
            name: default if given[name] is None else given[name]
            for name, default in _ECHOED.items()
        }
        return {
            "id": response_id(self.id),
            "object": "response",
            "created_at": int(self.created_at.timestamp()),
            "status": status,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "model": self.model or str(self.request.get("model") or ""),
            "output": output,
            "usage": None,
            "store": self.stores,
            **echoed,
            **more,
        }


@dataclass(slots=True)
class Written:
    """What a reply has come to: its items, the reason why it ended, and the endpoint's counts."""

    items: list[Json] = field(default_factory=list)
    finish_reason: str = ""
    usage: Json | None = None

    def response(self, draft: Draft) -> Json:
        """The finished response."""
        reason = _INCOMPLETE.get(self.finish_reason)
        status = "incomplete" if reason else "completed"
        details = {"reason": reason} if reason else None
        return draft.told(
            self.items, status, incomplete_details=details, usage=usage_of(self.usage)
        )


def written_of(answer: Json) -> Written:
    """What a whole chat answer has come to."""
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    message = first.get("message") or {}
    return Written(items_of(message), str(first.get("finish_reason") or ""), answer.get("usage"))


def items_of(message: Json) -> list[Json]:
    """The items of a reply: its words, then its calls."""
    items = []
    if message.get("content"):
        items.append(message_item([text_part(str(message["content"]))]))
    elif message.get("refusal"):
        items.append(message_item([{"type": "refusal", "refusal": message["refusal"]}]))
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        items.append(
            call_item(str(call.get("id") or ""), str(function.get("name") or ""))
            | {"arguments": str(function.get("arguments") or ""), "status": "completed"}
        )
    return items


def message_item(content: list[Json], status: str = "completed") -> Json:
    """An item of words."""
    return {
        "id": f"msg_{uuid4().hex}",
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": content,
    }


def text_part(text: str) -> Json:
    """The words of an item."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def call_item(call_id: str, name: str) -> Json:
    """An item of a call that has no arguments yet."""
    return {
        "id": f"fc_{uuid4().hex}",
        "type": "function_call",
        "status": "in_progress",
        "call_id": call_id,
        "name": name,
        "arguments": "",
    }


def usage_of(counts: Json | None) -> Json | None:
    """The counts of a chat answer as this API calls them."""
    if not isinstance(counts, Mapping):
        return None
    read, wrote = int(counts.get("prompt_tokens") or 0), int(counts.get("completion_tokens") or 0)
    cached = (counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    reasoned = (counts.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": wrote,
        "output_tokens_details": {"reasoning_tokens": reasoned},
        "total_tokens": read + wrote,
    }
