"""An export of Alice's furnished palace, for all that is tried with it."""

from collections.abc import Callable

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from tests.transfer.exporting.furnished import export, furnish


@pytest.fixture
def archive(alice: User) -> bytes:
    """Everything that Alice has."""
    with tenant(alice.id):
        furnish(alice.id)
        return export(alice.id)


@pytest.fixture
def as_bob(bob: User, archive: bytes) -> User:
    """Bob, whose account is empty."""
    return bob


Export = Callable[[], bytes]
