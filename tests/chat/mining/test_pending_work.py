from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.tenancy import tenant
from chat.mining.pending_work import waiting_of
from chat.models import Agent
from llm import current
from llm.errors import ModelUnavailable
from llm.fake_gateway import FakeChat
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import MemoryPreferences, MinedWindow, MiningProgress
from tests.drills.ledger import NOW, Clock, converse, mine
from tests.html import check_fragment, check_page

HTMX = {"HX-Request": "true"}
URL = "/chat/waiting/"


@pytest.fixture(autouse=True)
def _embedder(embedder):
    return embedder


@pytest.fixture
def away():
    model = FakeChat()
    model.fail_with(ModelUnavailable("Away."))
    with current.using(chat=model):
        yield model


def words(user):
    return " ".join(waiting_of(user.id).sentences)


def test_nothing_waits_where_nothing_was_said(as_alice):
    assert waiting_of(as_alice.id).sentences == ()


def test_messages_wait_until_they_are_mined(as_alice):
    converse(as_alice.id, *["Hm."] * 5)
    converse(as_alice.id, "Oh.")
    found = waiting_of(as_alice.id)
    assert (found.messages, found.chats) == (6, 2)
    assert words(as_alice) == "6 messages wait to be remembered."
    mine(as_alice.id)
    assert words(as_alice) == ""


def test_one_message_is_one(as_alice):
    converse(as_alice.id, "Oh.")
    assert words(as_alice) == "1 message waits to be remembered."


def test_chats_that_teach_nothing_do_not_wait(as_alice):
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    converse(as_alice.id, "Hush.", agent_id=silent.id)
    converse(as_alice.id, "Hush.", learn=False)
    converse(as_alice.id, "Hush.", incognito=True)
    converse(as_alice.id, "Hush.", deleted_at=NOW)
    given_up = converse(as_alice.id, "Hush.")
    progress_of(as_alice.id, CONVERSATION, given_up.id)
    MiningProgress.objects.update(state=MiningProgress.State.DEAD)
    assert words(as_alice) == ""


def test_without_auto_mining_only_what_is_asked_for_waits(as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, auto_mine=False)
    converse(as_alice.id, "Hm.", source="chat")
    assert words(as_alice) == ""
    converse(as_alice.id, "Hm.", source="chat", mine_requested_at=NOW)
    assert "1 message waits" in words(as_alice)


def test_a_model_that_is_away_is_named_with_the_time_of_the_next_try(as_alice, away):
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Asia/Kolkata")
    converse(as_alice.id, "I live in Porto.")
    mine(as_alice.id)
    assert "cannot be reached and is asked again at 12:00" in words(as_alice)


def test_errors_of_ours_are_not_blamed_on_the_model(as_alice):
    converse(as_alice.id, "I live in Porto.")
    with current.using(chat=FakeChat()):  # it has no reply, which is a LookupError
        mine(as_alice.id)
    assert words(as_alice) == "1 message waits to be remembered."


@pytest.mark.parametrize(
    ("reason", "told"), [("away", "while the language model was away"), ("budget", "the budget")]
)
def test_what_rules_have_read_meanwhile_is_told(as_alice, away, reason, told):
    clock = Clock()
    converse(as_alice.id, "I live in Porto.", "Lovely.")
    for _ in range(4):
        mine(as_alice.id, clock)
        clock.move(minutes=2)
    MinedWindow.objects.update(reason=reason)
    assert words(as_alice).startswith("2 messages were remembered by simple rules")
    assert told in words(as_alice)


def test_the_palace_tells_it_also_without_scripts(as_alice: User, alice_client: Client):
    palace = reverse("memory:palace")
    assert "to be remembered" not in check_page(alice_client.get(palace))
    converse(as_alice.id, "Hm.", "Oh.")
    html = check_page(alice_client.get(palace))
    assert "2 messages wait to be remembered." in html
    assert f'hx-get="{URL}" hx-trigger="every 15s"' in html


def test_the_fragment_is_looked_at_until_nothing_waits(as_alice: User, alice_client: Client):
    converse(as_alice.id, "Hm.")
    assert "1 message waits" in check_fragment(alice_client.get(URL, headers=HTMX))
    mine(as_alice.id)
    assert "hx-get" not in check_fragment(alice_client.get(URL, headers=HTMX))
    assert alice_client.get(URL).url == reverse("memory:palace")


def test_nobody_hears_of_anothers_chats(alice: User, bob: User, alice_client: Client):
    with tenant(bob.id):
        converse(bob.id, "Hm.")
    assert "waits" not in check_fragment(alice_client.get(URL, headers=HTMX))
    with tenant(alice.id):
        assert waiting_of(bob.id).messages == 0


def test_a_chat_says_that_it_waits_for_the_model(as_alice: User, alice_client: Client, away):
    clock = Clock()
    chat = converse(as_alice.id, "I live in Porto.", "Lovely.")
    mine(as_alice.id, clock)
    assert "so this chat waits for it" in check_page(alice_client.get(f"/chat/{chat.id}/"))
    for _ in range(4):
        mine(as_alice.id, clock)
        clock.now += timedelta(minutes=2)
    html = check_fragment(alice_client.get(f"/chat/{chat.id}/remembered/", headers=HTMX))
    assert "Simple rules read this chat while the language model was away" in html
    assert "Remember it now" not in html
