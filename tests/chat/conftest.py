"""Fixtures of the chat: a fake model, the queue, an upload folder, endpoints."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import dramatiq
import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from accounts.models import User
from chat.conversations import Choices, start
from chat.models import Conversation
from chat.replies import streaming
from llm import current
from llm.configuration import LlmConfiguration
from llm.openai_gateway import OpenAIGateway
from tests.database import rolled_back
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


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """A transaction in which module fixtures create data for all tests; see tests.database.rolled_back."""
    with django_db_blocker.unblock(), rolled_back():
        yield


@pytest.fixture
def model(embedder: FakeEmbedder) -> Iterator[FakeChat]:
    """A connected model; tests script its replies."""
    made = FakeChat()
    with current.using(chat=made):
        yield made


@pytest.fixture
def conversation(as_alice: User) -> Conversation:
    """An empty conversation of Alice."""
    return start(as_alice.id, Choices(), NOW)


@pytest.fixture
def queued() -> Iterator[Callable[[], list[tuple[str, tuple[Any, ...]]]]]:
    """Takes the jobs queued since the last call, as (actor, arguments) in order."""
    broker: Any = dramatiq.get_broker()
    broker.flush_all()

    def take() -> list[tuple[str, tuple[Any, ...]]]:
        found = [
            dramatiq.Message.decode(data) for queue in broker.queues.values() for data in list(queue.queue)
        ]
        broker.flush_all()
        return [(message.actor_name, tuple(message.args)) for message in found]

    yield take
    broker.flush_all()


@pytest.fixture
def uploads(settings: Any, tmp_path: Path) -> Path:
    """The folder for uploads."""
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return tmp_path / "uploads"


@pytest.fixture
def close_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ASGI request runs in its own thread; its database connection must not stay open."""
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)


@pytest.fixture
def fast_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Save replies twenty times a second."""
    monkeypatch.setattr(streaming, "HEARTBEAT_INTERVAL_S", 0.05)


@pytest.fixture
def clock() -> Clock:
    """A clock that the test moves."""
    return Clock()


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model endpoint with scripted failures; background work times out after a second."""
    with OpenAIServer() as running, endpoint(running.base_url, background_timeout_s=1.0):
        yield running
