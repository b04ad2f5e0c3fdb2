"""Deleted chats, and those that come back."""

from datetime import timedelta

import pytest
from django.test import Client

from accounts.models import User
from accounts.tenancy import tenant
from chat.conversations import Choices, NewMessage, append, conversations_of, start
from chat.incognito import open_incognito
from chat.models import Conversation
from chat.retention import NotRemoved, remove, removed, restore
from memory.forgetting.requests import erase_now, forget
from memory.forgetting.scopes import ForgetRequest
from memory.mining.progress import gone_at
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer, Forgetting
from tests.chat.conftest import NOW
from tests.chat.remembering import mined
from tests.html import check_page

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def chat(conversation: Conversation, embedder: object) -> Conversation:
    append(conversation, NewMessage("user", "My cat is called Minka."), NOW)
    mined(conversation)
    return conversation


def drawers(chat: Conversation) -> int:
    return Drawer.objects.live().filter(user_id=chat.user_id, source_id=chat.id).count()


@pytest.mark.parametrize("forget_too", [True, False])
def test_a_deleted_chat_comes_back_as_it_was(chat: Conversation, forget_too: bool) -> None:
    assert remove(chat, LATER, forget_too=forget_too) == int(forget_too)
    assert drawers(chat) == int(not forget_too)
    assert list(conversations_of(chat.user_id)) == []
    assert gone_at(chat.user_id, CONVERSATION, chat.id) is not None
    back = restore(chat.user_id, chat.id, LATER)
    assert (back.deleted_at, back.title) == (None, "My cat is called Minka.")
    assert list(conversations_of(chat.user_id)) == [chat]
    assert drawers(chat) == 1
    assert gone_at(chat.user_id, CONVERSATION, chat.id) is None
    with pytest.raises(NotRemoved):
        restore(chat.user_id, chat.id, LATER)


def test_what_was_erased_stays_erased(chat: Conversation) -> None:
    remove(chat, LATER, forget_too=True)
    erase_now(chat.user_id, Forgetting.objects.get(user_id=chat.user_id).id, LATER)
    assert list(removed(chat.user_id)) == []
    with pytest.raises(NotRemoved):
        restore(chat.user_id, chat.id, LATER)


def test_a_larger_wish_is_not_taken_back_in_part(chat: Conversation) -> None:
    forget(chat.user_id, ForgetRequest("everything"), LATER)
    assert list(removed(chat.user_id)) == []


def test_an_incognito_chat_does_not_come_back(as_alice: User) -> None:
    chat = open_incognito(as_alice.id, None, "session", NOW)
    append(chat, NewMessage("user", "Nobody knows."), NOW)
    remove(chat, LATER, forget_too=False)
    assert not Conversation.objects.filter(id=chat.id).exists()


def test_the_page_offers_undo_and_the_list_of_deleted_chats(chat: Conversation, alice_client: Client) -> None:
    assert "No deleted chats" in check_page(alice_client.get("/chat/deleted/"))
    alice_client.post(f"/chat/{chat.id}/delete/", {})
    undo = f'action="/chat/{chat.id}/undelete/"'
    assert undo in check_page(alice_client.get("/chat/"))
    assert undo in check_page(alice_client.get("/chat/deleted/"))
    response = alice_client.post(f"/chat/{chat.id}/undelete/")
    assert response.url == f"/chat/{chat.id}/"
    assert "The chat is back" in check_page(alice_client.get(response.url))
    assert alice_client.post(f"/chat/{chat.id}/undelete/").status_code == 404


def test_nobody_restores_the_chat_of_another(chat: Conversation, alice: User, bob_client: Client) -> None:
    chat_of_alice = start(alice.id, Choices(), NOW)
    append(chat_of_alice, NewMessage("user", "Mine"), NOW)
    remove(chat_of_alice, LATER, forget_too=False)
    assert bob_client.post(f"/chat/{chat_of_alice.id}/undelete/").status_code == 404
    assert "Mine" not in check_page(bob_client.get("/chat/deleted/"))
    with tenant(alice.id):
        chat_of_alice.refresh_from_db()
    assert chat_of_alice.deleted_at is not None
