"""Collects streamed replies, and builds replies from memory alone."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

from api.openai.access import Json
from chat.models import MEMORY_ONLY


@dataclass(slots=True)
class Gathering:
    """Assembles a streamed reply from its chunks. Only the first choice counts."""

    content: list[str] = field(default_factory=list)
    calls: dict[int, Json] = field(default_factory=dict)
    finish_reason: str = ""
    begun: bool = False

    def take(self, chunk: Json) -> None:
        """Add a chunk. Unknown content is ignored."""
        self.begun = True
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index"):
                self.finish_reason = str(choice.get("finish_reason") or self.finish_reason)
                self._add(choice.get("delta"))

    def message(self) -> Json:
        """The reply so far as one message."""
        message: Json = {"role": "assistant", "content": "".join(self.content) or None}
        if self.calls:
            message["tool_calls"] = [self.calls[place] for place in sorted(self.calls)]
        return message

    def _add(self, delta: object) -> None:
        if not isinstance(delta, dict):
            return
        words = delta.get("content") or delta.get("refusal")
        if isinstance(words, str):
            self.content.append(words)
        calls = delta.get("tool_calls")
        for position, piece in enumerate(calls if isinstance(calls, list) else ()):
            if isinstance(piece, dict):
                self._call(piece, position)

    def _call(self, piece: Json, position: int) -> None:
        place = piece.get("index")
        call = self.calls.setdefault(
            place if isinstance(place, int) else position,
            {"id": "", "type": "function", "function": {"name": "", "arguments": ""}},
        )
        call["id"] = piece.get("id") or call["id"]
        told = piece.get("function")
        if isinstance(told, dict):
            call["function"]["name"] += str(told.get("name") or "")
            call["function"]["arguments"] += str(told.get("arguments") or "")


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
