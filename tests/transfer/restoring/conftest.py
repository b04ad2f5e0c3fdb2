"""Exports of palaces. Making them is slow, so each is made once per process."""

from functools import cache

import pytest
from django.db import transaction

from accounts.tenancy import tenant
from tests.conftest import create_user
from tests.transfer.exporting.furnished import export, furnish, live_in


@cache
def export_of(fill) -> bytes:
    """The export of a palace that is rolled back afterwards."""
    with transaction.atomic():
        mira = create_user("mira")
        with tenant(mira.id):
            fill(mira.id)
            made = export(mira.id)
        transaction.set_rollback(True)
    return made


@pytest.fixture
def archive(db):
    """An export of a furnished palace."""
    return export_of(furnish)


@pytest.fixture
def whole(db):
    """An export of a palace with rows of every kind."""
    return export_of(live_in)


@pytest.fixture
def furnished(alice):
    """Furnish Alice's palace, and export it."""
    with tenant(alice.id):
        furnish(alice.id)
        return export(alice.id)
