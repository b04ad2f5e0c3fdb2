"""What a change by REST is taken back by: its answer names it, and it is the one of the pages."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.agents import create_agent, remove_agent
from chat.conversations import Choices, start
from chat.models import Agent
from tests.api.conftest import send
from tests.memory.palaces import file, learn

API = "/api/v1"


@pytest.fixture
def agent(alice: User) -> Agent:
    """An agent of Alice."""
    with tenant(alice.id):
        return create_agent(alice.id, {"name": "Cook", "instructions": "Be brief.", "mine": True})


@pytest.fixture
def chat(alice: User) -> str:
    """The address of a chat of Alice."""
    with tenant(alice.id):
        kept = start(alice.id, Choices(title="Bread"), timezone.now())
    return f"{API}/conversations/{kept.id}"


def patched(client: Client, address: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer to a change that is made."""
    answer = send(client, "PATCH", address, body)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def undone(client: Client, address: str) -> Any:
    """The answer to taking something back."""
    return send(client, "POST", f"{API}/{address}/undo")


def test_an_agent_is_as_it_was(alices: Client, agent: Agent) -> None:
    address = f"{API}/agents/{agent.id}"
    before = alices.get(address).json()
    made = patched(alices, address, {"name": "Baker", "mine": False})
    assert made["id"] == str(agent.id)
    assert alices.get(address).json() == before | {"name": "Baker", "mine": False}
    (edit,) = made["edits"]
    for _ in range(2):  # twice is as once
        answer = undone(alices, f"edits/{edit}")
        assert (answer.status_code, answer.json()) == (200, made)
        assert alices.get(address).json() == before


def test_a_chat_is_called_as_before(alices: Client, chat: str) -> None:
    made = patched(alices, chat, {"title": "Rye bread", "mine": False})
    (edit,) = made["edits"]
    assert alices.get(chat).json()["title"] == "Rye bread"
    assert undone(alices, f"edits/{edit}").status_code == 200
    now = alices.get(chat).json()
    assert (now["title"], now["mine"]) == ("Bread", False)


def test_nothing_is_taken_back_over_a_later_change(alices: Client, chat: str) -> None:
    (first,) = patched(alices, chat, {"title": "Rye bread"})["edits"]
    patched(alices, chat, {"title": "Spelt bread"})
    answer = undone(alices, f"edits/{first}")
    assert answer.status_code == 409
    assert "changed again" in answer.json()["detail"]
    assert alices.get(chat).json()["title"] == "Spelt bread"


def test_settings_are_as_before(alices: Client) -> None:
    address = f"{API}/settings"
    before = alices.get(address).json()
    made = patched(alices, address, {"top_k": 7, "auto_mine": False})
    assert sorted(made["changed"]) == ["auto_mine", "top_k"]
    (change,) = made["changes"]
    patched(alices, address, {"top_k": 8})
    answer = undone(alices, f"settings/changes/{change}")
    assert (answer.status_code, answer.json()) == (200, {"restored": ["auto_mine"], "kept": ["top_k"]})
    assert alices.get(address).json() == before | {"top_k": 8}


def test_where_nothing_was_different_nothing_is_named(alices: Client, agent: Agent, chat: str) -> None:
    assert patched(alices, f"{API}/agents/{agent.id}", {"name": "Cook"})["edits"] == []
    assert patched(alices, chat, {"title": "Bread"})["edits"] == []
    assert patched(alices, chat, {"recall_memory": False})["edits"] == []
    top_k = alices.get(f"{API}/settings").json()["top_k"]
    given = {"top_k": top_k, "preset": "thorough"}
    assert patched(alices, f"{API}/settings", given) == {"changed": [], "changes": []}


def test_what_is_gone_or_somebody_elses_is_not_there(
    alices: Client, bobs: Client, alice: User, agent: Agent, chat: str
) -> None:
    (renamed,) = patched(alices, chat, {"title": "Rye bread"})["edits"]
    (settled,) = patched(alices, f"{API}/settings", {"top_k": 7})["changes"]
    (edit,) = patched(alices, f"{API}/agents/{agent.id}", {"name": "Baker"})["edits"]
    for address in (f"edits/{renamed}", f"edits/{edit}", f"settings/changes/{settled}"):
        assert undone(bobs, address).status_code == 404
    assert alices.get(f"{API}/settings").json()["top_k"] == 7
    with tenant(alice.id):
        remove_agent(Agent.objects.get(id=UUID(str(agent.id))), timezone.now())
    for address in (f"edits/{edit}", f"edits/{uuid4()}", f"settings/changes/{uuid4()}"):
        assert undone(alices, address).status_code == 404


def test_a_chat_is_pinned_and_gets_a_project(alices: Client, chat: str) -> None:
    before = alices.get(chat).json()
    assert (before["pinned_at"], before["project"]) == (None, "")
    made = patched(alices, chat, {"pinned": True, "project": "Bakery"})
    assert made["edits"] == []
    pinned = alices.get(chat).json()
    assert pinned["pinned_at"]
    assert pinned == before | {"project": "Bakery", "pinned_at": pinned["pinned_at"]}
    patched(alices, chat, {"pinned": True, "mine": True})
    assert alices.get(chat).json() == pinned
    patched(alices, chat, {"pinned": False, "project": ""})
    assert alices.get(chat).json() == before


def test_a_reworded_fact_tells_what_it_was(alices: Client, alice: User) -> None:
    with tenant(alice.id):
        (drawer,) = file(alice.id, ["I feed my rye starter at seven."])
        fact = learn(drawer, "rye starter", "Feeds a starter.")
    address = f"{API}/facts/{fact.id}"
    decision = patched(alices, address, {"statement": "Feeds a rye starter."})["id"]
    told = alices.get(address).json()
    assert told["fact"]["statement"] == "Feeds a rye starter."
    (before,) = told["versions"]
    assert (before["number"], before["undone"]) == (1, False)
    assert before["statement"]
    assert undone(alices, f"decisions/{decision}").json() == {"count": 1}
    assert alices.get(address).json()["fact"]["statement"] == "Feeds a starter."


def test_several_drawers_are_deleted_at_once(alices: Client, alice: User) -> None:
    with tenant(alice.id):
        ids = [str(each.id) for each in file(alice.id, ["One.", "Two."])]
    gone = str(uuid4())

    def deleted() -> list[bool]:
        return [bool(alices.get(f"{API}/drawers/{each}").json()["deleted_at"]) for each in ids]

    thrown = send(alices, "POST", f"{API}/drawers/delete", {"drawers": [*ids, gone]}).json()
    assert (thrown["drawers"], deleted()) == (2, [True, True])
    assert undone(alices, f"trash/{thrown['id']}").status_code == 200
    assert deleted() == [False, False]
    nothing = send(alices, "POST", f"{API}/drawers/delete", {"drawers": [gone]})
    assert 400 <= nothing.status_code < 500
