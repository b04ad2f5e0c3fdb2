"""A furnished palace for the tests of a module, and what tests of the import pages share."""

from copy import copy

import pytest
from django.urls import reverse

from accounts.tenancy import tenant
from jobs.actors import run_import
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


def at(name, row):
    """The URL of a page of an import or transfer."""
    return reverse(f"chat:{name}", args=[row.id])


def run_job(run):
    run_import.fn(str(run.user_id), str(run.id))


def import_all(client, run, **given):
    """Import the chosen chats of a checked run."""
    client.post(at("import_begin", run), {"shown": [], **given})
    run_job(run)


def files_in(folder):
    return [path for path in folder.rglob("*") if path.is_file()]
