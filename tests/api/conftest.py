import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import SCOPES, User
from accounts.tenancy import tenant
from accounts.tokens import issue_token


def program(user: User, *scopes: str) -> Client:
    """A program with a token of this user for these scopes, or for all."""
    with tenant(user.id):
        text = issue_token(user.id, f"{user.name} {scopes}", timezone.now(), scopes or SCOPES)
    return Client(headers={"Authorization": f"Bearer {text}"})


@pytest.fixture
def alices(alice: User) -> Client:
    """A program that Alice gave a token for everything."""
    return program(alice)


@pytest.fixture
def bobs(bob: User) -> Client:
    """A program that Bob gave a token for everything."""
    return program(bob)
