"""A running site, its model endpoint, the official client, and what reached the endpoint and the ledger."""

from typing import Any

import openai
import pytest

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Message
from tests.api.conftest import token_of
from tests.api.serving import endpoint
from tests.memory.palaces import Spot, file
from tests.openai_server import Behaviour, OpenAIServer

FACT = "My cat is called Minka and she is grey."
QUESTION = "What is my cat called?"


@pytest.fixture
def upstream(close_connections):
    """The endpoint that the site forwards to."""
    limits = {"first_part_timeout_s": 3.0, "stall_timeout_s": 2.0, "connect_timeout_s": 2.0}
    with OpenAIServer() as running, endpoint(running.base_url, **limits):
        yield running


@pytest.fixture
def site(upstream, running_site):
    """The URL of the site."""
    yield running_site.url
    running_site.wait_until_idle()


def client_of(site: str, user: User, *scopes: str) -> openai.OpenAI:
    """The official client, configured with only a URL and a key."""
    return openai.OpenAI(base_url=f"{site}/v1", api_key=token_of(user, *scopes), max_retries=0)


@pytest.fixture
def client(site, alice):
    """Alice's client."""
    with client_of(site, alice) as made:
        yield made


@pytest.fixture
def cat_in_memory(alice, upstream):
    """A drawer with the name of Alice's cat."""
    with tenant(alice.id):
        file(alice.id, [FACT], Spot(wing="Home", kind="topic"))


def ask(client: Any, *words: str, **more: Any) -> Any:
    """Send a conversation that the user began."""
    roles = ["user", "assistant"] * len(words)
    messages = [{"role": role, "content": text} for role, text in zip(roles, words, strict=False)]
    return client.chat.completions.create(**{"model": "gpt-test", "messages": messages} | more)


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


def tool_call(call_id: str, **function: str) -> tuple[dict, Behaviour]:
    """A tool call, and the endpoint's reply with it."""
    call = {"id": call_id, "type": "function", "function": function}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return call, Behaviour(body=body)
