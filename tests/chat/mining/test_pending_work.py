"""Unmined messages, and how pages report them."""

from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.tenancy import tenant
from chat.mining.pending_work import pending_work_of
from chat.models import Agent
from llm import current
from llm.errors import ModelUnavailable
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import MemoryPreferences, MinedWindow, MiningProgress
from tests.drills.ledger import NOW, Clock, converse, mine
from tests.fake_gateway import FakeChat
from tests.html import check_fragment, check_page
from tests.memory.pages.forms import HTMX

URL = "/chat/waiting/"
ONE = "1 message is not in memory yet."

pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def unavailable_model():
    model = FakeChat()
    model.fail_with(ModelUnavailable("Away."))
    with current.using(chat=model):
        yield model


def words(user):
    return " ".join(pending_work_of(user.id).sentences)


def test_messages_are_pending_until_they_are_mined(as_alice):
    assert words(as_alice) == ""
    converse(as_alice.id, "Oh.")
    assert words(as_alice) == ONE
    converse(as_alice.id, *["Hm."] * 5)
    found = pending_work_of(as_alice.id)
    assert (found.messages, found.chats) == (6, 2)
    assert words(as_alice) == "6 messages are not in memory yet."
    mine(as_alice.id)
    assert words(as_alice) == ""


def test_chats_excluded_from_mining_are_not_pending(as_alice):
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    for changes in ({"agent_id": silent.id}, {"mine": False}, {"incognito": True}, {"deleted_at": NOW}):
        converse(as_alice.id, "Hush.", **changes)
    progress_of(as_alice.id, CONVERSATION, converse(as_alice.id, "Hush.").id)
    MiningProgress.objects.update(state=MiningProgress.State.DEAD)
    MemoryPreferences.objects.create(user_id=as_alice.id, auto_mine=False)
    converse(as_alice.id, "Hm.", source="chat")
    assert words(as_alice) == ""
    converse(as_alice.id, "Hm.", source="chat", mine_requested_at=NOW)
    assert words(as_alice) == ONE


def test_unavailable_model_is_reported_with_the_time_of_the_next_retry(as_alice, unavailable_model):
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Asia/Kolkata")
    converse(as_alice.id, "I live in Porto.")
    with current.using(chat=FakeChat()):  # it has no reply, which is a bug and not an outage
        mine(as_alice.id)
    assert words(as_alice) == ONE
    mine(as_alice.id, Clock(NOW + timedelta(minutes=1)))
    assert "cannot be reached; Palace tries again at 12:0" in words(as_alice)


@pytest.mark.parametrize(
    ("reason", "why"), [("unavailable", "while the language model was unreachable"), ("budget", "the budget")]
)
def test_messages_read_without_the_model_are_reported(as_alice, alice_client, unavailable_model, reason, why):
    clock, chat = Clock(), converse(as_alice.id, "I live in Porto.", "Lovely.")
    mine(as_alice.id, clock)
    assert "so this chat waits for it" in check_page(alice_client.get(f"/chat/{chat.id}/"))
    for _ in range(4):
        mine(as_alice.id, clock)
        clock.move(minutes=2)
    MinedWindow.objects.update(reason=reason)
    assert words(as_alice).startswith("2 messages were read by the built-in reader")
    assert why in words(as_alice)
    if reason == "unavailable":
        html = check_fragment(alice_client.get(f"/chat/{chat.id}/remembered/", headers=HTMX))
        assert "The built-in reader read this chat while the language model was unreachable" in html
        assert "Save to memory now" not in html


def test_palace_polls_until_nothing_is_pending(as_alice, bob, alice_client):
    palace = reverse("memory:palace")
    with tenant(bob.id):
        converse(bob.id, "Hm.")
    assert pending_work_of(bob.id).messages == 0
    assert ONE not in check_page(alice_client.get(palace))
    converse(as_alice.id, "Hm.")
    html = check_page(alice_client.get(palace))
    assert ONE in html
    assert f'hx-get="{URL}" hx-trigger="every 15s"' in html
    assert ONE in check_fragment(alice_client.get(URL, headers=HTMX))
    mine(as_alice.id)
    assert "hx-get" not in check_fragment(alice_client.get(URL, headers=HTMX))
    assert alice_client.get(URL).url == palace
