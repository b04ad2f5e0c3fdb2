"""Endless streams from a model endpoint."""

import json
from typing import Any

from tests.openai_server import Behaviour


def event(**delta: Any) -> bytes:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta}]})}\n\n".encode()


def _call(arguments: str, index: int | None = 0) -> dict[str, Any]:
    return {"index": index, "id": "a", "function": {"name": "recall_memory", "arguments": arguments}}


FLOODS = {
    "text": event(content="[" * 500) * 20,
    "tool arguments": event(tool_calls=[_call("[" * 500)]) * 20,
    "tool calls": event(tool_calls=[_call("", None)]) * 20,
    "thoughts": event(reasoning_content="[" * 100_000) * 4,
    "other choices": event(content="[" * 500).replace(b'"index": 0', b'"index": 1') * 20,
    "odd events": b'data: {"choices": [{"delta": {"content": "["}, "finish_reason": 5}]}\n\n' * 20,
    "comments": b": still here\n\n" * 5_000,
    "one line": b"[" * 100_000,
    "one event": b"data: [\n" * 10_000,
}


def flood(name: str) -> Behaviour:
    """The behaviour of an endpoint that sends the same data forever."""
    return Behaviour(flood=FLOODS[name])
