import json
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from accounts.models import SCOPES, User
from accounts.tenancy import tenant
from accounts.tokens import issue_token
from tests.api.furnishing import Furniture, furnish
from tests.fake_gateway import FakeEmbedder


def token_of(user: User, *scopes: str) -> str:
    """A token of this user with these scopes, or with all."""
    with tenant(user.id):
        return issue_token(user.id, f"{user.name} {scopes}", timezone.now(), scopes or SCOPES)


def api_client(user: User, *scopes: str) -> Client:
    """A client with a token of this user for these scopes, or for all."""
    return Client(headers={"Authorization": f"Bearer {token_of(user, *scopes)}"})


@pytest.fixture(autouse=True)
def reset_throttling() -> None:
    """Reset the request counts."""
    caches["requests"].clear()


@pytest.fixture
def alice_api(alice: User, embedder: FakeEmbedder) -> Client:
    """A client with a token of Alice for all scopes."""
    return api_client(alice)


@pytest.fixture
def bob_api(bob: User, embedder: FakeEmbedder) -> Client:
    """A client with a token of Bob for all scopes."""
    return api_client(bob)


@pytest.fixture
def uploads(settings: Any, tmp_path: Path) -> None:
    """A temporary folder for uploads."""
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def furniture(alice: User, embedder: FakeEmbedder, uploads: None) -> Furniture:
    """One row of every kind in Alice's palace."""
    with tenant(alice.id):
        return furnish(alice)


def send(client: Client, method: str, address: str, body: Any = None, **headers: str) -> Any:
    """The response to a request, with a JSON body if one is given."""
    data = "" if body is None else json.dumps(body, default=str)
    return client.generic(method, address, data, "application/json", headers=headers)
