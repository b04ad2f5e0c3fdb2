"""Forgetting at `/v1/memory`: by id, by pointer, by project, and everything."""

from urllib.parse import quote

import pytest
from django.test import Client

from accounts.tenancy import tenant
from chat.models import Conversation
from memory.models import Drawer, Fact, Forgetting
from tests.api.conftest import api_client, send
from tests.memory.palaces import Spot, file, learn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def drawers(alice, alice_api):
    """Two drawers of the bakery, a project, and one of another subject."""
    with tenant(alice.id):
        bakery = file(alice.id, ["The starter is called Fred.", "Rye takes a day."])
        return [*bakery, *file(alice.id, ["I like the zither."], Spot(wing="Music", kind="topic"))]


def live_contents(user):
    with tenant(user.id):
        return set(Drawer.objects.live().filter(user_id=user.id).values_list("content", flat=True))


def test_drawer_can_be_forgotten_by_id(alice, alice_api, drawers):
    answer = send(alice_api, "DELETE", f"/v1/memory/{drawers[0].id}")
    assert answer.status_code == 200
    body = answer.json()
    assert body["id"] == str(drawers[0].id)
    assert (body["object"], body["deleted"], body["counts"]["drawers"]) == ("memory.deleted", True, 1)
    assert live_contents(alice) == {"Rye takes a day.", "I like the zither."}
    again = send(alice_api, "DELETE", f"/v1/memory/{drawers[0].id}")
    assert again.status_code == 404
    assert again.json()["error"]["code"] == "memory_not_found"
    with tenant(alice.id):
        assert Forgetting.objects.get(user_id=alice.id, id=body["receipt"]).final_at is None


def test_drawer_can_be_forgotten_by_pointer(alice, alice_api, drawers):
    pointer = quote(str(drawers[1].pointer))
    assert send(alice_api, "DELETE", f"/v1/memory/{pointer}").status_code == 200
    assert "Rye takes a day." not in live_contents(alice)
    assert send(alice_api, "DELETE", "/v1/memory/W-900/R-1/D-1").status_code == 404


def test_drawer_can_be_erased_immediately(alice, alice_api, drawers):
    body = send(alice_api, "DELETE", f"/v1/memory/{drawers[2].id}?erase=now").json()
    assert body["residue"]["is_clean"]
    with tenant(alice.id):
        assert not Drawer.objects.filter(user_id=alice.id, id=drawers[2].id).exists()


def test_forgetting_a_fact_keeps_its_drawer(alice, alice_api, drawers):
    with tenant(alice.id):
        fact = learn(drawers[2], "I like the zither", "The person likes the zither.")
    assert send(alice_api, "DELETE", f"/v1/memory/{fact.id}?erase=now").status_code == 404
    assert send(alice_api, "DELETE", f"/v1/memory/{fact.id}").json()["scope"] == "fact"
    with tenant(alice.id):
        assert Fact.objects.get(user_id=alice.id, id=fact.id).deleted_at
    assert "I like the zither." in live_contents(alice)


@pytest.mark.parametrize("by", ["name", "id"])
def test_project_can_be_forgotten(alice, alice_api, drawers, by):
    project = "Bakery" if by == "name" else str(drawers[0].wing_id)
    body = send(alice_api, "DELETE", f"/v1/memory?project_id={project}").json()
    assert (body["scope"], body["counts"]["drawers"]) == ("project", 2)
    assert live_contents(alice) == {"I like the zither."}
    assert send(alice_api, "DELETE", "/v1/memory?project_id=Nothing").status_code == 404


def test_forgetting_a_project_deletes_its_chats(alice, alice_api, drawers):
    with tenant(alice.id):
        chat = Conversation.objects.create(user_id=alice.id, source=Conversation.Source.API, project="Bakery")
    assert send(alice_api, "DELETE", "/v1/memory?project_id=bakery").status_code == 200
    with tenant(alice.id):
        chat.refresh_from_db()
    assert chat.deleted_at is not None


@pytest.mark.parametrize("named", ["id", "email"])
def test_everything_can_be_forgotten(alice, alice_api, drawers, named):
    body = send(alice_api, "DELETE", f"/v1/memory?user_id={getattr(alice, named)}").json()
    assert (body["scope"], body["counts"]["drawers"]) == ("everything", 3)
    assert live_contents(alice) == set()


@pytest.mark.parametrize(
    ("query", "status"), [("", 400), ("?project=Bakery", 400), ("?project_id=", 400), ("?erase=now", 400)]
)
def test_ambiguous_request_forgets_nothing(alice, alice_api, drawers, query, status):
    assert send(alice_api, "DELETE", f"/v1/memory{query}").status_code == status
    assert len(live_contents(alice)) == 3


def test_forgetting_needs_the_write_scope(alice, alice_api, drawers):
    address = f"/v1/memory/{drawers[0].id}"
    assert send(api_client(alice, "read", "chat"), "DELETE", address).status_code == 403
    assert send(Client(), "DELETE", address).status_code == 401
    assert send(alice_api, "GET", address).status_code == 405
