"""Two people with conversations."""

from collections.abc import AsyncIterator

import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Conversation


@pytest.fixture
def people(transactional_db: None) -> tuple[User, User]:
    """Alice with one conversation and Bob with two, committed."""
    alice = User.objects.create_user("alice@example.org", "alice-password-1")
    bob = User.objects.create_user("bob@example.org", "bob-password-1")
    for person, number in ((alice, 1), (bob, 2)):
        with tenant(person.id):
            for _ in range(number):
                Conversation.objects.create(user=person)
    return alice, bob


@pytest.fixture
async def closing() -> AsyncIterator[None]:
    """Close what the thread of asynchronous code has opened."""
    yield
    await sync_to_async(connections.close_all)()


def seen() -> int:
    return Conversation.objects.count()
