"""Alice owns a palace, Bob another, Carol is staff."""

from collections.abc import Iterator

import pytest
from django.test import Client
from hypothesis import settings

from accounts.models import User
from accounts.tenancy import tenant

settings.register_profile("at-length", max_examples=1_500, deadline=None)


@pytest.fixture
def alice(db: None) -> User:
    return User.objects.create_user("alice@example.org", "alice-password-1", name="Alice")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob@example.org", "bob-password-1", name="Bob")


@pytest.fixture
def carol(db: None) -> User:
    return User.objects.create_superuser("carol@example.org", "carol-password-1", name="Carol")


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
