"""Undoing changes made by REST with the ids in their responses."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from accounts.tenancy import tenant
from chat.agents import create_agent, remove_agent
from chat.conversations import Choices, start
from chat.models import Agent
from tests.api.conftest import send
from tests.memory.palaces import file, learn

API = "/api/v1"


@pytest.fixture
def agent(alice):
    """An agent of Alice."""
    with tenant(alice.id):
        return create_agent(alice.id, {"name": "Cook", "instructions": "Be brief.", "mine": True})


@pytest.fixture
def chat(alice):
    """The address of a chat of Alice."""
    with tenant(alice.id):
        kept = start(alice.id, Choices(title="Bread"), timezone.now())
    return f"{API}/conversations/{kept.id}"


def patch(client, address, body):
    """The body of the response to a successful change."""
    answer = send(client, "PATCH", address, body)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def undo(client, address):
    """The response to an undo."""
    return send(client, "POST", f"{API}/{address}/undo")


def test_undo_restores_an_agent(alice_api, agent):
    address = f"{API}/agents/{agent.id}"
    before = alice_api.get(address).json()
    made = patch(alice_api, address, {"name": "Baker", "mine": False})
    assert made["id"] == str(agent.id)
    assert alice_api.get(address).json() == before | {"name": "Baker", "mine": False}
    (edit,) = made["edits"]
    for _ in range(2):  # undoing twice has no further effect
        answer = undo(alice_api, f"edits/{edit}")
        assert (answer.status_code, answer.json()) == (200, made)
        assert alice_api.get(address).json() == before


def test_undo_restores_the_title_of_a_chat(alice_api, chat):
    made = patch(alice_api, chat, {"title": "Rye bread", "mine": False})
    (edit,) = made["edits"]
    assert alice_api.get(chat).json()["title"] == "Rye bread"
    assert undo(alice_api, f"edits/{edit}").status_code == 200
    now = alice_api.get(chat).json()
    assert (now["title"], now["mine"]) == ("Bread", False)


def test_undo_is_refused_after_a_later_change(alice_api, chat):
    (first,) = patch(alice_api, chat, {"title": "Rye bread"})["edits"]
    patch(alice_api, chat, {"title": "Spelt bread"})
    answer = undo(alice_api, f"edits/{first}")
    assert answer.status_code == 409
    assert "changed again" in answer.json()["detail"]
    assert alice_api.get(chat).json()["title"] == "Spelt bread"


def test_undo_restores_settings_not_changed_since(alice_api):
    address = f"{API}/settings"
    before = alice_api.get(address).json()
    made = patch(alice_api, address, {"top_k": 7, "auto_mine": False})
    assert sorted(made["changed"]) == ["auto_mine", "top_k"]
    (change,) = made["changes"]
    patch(alice_api, address, {"top_k": 8})
    answer = undo(alice_api, f"settings/changes/{change}")
    assert (answer.status_code, answer.json()) == (200, {"restored": ["auto_mine"], "kept": ["top_k"]})
    assert alice_api.get(address).json() == before | {"top_k": 8}


def test_unchanged_values_have_no_edits(alice_api, agent, chat):
    assert patch(alice_api, f"{API}/agents/{agent.id}", {"name": "Cook"})["edits"] == []
    assert patch(alice_api, chat, {"title": "Bread"})["edits"] == []
    assert patch(alice_api, chat, {"recall_memory": False})["edits"] == []
    top_k = alice_api.get(f"{API}/settings").json()["top_k"]
    given = {"top_k": top_k, "preset": "thorough"}
    assert patch(alice_api, f"{API}/settings", given) == {"changed": [], "changes": []}


def test_edits_of_deleted_rows_or_other_users_are_not_found(alice_api, bob_api, alice, agent, chat):
    (renamed,) = patch(alice_api, chat, {"title": "Rye bread"})["edits"]
    (settings_change,) = patch(alice_api, f"{API}/settings", {"top_k": 7})["changes"]
    (edit,) = patch(alice_api, f"{API}/agents/{agent.id}", {"name": "Baker"})["edits"]
    for address in (f"edits/{renamed}", f"edits/{edit}", f"settings/changes/{settings_change}"):
        assert undo(bob_api, address).status_code == 404
    assert alice_api.get(f"{API}/settings").json()["top_k"] == 7
    with tenant(alice.id):
        remove_agent(Agent.objects.get(id=UUID(str(agent.id))), timezone.now())
    for address in (f"edits/{edit}", f"edits/{uuid4()}", f"settings/changes/{uuid4()}"):
        assert undo(alice_api, address).status_code == 404


def test_chat_can_be_pinned_and_given_a_project(alice_api, chat):
    before = alice_api.get(chat).json()
    assert (before["pinned_at"], before["project"]) == (None, "")
    made = patch(alice_api, chat, {"pinned": True, "project": "Bakery"})
    assert made["edits"] == []
    pinned = alice_api.get(chat).json()
    assert pinned["pinned_at"]
    assert pinned == before | {"project": "Bakery", "pinned_at": pinned["pinned_at"]}
    patch(alice_api, chat, {"pinned": True, "mine": True})
    assert alice_api.get(chat).json() == pinned
    patch(alice_api, chat, {"pinned": False, "project": ""})
    assert alice_api.get(chat).json() == before


def test_reworded_fact_has_its_earlier_version(alice_api, alice):
    with tenant(alice.id):
        (drawer,) = file(alice.id, ["I feed my rye starter at seven."])
        fact = learn(drawer, "rye starter", "Feeds a starter.")
    address = f"{API}/facts/{fact.id}"
    decision = patch(alice_api, address, {"statement": "Feeds a rye starter."})["id"]
    body = alice_api.get(address).json()
    assert body["fact"]["statement"] == "Feeds a rye starter."
    (before,) = body["versions"]
    assert (before["number"], before["undone"]) == (1, False)
    assert before["statement"]
    assert undo(alice_api, f"decisions/{decision}").json() == {"count": 1}
    assert alice_api.get(address).json()["fact"]["statement"] == "Feeds a starter."


def test_several_drawers_can_be_deleted_together(alice_api, alice):
    with tenant(alice.id):
        ids = [str(each.id) for each in file(alice.id, ["One.", "Two."])]
    missing = str(uuid4())

    def deleted():
        return [bool(alice_api.get(f"{API}/drawers/{each}").json()["deleted_at"]) for each in ids]

    deletion = send(alice_api, "POST", f"{API}/drawers/delete", {"drawers": [*ids, missing]}).json()
    assert (deletion["drawers"], deleted()) == (2, [True, True])
    assert undo(alice_api, f"trash/{deletion['id']}").status_code == 200
    assert deleted() == [False, False]
    nothing = send(alice_api, "POST", f"{API}/drawers/delete", {"drawers": [missing]})
    assert 400 <= nothing.status_code < 500


def test_undoing_again_changes_nothing(alice_api, bob_api, furniture):
    ids = furniture.ids
    for address, first, second in (
        (f"changes/{ids['change_id']}/undo", {"count": 1}, {"count": 0}),
        (f"decisions/{ids['decision_id']}/undo", {"count": 1}, {"count": 0}),
        (f"graph/edits/{ids['edit_id']}/undo", {"edits": [str(ids["edit_id"])]}, None),
        (f"edits/{ids['chat_edit_id']}/undo", None, None),
        (f"trash/{ids['deletion_id']}/undo", None, None),
        (f"corrections/{ids['correction_id']}/undo", None, None),
        (f"settings/changes/{ids['settings_event_id']}/undo", None, None),
        (f"consolidation/{ids['run_id']}/changes/{ids['run_change_id']}/undo", {"skipped": 0}, None),
        (f"consolidation/{ids['run_id']}/undo", {"skipped": 0}, None),
        (f"conversations/{ids['deleted_chat_id']}/restore", None, None),
        (f"agents/{ids['deleted_agent_id']}/restore", None, None),
        (f"activity/{ids['reextraction_id']}/undo-reextraction", None, None),
        (f"activity/{ids['event_id']}/undo", None, None),
    ):
        assert send(bob_api, "POST", f"{API}/{address}").status_code == 404, address
        answers = [send(alice_api, "POST", f"{API}/{address}") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200] * 3, address
        bodies = [answer.json() for answer in answers]
        assert bodies[0] == (first or bodies[0]), address
        assert bodies[1] == bodies[2] == (second or bodies[0]), address
    assert len(alice_api.get(f"{API}/trash").json()["items"]) == 1
    unknown = [
        f"{kind}/{uuid4()}/undo" for kind in ("changes", "decisions", "graph/edits", "trash", "corrections")
    ]
    for address in unknown:
        assert send(alice_api, "POST", f"{API}/{address}").status_code == 404
