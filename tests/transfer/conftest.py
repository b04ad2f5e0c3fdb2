"""A furnished palace for the tests of a module."""

from copy import copy

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from tests.conftest import AGREED
from tests.transfer.exporting.furnished import furnish


@pytest.fixture(scope="module")
def furnished_once(world):
    """Alice with a furnished palace, for all tests of a module that commits no transaction."""
    alice = User.objects.create_user("alice@example.org", "alice-password-1", name="Alice", agreed_at=AGREED)
    with tenant(alice.id):
        furnish(alice.id)
    return alice


@pytest.fixture
def palace(furnished_once, db):
    """The furnished user, unchanged at the start of each test."""
    return copy(furnished_once)
