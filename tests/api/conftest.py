import json
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from accounts.models import SCOPES, User
from accounts.tenancy import tenant
from accounts.tokens import issue_token
from tests.api.furnishing import furnish
from tests.api.serving import served


def token_of(user: User, *scopes: str) -> str:
    """A token of this user with these scopes, or with all."""
    with tenant(user.id):
        return issue_token(user.id, f"{user.name} {scopes}", timezone.now(), scopes or SCOPES)


def api_client(user: User, *scopes: str) -> Client:
    """A client with a token of this user for these scopes, or for all."""
    return Client(headers={"Authorization": f"Bearer {token_of(user, *scopes)}"})


@pytest.fixture(autouse=True)
def reset_throttling():
    """Reset the request counts."""
    caches["requests"].clear()


@pytest.fixture(scope="session")
def running_site():
    """The site, started once per process."""
    with served() as site:
        yield site
        site.wait_until_idle()


@pytest.fixture
def alice_api(alice, embedder):
    """A client with a token of Alice for all scopes."""
    return api_client(alice)


@pytest.fixture
def bob_api(bob, embedder):
    """A client with a token of Bob for all scopes."""
    return api_client(bob)


@pytest.fixture
def furniture(alice, embedder, uploads):
    """One row of every kind in Alice's palace."""
    with tenant(alice.id):
        return furnish(alice)


def send(client: Client, method: str, address: str, body: Any = None, **headers: str) -> Any:
    """The response to a request, with a JSON body if one is given."""
    data = "" if body is None else json.dumps(body, default=str)
    return client.generic(method, address, data, "application/json", headers=headers)
