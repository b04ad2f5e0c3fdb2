"""Alice owns a palace, Bob another, Carol is staff. All of them have accepted the privacy notice."""

import gc
from datetime import UTC, datetime
from typing import Any

import dramatiq
import pytest
from django.db import connections
from django.test import Client, TransactionTestCase
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

from accounts.models import User
from accounts.tenancy import tenant, visitor
from llm import current
from memory.recall import pipeline
from memory.recall.weights import TIME_LIMIT_MS
from memory.search.time_limit import TimeLimit
from tests.database import empty_tables, own_database, rolled_back
from tests.fake_gateway import FakeEmbedder

AGREED = datetime(2025, 1, 1, tzinfo=UTC)

settings.register_profile("quick", max_examples=20, deadline=None)
settings.register_profile("drill", max_examples=300, deadline=None)
settings.load_profile("quick")
gc.set_threshold(50_000, 20, 20)  # collect less often: thousands of tests stay in memory
SLOW_FOLDERS = ("tests/browser/", "tests/palace/", "tests/story/", "tests/bench/", "tests/scripts/")
LONG_DRILLS = tuple(f"tests/browser/test_{name}.py" for name in ("accessibility", "story", "xss"))
SITES = ("tests/browser/chat/", *LONG_DRILLS, "tests/browser/")


class OneSiteEach(LoadFileScheduling):
    """Run each file in one process, and all files that share a site in the same one. The longest drills have
    a site of their own, so that another process can run them."""

    def _split_scope(self, nodeid: str) -> str:
        shared = (folder for folder in SITES if nodeid.startswith(folder))
        return next(shared, None) or super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneSiteEach:
    """Distribute files so that each site starts only once."""
    return OneSiteEach(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest folders first, so that parallel processes finish together."""
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW_FOLDERS))


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection: they live until the end."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests measured, by `record_property`."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.line(f"{name}: {value}")


@pytest.fixture(autouse=True, scope="session")
def generous_recall_limit():
    """Raise the default time limit of recall, so that a busy machine does not cut it short."""

    def limit(milliseconds: float) -> TimeLimit:
        return TimeLimit(3_000 if milliseconds == TIME_LIMIT_MS else milliseconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "TimeLimit", limit)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment, django_db_blocker):
    """A database per process, emptied after each test that commits transactions."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_tables)
        with own_database(), django_db_blocker.block():
            yield


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """A transaction in which module fixtures create data for all tests; see tests.database.rolled_back."""
    with django_db_blocker.unblock(), rolled_back():
        yield


def create_user(name: str, **more: Any) -> User:
    """Create an account, outside the current tenant."""
    with visitor():
        return User.objects.create_user(
            f"{name}@example.org", f"{name}-password-1", name=name.title(), agreed_at=AGREED, **more
        )


def signed_in(user: User) -> Client:
    """A client in which the user is signed in."""
    client = Client()
    with visitor():
        client.force_login(user)
    return client


@pytest.fixture
def embedder():
    """The deployment's embedder during a test: a bag of words, without weights."""
    fake = FakeEmbedder()
    with current.using(embedder=fake):
        yield fake


@pytest.fixture
def alice(db):
    return create_user("alice")


@pytest.fixture
def bob(db):
    return create_user("bob")


@pytest.fixture
def carol(db):
    return create_user("carol", is_staff=True, is_superuser=True)


@pytest.fixture
def as_alice(alice):
    """Alice, with her tenant active during the test."""
    with tenant(alice.id):
        yield alice


@pytest.fixture
def alice_client(alice):
    return signed_in(alice)


@pytest.fixture
def bob_client(bob):
    return signed_in(bob)


@pytest.fixture
def carol_client(carol):
    return signed_in(carol)


@pytest.fixture
def queued():
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
def uploads(settings, tmp_path):
    """The folder for uploads."""
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return tmp_path / "uploads"


@pytest.fixture
def close_connections(monkeypatch):
    """Each ASGI request runs in its own thread; its database connection must not stay open."""
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
