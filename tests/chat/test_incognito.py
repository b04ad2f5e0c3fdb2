"""Incognito chats: where they appear while open, and that nothing remains of them."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.tenancy import tenant
from chat.conversations import NewMessage, conversations_of, request_conversation_mining
from chat.incognito import erase_abandoned
from chat.mining.run import due_conversations
from chat.models import Conversation, Message, OpenIncognito
from chat.replies.jobs import STOPPED, claim, finish, heartbeat, pending, request_reply
from jobs.sweep import sweep
from memory.models import ActivityEvent, Drawer
from tests.accounts.conftest import sign_in
from tests.chat.ledger import contents, counts
from tests.html import check_page

SECRET = "Xylograph-4471 is the name I never want kept."


@pytest.fixture
def alice_client(alice):
    """Alice's browser, signed in with a recorded session."""
    return sign_in()


@pytest.fixture
def chat(as_alice, model, alice_client):
    """An incognito chat with one reply, opened in Alice's browser."""
    model.script("I hear you: Xylograph-4471.")
    alice_client.post("/chat/new/", {"content": SECRET, "incognito": "1"})
    return Conversation.objects.get(incognito=True)


@pytest.fixture
def path(chat):
    return f"/chat/{chat.id}/"


def erased_after(chat, **later):
    return erase_abandoned(chat.user_id, timezone.now() + timedelta(**later))


def test_incognito_chat_is_shown_but_never_listed_or_mined(chat, path, alice_client, queued):
    begin = check_page(alice_client.get("/chat/?incognito=1"))
    assert 'name="incognito" value="1"' in begin
    assert "Use memory" not in begin
    response = alice_client.get(path)
    html = check_page(response)
    assert "no-store" in response.headers["Cache-Control"]
    for words in (SECRET, "Close and erase", 'class="chatting incognito"'):
        assert words in html
    assert SECRET not in html.split("</title>")[0]
    assert "Save to memory now" not in html
    assert list(conversations_of(chat.user_id)) == []
    later = timezone.now() + timedelta(hours=5)
    request_conversation_mining(chat, later)
    assert not due_conversations(chat.user_id, later).exists()
    assert queued() == []
    assert not Drawer.objects.exists()


@pytest.mark.parametrize("action", ["close", "delete"])
def test_closing_or_deleting_leaves_no_row(chat, path, alice_client, queued, action):
    before = {name for name, count in counts(chat.user_id).items() if count}
    assert "chat.Message" in before
    assert alice_client.post(f"{path}{action}/").status_code == 302
    told = "The incognito chat was erased." if action == "close" else "Chat deleted."
    assert told in check_page(alice_client.get("/chat/"))
    assert "Xylograph" not in str(contents(chat.user_id))
    left = {name for name, count in counts(chat.user_id).items() if count}
    assert left == before - {"chat.Conversation", "chat.Message", "chat.OpenIncognito"}
    assert queued() == []
    assert not ActivityEvent.objects.exists()
    assert alice_client.get(path).status_code == 404


def test_incognito_chat_is_visible_only_to_its_session(as_alice, chat, path, bob_client):
    other = Client()
    other.force_login(as_alice)
    for client in (other, bob_client):
        assert client.get(path).status_code == 404
        for action in ("presence", "close"):
            assert client.post(f"{path}{action}/").status_code == 404
    assert Conversation.objects.filter(id=chat.id).exists()


def test_incognito_chat_is_erased_after_its_last_page_is_closed(chat, path, alice_client):
    presence = f"{path}presence/"
    assert alice_client.post(presence, {"left": "1"}).status_code == 204
    assert erased_after(chat, seconds=60) == 0
    alice_client.post(presence)
    assert erased_after(chat, seconds=120) == 0, "another page shows it"
    assert erased_after(chat, minutes=29) == 0
    alice_client.post(presence, {"left": "1"})
    assert erased_after(chat, seconds=120) == 1
    assert not Message.objects.exists()


def test_incognito_chat_is_erased_after_thirty_minutes_without_presence(chat):
    assert erased_after(chat, minutes=29) == 0
    assert erased_after(chat, minutes=31) == 1


def test_incognito_chat_is_erased_after_sign_out(chat, alice_client):
    alice_client.post("/accounts/sign-out/")
    sweep(timezone.now())
    with tenant(chat.user_id):
        assert not Conversation.objects.exists()
        assert not OpenIncognito.objects.exists()


def test_unfinished_reply_does_not_recreate_a_closed_incognito_chat(chat, path, alice_client):
    now = timezone.now()
    request_reply(chat, 1, now)
    generation = pending(chat)
    assert claim(generation, now)
    alice_client.post(f"{path}close/")
    assert heartbeat(generation, "Xylograph", now) == STOPPED
    assert finish(generation, NewMessage("assistant", "Xylograph", parent=1), None, now) is None
    assert not Message.objects.exists()


def test_ordinary_chat_has_no_presence_url(conversation, alice_client):
    presence = f"/chat/{conversation.id}/presence/"
    assert (alice_client.post(presence).status_code, alice_client.get(presence).status_code) == (404, 405)
