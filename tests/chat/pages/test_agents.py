"""The pages of agents."""

from datetime import timedelta

import pytest

from chat.agents import DefaultAgentProtected, agent_of, default_agent, erase_deleted_agents, remove_agent
from chat.conversations import Choices, start
from chat.models import Agent, Conversation
from chat.pages.forms import AgentForm
from tests.chat.conftest import NOW
from tests.html import check_page, parse
from tests.memory.pages.forms import undo_in

POET = {"name": "Poet", "instructions": "Rhyme.", "model": "m-1", "mine": "on"}


@pytest.fixture
def poet(as_alice):
    return Agent.objects.create(user_id=as_alice.id, name="Poet", instructions="Rhyme.\nSing.")


@pytest.fixture
def chat(poet):
    """A chat with the poet."""
    return start(poet.user_id, Choices(agent=poet), NOW)


def test_agent_is_created_and_edited(as_alice, alice_client):
    assert "Default" in check_page(alice_client.get("/chat/agents/"))
    check_page(alice_client.get("/chat/agents/new/"))
    check_page(alice_client.post("/chat/agents/new/", {**POET, "name": " "}), 422)
    assert Agent.objects.count() == 1
    assert alice_client.post("/chat/agents/new/", POET).url == "/chat/agents/"
    agent = Agent.objects.get(name="Poet")
    assert (agent.instructions, agent.model) == ("Rhyme.", "m-1")
    assert (agent.recall_memory, agent.mine, agent.is_default) == (False, True, False)
    html = check_page(alice_client.get(f"/chat/?agent={agent.id}"))
    assert "talk about with Poet" in html
    assert "This agent does not use memory." in html
    check_page(alice_client.get("/chat/?agent=nonsense"))
    path = f"/chat/agents/{agent.id}/"
    html = check_page(alice_client.get(path))
    assert ("Rhyme." in html, '<option value="m-1">' in html) == (True, True), "models are suggested"
    alice_client.post(path, {**POET, "name": "Dichter", "recall_memory": "on"})
    agent.refresh_from_db()
    assert (agent.name, agent.recall_memory) == ("Dichter", True)


def test_form_changes_only_edited_fields_and_undo_restores_them(poet, alice_client):
    def values():
        poet.refresh_from_db()
        return poet.name, poet.mine, poet.recall_memory

    path = f"/chat/agents/{poet.id}/"
    fields = [each.attributes for each in parse(check_page(alice_client.get(path))).elements]
    shown = {
        each["name"]: each.get("value", "") for each in fields if each.get("name", "").startswith("initial-")
    }
    assert len(shown) == len(AgentForm.Meta.fields)
    shown["initial-instructions"] = "Rhyme.\r\nSing."  # as browsers send it
    first = {**POET, "instructions": "Rhyme.\r\nSing.", "model": "", "recall_memory": "on"} | shown
    alice_client.post(path, {name: each for name, each in first.items() if name != "mine"}, follow=True)
    answer = alice_client.post(path, first | {"name": "Dichter"}, follow=True)
    assert values() == ("Dichter", False, True)
    assert poet.instructions == "Rhyme.\nSing."
    alice_client.post(undo_in(check_page(answer), "/memory/undo/"))
    assert values() == ("Poet", False, True)
    alice_client.post(path, first | {"recall_memory": ""})
    assert values() == ("Poet", False, False)


def test_default_agent_can_be_changed_but_not_deleted(as_alice, alice_client, poet):
    first = default_agent(as_alice.id)
    alice_client.post(f"/chat/agents/{poet.id}/default/")
    assert default_agent(as_alice.id) == poet
    assert list(Agent.objects.filter(is_default=False)) == [first]
    with pytest.raises(DefaultAgentProtected):
        remove_agent(default_agent(as_alice.id), NOW)
    alice_client.post(f"/chat/agents/{poet.id}/delete/")
    assert Agent.objects.filter(id=poet.id, deleted_at=None).exists()


def test_chats_use_the_default_agent_until_a_deleted_agent_is_restored(alice_client, poet, chat):
    delete, restore = (f"/chat/agents/{poet.id}/{action}/" for action in ("delete", "restore"))
    assert alice_client.post(restore).status_code == 404
    assert "Poet" in check_page(alice_client.get(delete))
    assert Agent.objects.filter(id=poet.id, deleted_at=None).exists()
    assert alice_client.post(delete).url == "/chat/agents/"
    assert restore in check_page(alice_client.get("/chat/agents/"))
    assert alice_client.get(f"/chat/agents/{poet.id}/").status_code == 404
    assert agent_of(Conversation.objects.get(id=chat.id)) == default_agent(chat.user_id)
    assert "Agent restored" in check_page(alice_client.post(restore, follow=True))
    assert agent_of(Conversation.objects.get(id=chat.id)) == poet


def test_deleted_agent_is_erased_after_thirty_days(as_alice, poet, chat):
    remove_agent(poet, NOW)
    for extra, kept in ((0, True), (1, False)):
        erase_deleted_agents(as_alice.id, NOW + timedelta(days=30, seconds=extra))
        assert Agent.objects.filter(id=poet.id).exists() is kept
    chat.refresh_from_db()
    assert chat.agent_id == default_agent(as_alice.id).id
