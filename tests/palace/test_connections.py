"""When the database takes no further connection, that is said, and passes."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client

from accounts.models import User
from tests.api.conftest import token_of
from tests.html import check_page

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def no_connection_left() -> Iterator[None]:
    """The server refuses new connections to the database of this test."""
    _allow(connections=False)
    connection.close()
    try:
        yield
    finally:
        _allow(connections=True)


def _allow(*, connections: bool) -> None:
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {connections}")


def test_pages_and_programs_are_told_and_work_again(alice: User, alice_client: Client) -> None:
    token = {"Authorization": f"Bearer {token_of(alice)}"}
    alice_client.raise_request_exception = False
    with no_connection_left():
        page = alice_client.get("/memory/facts/")
        program = Client().get("/api/v1/facts", headers=token)
        ready = Client().get("/readyz", headers={"accept": "application/json"})
        assert Client().get("/healthz").status_code == 200
    assert (page.status_code, program.status_code, ready.status_code) == (503, 503, 503)
    assert "Palace cannot reach its database" in check_page(page, 503)
    assert page.headers["Retry-After"]
    assert program.json()["status"] == 503
    assert alice_client.get("/memory/facts/").status_code == 200
    assert Client().get("/api/v1/facts", headers=token).status_code == 200


def test_an_error_of_ours_is_still_called_one(alice_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError

    monkeypatch.setattr("memory.pages.facts.listing.render", fail)
    alice_client.raise_request_exception = False
    page = alice_client.get("/memory/facts/")
    assert page.status_code == 500
    assert "Something went wrong on our side" in page.content.decode()
