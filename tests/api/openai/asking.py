"""Asks through the official client, and looks at what reached the endpoint and the ledger."""

from typing import Any

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Message
from tests.openai_server import OpenAIServer

pytestmark = pytest.mark.django_db(transaction=True)


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
