"""Alice owns a palace, Bob another, Carol is staff. All of them have agreed to what is kept."""

import gc
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import pytest_django
from django.db import connection
from django.test import Client
from hypothesis import settings

from accounts.models import User
from accounts.tenancy import tenant
from memory.recall import pipeline
from memory.recall.recipes import RECIPES
from memory.time_limit import TimeLimit

AGREED = datetime(2025, 1, 1, tzinfo=UTC)

settings.register_profile("at-length", max_examples=1_500, deadline=None)
# Twelve thousand tests and all migrations are a lot to look through for rubbish.
gc.set_threshold(50_000, 20, 20)
LONGEST = ("tests/browser/", "tests/palace/", "tests/story/", "tests/bench/", "tests/scripts/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Folders with files of minutes come first, so that processes side by side end together."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """What has been collected stays until the end: rubbish is looked for elsewhere."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def patient() -> Iterator[None]:
    """Recall that a busy machine does not cut short, where a test sets no limit of its own."""
    usual = {recipe.time_limit_ms for recipe in RECIPES.values()}

    def limit(milliseconds: float) -> TimeLimit:
        return TimeLimit(3_000 if milliseconds in usual else milliseconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "TimeLimit", limit)
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker
) -> Iterator[None]:
    """The database of the tests. A thread that still has a connection in the end, or a killed process
    whose server has not noticed, does not keep it from being dropped."""
    yield
    with django_db_blocker.unblock():
        name = connection.settings_dict["NAME"]
        connection.close()
        with connection._nodb_cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user(
        "alice@example.org", "alice-password-1", name="Alice", agreed_at=AGREED
    )


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user(
        "bob@example.org", "bob-password-1", name="Bob", agreed_at=AGREED
    )


@pytest.fixture
def carol(db: None) -> User:
    return User.objects.create_superuser(
        "carol@example.org", "carol-password-1", name="Carol", agreed_at=AGREED
    )


@pytest.fixture
def as_alice(alice: User) -> Iterator[User]:
    """Alice, with her tenant in force for the length of the test."""
    with tenant(alice.id):
        yield alice


@pytest.fixture
def alice_client(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


@pytest.fixture
def bob_client(bob: User) -> Client:
    client = Client()
    client.force_login(bob)
    return client


@pytest.fixture
def carol_client(carol: User) -> Client:
    client = Client()
    client.force_login(carol)
    return client
