"""Renaming, switching, closing and deleting a chat from its pages."""

import pytest
from django.test import Client

from accounts.models import User
from accounts.tenancy import tenant
from chat.conversations import NewMessage, append
from chat.models import Agent, Conversation
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer
from tests.chat.conftest import NOW
from tests.chat.remembering import mined
from tests.html import check_page


@pytest.fixture
def chat(conversation: Conversation, embedder: FakeEmbedder) -> Conversation:
    append(conversation, NewMessage("user", "My cat is called Minka."), NOW)
    return conversation


def test_renaming(chat: Conversation, alice_client: Client) -> None:
    path = f"/chat/{chat.id}/rename/"
    assert 'value="My cat is called Minka."' in check_page(alice_client.get(path))
    assert alice_client.post(path, {"title": "猫 <b>"}).status_code == 302
    chat.refresh_from_db()
    assert chat.title == "猫 <b>"
    assert "most 300 characters" in check_page(alice_client.post(path, {"title": "x" * 301}), 422)


def test_switches(chat: Conversation, alice_client: Client, as_alice: User) -> None:
    other = Agent.objects.create(user_id=as_alice.id, name="Other")
    path = f"/chat/{chat.id}/switches/"
    assert alice_client.post(path, {"agent": other.id, "learn": "on"}).status_code == 302
    chat.refresh_from_db()
    assert (chat.agent_id, chat.use_memory, chat.learn) == (other.id, False, True)


def test_the_agent_of_another_cannot_be_chosen(chat: Conversation, alice_client: Client, bob: User) -> None:
    with tenant(bob.id):
        theirs = Agent.objects.create(user_id=bob.id, name="Bob's")
    before = chat.agent_id
    alice_client.post(f"/chat/{chat.id}/switches/", {"agent": theirs.id})
    chat.refresh_from_db()
    assert (chat.agent_id, chat.use_memory) == (before, True)


def test_closing(chat: Conversation, alice_client: Client) -> None:
    assert alice_client.post(f"/chat/{chat.id}/close/").url == "/chat/"
    chat.refresh_from_db()
    assert chat.closed_at is not None


@pytest.mark.parametrize("forget", [True, False])
def test_deleting_asks_whether_to_forget_too(chat: Conversation, alice_client: Client, forget: bool) -> None:
    path = f"/chat/{chat.id}/delete/"
    assert "Nothing is remembered" in check_page(alice_client.get(path))
    mined(chat)
    assert "1 message of this chat is remembered" in check_page(alice_client.get(path))
    response = alice_client.post(path, {"forget": "on"} if forget else {})
    assert response.url == "/chat/"
    assert alice_client.get(f"/chat/{chat.id}/").status_code == 404
    assert Drawer.objects.live().filter(source_id=chat.id).exists() is not forget
    said = check_page(alice_client.get("/chat/"))
    assert ("1 memory of it forgotten" in said) is forget
