"""Undo after renaming a chat and after changing an agent."""

import re

from django.test import Client
from django.urls import reverse

from accounts.models import User
from chat.agents import default_agent
from chat.conversations import NewMessage, append
from chat.edits import edit_agent
from chat.models import Conversation
from memory.models import ChangeSet
from tests.chat.conftest import NOW
from tests.html import check_page


def undo_in(html: str) -> str:
    (address,) = re.findall(r'action="(/chat/edits/[^"]+)"', html)
    return str(address)


def test_a_new_name_is_taken_back_from_its_toast(conversation: Conversation, alice_client: Client) -> None:
    append(conversation, NewMessage("user", "About bread"), NOW)
    path = f"/chat/{conversation.id}/rename/"
    page = check_page(alice_client.post(path, {"title": "<b>猫</b>"}, follow=True))
    assert "The chat has a new name." in page
    assert "<b>猫" not in page
    for _ in range(2):
        back = check_page(alice_client.post(undo_in(page), follow=True))
        assert "Taken back." in back
        conversation.refresh_from_db()
        assert conversation.title == "About bread"


def test_the_same_name_offers_no_undo(conversation: Conversation, alice_client: Client) -> None:
    path = f"/chat/{conversation.id}/rename/"
    alice_client.post(path, {"title": "Bread"}, follow=True)
    page = check_page(alice_client.post(path, {"title": "Bread"}, follow=True))
    assert "/chat/edits/" not in page


def test_a_changed_agent_is_taken_back_from_its_toast(as_alice: User, alice_client: Client) -> None:
    agent = default_agent(as_alice.id)
    path = f"/chat/agents/{agent.id}/"
    told = {"name": "Poet", "instructions": "Rhyme.", "recall_memory": "on"}
    page = check_page(alice_client.post(path, told, follow=True))
    back = check_page(alice_client.post(undo_in(page), follow=True))
    assert "Taken back." in back
    agent.refresh_from_db()
    assert (agent.name, agent.instructions, agent.mine) == ("Palace", "", True)
    same = {"name": "Palace", "recall_memory": "on", "mine": "on"}
    page = check_page(alice_client.post(path, same, follow=True))
    assert "Nothing was different." in page
    assert "/chat/edits/" not in page


def test_what_was_changed_again_is_said_to_stay(as_alice: User, alice_client: Client) -> None:
    agent = default_agent(as_alice.id)
    edit = edit_agent(agent, {"name": "Poet"}, NOW)
    edit_agent(agent, {"name": "Friend"}, NOW)
    assert edit is not None
    page = check_page(alice_client.post(reverse("chat:undo_edit", args=[edit.id]), follow=True))
    assert "changed again since" in page
    agent.refresh_from_db()
    assert agent.name == "Friend"


def test_only_its_owner_and_only_by_a_button(
    conversation: Conversation, alice_client: Client, bob_client: Client, client: Client
) -> None:
    alice_client.post(f"/chat/{conversation.id}/rename/", {"title": "Bread"})
    path = reverse("chat:undo_edit", args=[ChangeSet.objects.get().id])
    assert alice_client.get(path).status_code == 405
    for headers in ({}, {"HX-Request": "true"}):
        assert bob_client.post(path, headers=headers).status_code == 404
    assert client.post(path).url.startswith(reverse("account_login"))
    conversation.refresh_from_db()
    assert conversation.title == "Bread"
