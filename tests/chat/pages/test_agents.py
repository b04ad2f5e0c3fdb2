"""The pages of agents."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from accounts.models import User
from chat.agents import (
    AgentNeeded,
    agent_of,
    default_agent,
    drop_deleted_agents,
    remove_agent,
)
from chat.conversations import Choices, NewMessage, append, start
from chat.models import Agent, Conversation
from chat.pages.forms import AgentForm
from llm.fake_gateway import FakeEmbedder
from tests.chat.conftest import NOW
from tests.chat.remembering import mined
from tests.html import check_page, parse

POET = {"name": "Poet", "instructions": "Rhyme.", "model": "m-1", "mine": "on"}


def test_the_list_begins_with_a_default_agent(as_alice: User, alice_client: Client) -> None:
    html = check_page(alice_client.get("/chat/agents/"))
    assert "Default" in html
    assert Agent.objects.filter(user_id=as_alice.id).count() == 1


def test_an_agent_is_made_and_changed(as_alice: User, alice_client: Client) -> None:
    check_page(alice_client.get("/chat/agents/new/"))
    assert alice_client.post("/chat/agents/new/", POET).url == "/chat/agents/"
    agent = Agent.objects.get(name="Poet")
    assert (agent.instructions, agent.model) == ("Rhyme.", "m-1")
    assert (agent.recall_memory, agent.mine, agent.is_default) == (False, True, False)
    path = f"/chat/agents/{agent.id}/"
    assert "Rhyme." in check_page(alice_client.get(path))
    alice_client.post(path, {**POET, "name": "Dichter", "recall_memory": "on"})
    agent.refresh_from_db()
    assert (agent.name, agent.recall_memory) == ("Dichter", True)


def test_the_page_of_an_agent_tells_what_became_of_its_chats(
    as_alice: User, alice_client: Client, embedder: FakeEmbedder
) -> None:
    poet = Agent.objects.create(user_id=as_alice.id, name="Poet")
    html = check_page(alice_client.get(f"/chat/agents/{poet.id}/"))
    assert "Nobody has chatted with it yet." in html
    assert "Its diary" not in html
    chat = start(as_alice.id, Choices(agent=poet), NOW)
    append(chat, NewMessage("user", "My cat <b>Minka</b> sleeps."), NOW)
    other = start(as_alice.id, Choices(), NOW)
    append(other, NewMessage("user", "Said to nobody in particular."), NOW)
    mined(chat)
    mined(other)
    html = check_page(alice_client.get(f"/chat/agents/{poet.id}/"))
    assert html.count(f'href="/chat/{chat.id}/"') == 2
    assert "Remembered 1 message" in html
    assert html.count("/r/") == 1
    assert "nobody in particular" not in html
    assert "<b>Minka" not in html
    its = check_page(alice_client.get(f"/chat/agents/{default_agent(as_alice.id).id}/"))
    assert "nobody in particular" in its


def test_two_windows_leave_alone_what_the_other_changed(as_alice: User, alice_client: Client) -> None:
    poet = Agent.objects.create(user_id=as_alice.id, name="Poet", instructions="Rhyme.\nSing.")
    path = f"/chat/agents/{poet.id}/"
    page = parse(check_page(alice_client.get(path)))
    shown = {
        each.attributes["name"]: each.attributes.get("value", "")
        for each in page.elements
        if each.attributes.get("name", "").startswith("initial-")
    }
    assert len(shown) == len(AgentForm.Meta.fields)
    shown["initial-instructions"] = "Rhyme.\r\nSing."  # as browsers send it
    first = {**POET, "instructions": "Rhyme.\r\nSing.", "model": "", "recall_memory": "on"} | shown
    other = {name: each for name, each in first.items() if name != "mine"}
    alice_client.post(path, other, follow=True)
    answer = alice_client.post(path, first | {"name": "Dichter"}, follow=True)
    poet.refresh_from_db()
    assert (poet.name, poet.mine, poet.recall_memory) == ("Dichter", False, True)
    assert poet.instructions == "Rhyme.\nSing."
    (undo,) = re.findall(r'action="(/chat/edits/[^"]+)"', check_page(answer))
    alice_client.post(undo)
    poet.refresh_from_db()
    assert (poet.name, poet.mine) == ("Poet", False)
    alice_client.post(path, first | {"recall_memory": ""})
    poet.refresh_from_db()
    assert (poet.name, poet.mine, poet.recall_memory) == ("Poet", False, False)


def test_an_agent_needs_a_name(as_alice: User, alice_client: Client) -> None:
    check_page(alice_client.post("/chat/agents/new/", {**POET, "name": " "}), 422)
    assert not Agent.objects.filter(instructions="Rhyme.").exists()


def test_another_agent_becomes_the_default(as_alice: User, alice_client: Client) -> None:
    first = default_agent(as_alice.id)
    alice_client.post("/chat/agents/new/", POET)
    poet = Agent.objects.get(name="Poet")
    alice_client.post(f"/chat/agents/{poet.id}/default/")
    assert default_agent(as_alice.id) == poet
    first.refresh_from_db()
    assert not first.is_default


def test_deleting_asks_once_more_and_keeps_the_chats(as_alice: User, alice_client: Client) -> None:
    alice_client.post("/chat/agents/new/", POET)
    poet = Agent.objects.get(name="Poet")
    chat = start(as_alice.id, Choices(agent=poet), NOW)
    path = f"/chat/agents/{poet.id}/delete/"
    assert "Poet" in check_page(alice_client.get(path))
    assert Agent.objects.filter(id=poet.id).exists()
    assert alice_client.post(path).url == "/chat/agents/"
    page = check_page(alice_client.get("/chat/agents/"))
    assert f"/chat/agents/{poet.id}/restore/" in page
    assert alice_client.get(f"/chat/agents/{poet.id}/").status_code == 404
    assert agent_of(Conversation.objects.get(id=chat.id)) == default_agent(as_alice.id)


def test_a_deleted_agent_comes_back_to_its_chats(
    as_alice: User, alice_client: Client, bob_client: Client
) -> None:
    poet = Agent.objects.create(user_id=as_alice.id, name="Poet")
    chat = start(as_alice.id, Choices(agent=poet), NOW)
    path = f"/chat/agents/{poet.id}/restore/"
    assert alice_client.post(path).status_code == 404
    remove_agent(poet, NOW)
    assert bob_client.post(path).status_code == 404
    assert alice_client.get(path).status_code == 405
    assert "The agent is back" in check_page(alice_client.post(path, follow=True))
    assert agent_of(Conversation.objects.get(id=chat.id)) == poet


def test_a_deleted_agent_is_gone_after_thirty_days(as_alice: User) -> None:
    poet = Agent.objects.create(user_id=as_alice.id, name="Poet")
    chat = start(as_alice.id, Choices(agent=poet), NOW)
    remove_agent(poet, NOW)
    drop_deleted_agents(as_alice.id, NOW + timedelta(days=30))
    assert Agent.objects.filter(id=poet.id).exists()
    drop_deleted_agents(as_alice.id, NOW + timedelta(days=30, seconds=1))
    assert not Agent.objects.filter(id=poet.id).exists()
    chat.refresh_from_db()
    assert chat.agent_id == default_agent(as_alice.id).id


def test_the_default_agent_stays(as_alice: User, alice_client: Client) -> None:
    agent = default_agent(as_alice.id)
    with pytest.raises(AgentNeeded):
        remove_agent(agent, NOW)
    alice_client.post(f"/chat/agents/{agent.id}/delete/")
    assert Agent.objects.filter(id=agent.id).exists()


def test_a_new_chat_is_with_the_agent_of_the_address(as_alice: User, alice_client: Client) -> None:
    alice_client.post("/chat/agents/new/", POET)
    poet = Agent.objects.get(name="Poet")
    html = check_page(alice_client.get(f"/chat/?agent={poet.id}"))
    assert "talk about with Poet" in html
    assert "This agent does not use memory." in html
    assert check_page(alice_client.get("/chat/?agent=nonsense"))
