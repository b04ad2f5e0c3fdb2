"""Reads replies of the model endpoint, and builds replies from memory alone."""

from collections.abc import Iterator
from datetime import datetime
from uuid import uuid4

from api.openai.access import Json
from chat.models import MEMORY_ONLY
from llm.openai_format import Reading, tool_calls


def streamed_message(reading: Reading) -> Json:
    """The reply streamed so far as one message."""
    message: Json = {"role": "assistant", "content": "".join(reading.pieces) or None}
    if calls := tool_calls(reading.calls):
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
    return message


def message_of(body: Json) -> Json:
    """The first choice of a response; empty without one."""
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return {**message, "role": "assistant"} if isinstance(message, dict) else {}


def memory_answer(text: str, now: datetime) -> Json:
    """A response made of memory alone."""
    return {
        **_head("chat.completion", now),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }


def memory_chunks(text: str, now: datetime, *, usage: bool) -> Iterator[Json]:
    """The same as stream chunks."""
    head = _head("chat.completion.chunk", now)
    for delta, end in (({"role": "assistant", "content": text}, None), ({}, "stop")):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": end}
        yield {**head, "choices": [choice]}
    if usage:
        counts = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
        yield {**head, "choices": [], "usage": counts}


def _head(kind: str, now: datetime) -> Json:
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": kind,
        "created": int(now.timestamp()),
        "model": MEMORY_ONLY,
    }
