import pytest
from django.test import Client

from accounts.models import User


@pytest.fixture
def strict() -> Client:
    """A browser whose posts are checked for their token."""
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def second_alice_client(alice: User) -> Client:
    """Alice at another browser."""
    client = Client(headers={"User-Agent": "Mozilla/5.0 (X11; Linux) Gecko Firefox/140.0"})
    client.post("/accounts/sign-in/", {"username": alice.email, "password": "alice-password-1"})
    return client
