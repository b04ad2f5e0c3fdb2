"""A furnished palace for the tests of a module."""

from copy import copy

import pytest

from accounts.tenancy import tenant
from tests.conftest import create_user
from tests.transfer.exporting.furnished import furnish


@pytest.fixture(scope="module")
def furnished_once(world):
    """Alice with a furnished palace, for all tests of a module that commits no transaction."""
    alice = create_user("alice")
    with tenant(alice.id):
        furnish(alice.id)
    return alice


@pytest.fixture
def palace(furnished_once, db):
    """The furnished user, unchanged at the start of each test."""
    return copy(furnished_once)
