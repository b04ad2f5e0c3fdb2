"""Chats that nobody remembers: where they are while they are open, and that nothing is left."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.conversations import NewMessage, conversations_of, remember_now
from chat.incognito import erase_abandoned
from chat.mining.run import due_conversations
from chat.models import Conversation, Message, OpenIncognito
from chat.replies.jobs import ask, beat, claim, finish, pending
from jobs.sweep import sweep
from llm.fake_gateway import FakeChat
from memory.models import ActivityEvent, Drawer, RecallTrace
from tests.chat.ledger import contents, counts
from tests.chat.replying import CAT, remembered
from tests.html import check_page

SECRET = "Xylograph-4471 is the name I never want kept."


@pytest.fixture
def alice_client(alice: User) -> Client:
    """Alice in a session that is known to be hers."""
    client = Client()
    client.post("/accounts/sign-in/", {"login": alice.email, "password": "alice-password-1"})
    return client


@pytest.fixture
def open_chat(as_alice: User, model: FakeChat, alice_client: Client) -> Conversation:
    """An incognito chat with one reply, opened in Alice's browser."""
    model.script("I hear you: Xylograph-4471.")
    alice_client.post("/chat/new/", {"content": SECRET, "incognito": "1"})
    return Conversation.objects.get(incognito=True)


def test_it_begins_with_a_look_of_its_own(as_alice: User, alice_client: Client) -> None:
    html = check_page(alice_client.get("/chat/?incognito=1"))
    assert 'class="chatting incognito"' in html
    assert 'name="incognito" value="1"' in html
    assert "Use memory" not in html


def test_it_is_answered_and_shown_and_never_listed(open_chat: Conversation, alice_client: Client) -> None:
    answer = alice_client.get(f"/chat/{open_chat.id}/")
    html = check_page(answer)
    assert SECRET in html
    assert "Close and erase" in html
    assert 'class="chatting incognito"' in html
    assert "no-store" in answer.headers["Cache-Control"]
    assert SECRET not in html.split("</title>")[0]
    assert list(conversations_of(open_chat.user_id)) == []
    assert "Remember it now" not in html


def test_nothing_is_recalled_into_it(as_alice: User, model: FakeChat, alice_client: Client) -> None:
    remembered(as_alice, CAT)
    model.script("I do not know.")
    form = {"content": "What is my cat called?", "incognito": "1", "use_memory": "on"}
    alice_client.post("/chat/new/", form)
    assert CAT not in model.requests[-1].messages[0].content
    assert not RecallTrace.objects.exists()


def test_it_is_never_mined(open_chat: Conversation, queued) -> None:
    later = timezone.now() + timedelta(hours=5)
    remember_now(open_chat, later)
    assert not due_conversations(open_chat.user_id, later).exists()
    assert queued() == []
    assert not Drawer.objects.exists()


def test_closing_it_leaves_no_row(open_chat: Conversation, alice_client: Client, queued) -> None:
    before = {name for name, count in counts(open_chat.user_id).items() if count}
    assert "chat.Message" in before
    assert alice_client.post(f"/chat/{open_chat.id}/close/").status_code == 302
    assert "Xylograph" not in str(contents(open_chat.user_id))
    left = {name for name, count in counts(open_chat.user_id).items() if count}
    assert left == before - {"chat.Conversation", "chat.Message", "chat.OpenIncognito"}
    assert queued() == []
    assert not ActivityEvent.objects.exists()
    assert alice_client.get(f"/chat/{open_chat.id}/").status_code == 404


def test_deleting_it_does_not_put_it_into_a_trash(open_chat: Conversation, alice_client: Client) -> None:
    alice_client.post(f"/chat/{open_chat.id}/delete/", {})
    assert not Conversation.objects.exists()
    assert not Message.objects.exists()


def test_it_is_there_for_the_session_that_opened_it_alone(
    as_alice: User, open_chat: Conversation, bob_client: Client
) -> None:
    other = Client()
    other.force_login(as_alice)
    for client in (other, bob_client):
        assert client.get(f"/chat/{open_chat.id}/").status_code == 404
        assert client.post(f"/chat/{open_chat.id}/presence/").status_code == 404
        assert client.post(f"/chat/{open_chat.id}/close/").status_code == 404
    assert Conversation.objects.filter(id=open_chat.id).exists()


def test_a_page_that_goes_away_takes_it_along_unless_another_shows_it(
    open_chat: Conversation, alice_client: Client
) -> None:
    presence = f"/chat/{open_chat.id}/presence/"
    assert alice_client.post(presence, {"left": "1"}).status_code == 204
    assert erase_abandoned(open_chat.user_id, timezone.now() + timedelta(seconds=60)) == 0
    alice_client.post(presence)
    assert erase_abandoned(open_chat.user_id, timezone.now() + timedelta(seconds=120)) == 0
    alice_client.post(presence, {"left": "1"})
    assert erase_abandoned(open_chat.user_id, timezone.now() + timedelta(seconds=120)) == 1
    assert not Message.objects.exists()


def test_a_page_that_is_not_heard_of_any_more_takes_it_along(open_chat: Conversation) -> None:
    assert erase_abandoned(open_chat.user_id, timezone.now() + timedelta(minutes=29)) == 0
    assert erase_abandoned(open_chat.user_id, timezone.now() + timedelta(minutes=31)) == 1


def test_the_end_of_the_session_is_its_end(open_chat: Conversation, alice_client: Client) -> None:
    alice_client.post("/accounts/sign-out/")
    sweep(timezone.now())
    with tenant(open_chat.user_id):
        assert not Conversation.objects.exists()
        assert not OpenIncognito.objects.exists()


def test_a_reply_that_was_being_written_does_not_come_back(
    open_chat: Conversation, model: FakeChat, alice_client: Client
) -> None:
    now = timezone.now()
    ask(open_chat, 1, now)
    generation = pending(open_chat)
    assert claim(generation, now)
    alice_client.post(f"/chat/{open_chat.id}/close/")
    assert beat(generation, "Xylograph", now).gone
    assert finish(generation, NewMessage("assistant", "Xylograph", parent=1), None, now) is None
    assert not Message.objects.exists()


def test_an_ordinary_chat_has_no_presence(conversation: Conversation, alice_client: Client) -> None:
    assert alice_client.post(f"/chat/{conversation.id}/presence/").status_code == 404
    assert alice_client.get(f"/chat/{conversation.id}/presence/").status_code == 405
