"""Searching a part of the palace by REST."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import Drawer
from tests.api.conftest import send
from tests.memory.palaces import MONDAY, Spot, file

CAT = "My cat is called Minka."
VET = "The vet says that my cat Minka is well."


@pytest.fixture
def drawers(alice: User, alices: Client) -> list[Drawer]:
    """Two drawers about a cat in wings of different kinds, the later one by an assistant."""
    with tenant(alice.id):
        home = Spot("Home", "topic")
        visit = Spot("Dr Reed", "person", start=MONDAY + timedelta(days=30))
        return [*file(alice.id, [CAT], home), *file(alice.id, [VET], visit, role="assistant")]


def searched(client: Client, **filters: Any) -> set[str]:
    answer = send(client, "POST", "/api/v1/search", {"query": "my cat Minka", **filters})
    assert answer.status_code == 200, answer.content
    return {hit["text"] for hit in answer.json()["hits"]}


def test_a_search_looks_only_where_it_is_told(alices: Client, drawers: list[Drawer]) -> None:
    cat, vet = drawers
    assert searched(alices) == {CAT, VET}
    assert searched(alices, wing=str(cat.wing_id)) == {CAT}
    assert searched(alices, wing_kind="person") == {VET}
    assert searched(alices, role="assistant") == {VET}
    assert searched(alices, since="2024-06-05T09:00:00Z") == {VET}
    assert searched(alices, until="2024-06-05T09:00:00Z") == {CAT}
    assert searched(alices, wing=str(vet.wing_id), role="user") == set()


@pytest.mark.parametrize(
    ("filters", "status"),
    [
        ({"wing": "01890000-0000-7000-8000-000000000000"}, 404),
        ({"wing_kind": "attic"}, 422),
        ({"role": "system"}, 422),
        ({"since": "2026-06-01"}, 422),
    ],
)
def test_a_filter_that_is_none_is_refused(alices: Client, filters: dict[str, str], status: int) -> None:
    assert send(alices, "POST", "/api/v1/search", {"query": "cat", **filters}).status_code == status
