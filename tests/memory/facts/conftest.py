"""Creates as many users as a test needs."""

from uuid import uuid4

import pytest

from accounts.models import User


@pytest.fixture
def new_user(db):
    return lambda: User.objects.create_user(f"{uuid4()}@example.org")
