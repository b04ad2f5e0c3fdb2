"""Send requests with the official client, and inspect what reached the endpoint and the ledger."""

import time
from collections.abc import Callable
from typing import Any

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Message
from tests.openai_server import OpenAIServer

FACT = "My cat is called Minka and she is grey."
QUESTION = "What is my cat called?"


def ask(client: Any, *words: str, **more: Any) -> Any:
    roles = ["user", "assistant"] * len(words)
    messages = [{"role": role, "content": text} for role, text in zip(roles, words, strict=False)]
    return client.chat.completions.create(model="gpt-test", messages=messages, **more)


def sent(upstream: OpenAIServer) -> list[dict]:
    """The messages of the last request that reached the endpoint."""
    return upstream.received("chat")[-1].body["messages"]


def ledger(user: User) -> list[tuple[str, str]]:
    with tenant(user.id):
        rows = Message.objects.filter(user_id=user.id).order_by("conversation_id", "sequence")
        return [(row.role, row.content) for row in rows]


def chunk(delta: dict, finish: str | None = None) -> dict:
    """A chunk of a stream from the endpoint."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def calling(place: int, arguments: str, name: str = "", **more: object) -> dict:
    """A chunk with part of a tool call."""
    function = {"arguments": arguments, **({"name": name} if name else {})}
    return chunk({"tool_calls": [{"index": place, "function": function, **more}]})


def eventually(condition: Callable[[], object], within: float = 10.0) -> None:
    """Wait until a condition is true; fail if it never is."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "the condition never became true"
        time.sleep(0.02)
