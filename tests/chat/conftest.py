"""Fixtures of the chat: a fake model, an empty conversation, a clock, and a model endpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from inspect import iscoroutinefunction
from typing import Any

import pytest

from chat import endpoints
from chat.conversations import Choices, start
from chat.replies import streaming
from llm import current
from llm.configuration import LlmConfiguration
from llm.openai_gateway import OpenAIGateway
from tests.chat.following import write_in_this_thread
from tests.drills.ledger import Clock
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.openai_server import OpenAIServer

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


@contextmanager
def endpoint(base_url: str, **more: Any) -> Iterator[None]:
    """Use the endpoint at this URL as the configured model."""
    configuration = LlmConfiguration(base_url=base_url, api_key="k", **more)
    with current.using(chat=OpenAIGateway(configuration), embedder=FakeEmbedder()):
        yield


@pytest.fixture(autouse=True)
def no_cached_models(monkeypatch):
    """No list of models of another test's endpoint."""
    monkeypatch.setattr(endpoints, "_site_models", {})


@pytest.fixture
def model(embedder):
    """A connected model; tests script its replies."""
    made = FakeChat()
    with current.using(chat=made):
        yield made


@pytest.fixture
def conversation(as_alice):
    """An empty conversation of Alice."""
    return start(as_alice.id, Choices(), NOW)


@pytest.fixture
def fast_heartbeat(monkeypatch):
    """Save replies twenty times a second."""
    monkeypatch.setattr(streaming, "HEARTBEAT_INTERVAL_S", 0.05)


@pytest.fixture(autouse=True)
def replies_in_the_thread_of_the_test(request, monkeypatch):
    """Pages without scripts write replies in the thread of the test, unless it has an event loop."""
    if not iscoroutinefunction(request.function):
        monkeypatch.setattr(
            "chat.pages.chat.write_reply", lambda chat, generation: write_in_this_thread(generation)
        )


@pytest.fixture
def clock():
    """A clock that the test moves."""
    return Clock()


@pytest.fixture
def server():
    """A model endpoint with scripted failures; background work times out after a second."""
    with OpenAIServer() as running, endpoint(running.base_url, background_timeout_s=1.0):
        yield running
