"""What was remembered and recalled, and taking it back, from the chat."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from chat.agents import default_agent
from chat.conversations import Choices, NewMessage, append, start
from chat.models import Agent, Conversation, Message
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeChat, FakeEmbedder
from memory.forgetting import trash
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import ActivityEvent, Drawer, MemoryPreferences, MiningProgress
from tests.chat.conftest import NOW
from tests.chat.remembering import mined
from tests.html import check_fragment, check_page

HTMX = {"HX-Request": "true"}
CAT = "My cat is called Minka and she sleeps on my cello case."


@pytest.fixture
def chat(as_alice: User, embedder: FakeEmbedder) -> Conversation:
    conversation = start(as_alice.id, Choices(), timezone.now())
    append(conversation, NewMessage("user", CAT), timezone.now())
    return conversation


def fragment(client: Client, chat: Conversation) -> str:
    return check_fragment(client.get(f"/chat/{chat.id}/remembered/", headers=HTMX))


def test_a_quiet_chat_will_be_remembered(chat: Conversation, alice_client: Client) -> None:
    html = fragment(alice_client, chat)
    assert "when it has been quiet for 5 minutes" in html
    assert 'hx-trigger="every 15s"' in html


def test_what_was_remembered_is_shown_and_the_asking_stops(chat: Conversation, alice_client: Client) -> None:
    mined(chat)
    html = fragment(alice_client, chat)
    assert "Remembered 1" in html
    assert "hx-trigger" not in html
    facts = ActivityEvent.objects.get(kind="memory_mined").details["facts"]
    assert bool(facts) == ("understood" in html)


def test_without_scripts_it_is_part_of_the_chat(chat: Conversation, alice_client: Client) -> None:
    mined(chat)
    assert alice_client.get(f"/chat/{chat.id}/remembered/").url == f"/chat/{chat.id}/"
    assert "Remembered 1" in check_page(alice_client.get(f"/chat/{chat.id}/"))


def test_remembering_is_undone_and_done_again(chat: Conversation, alice_client: Client) -> None:
    mined(chat)
    event = ActivityEvent.objects.get(kind="memory_mined")
    path = f"/chat/{chat.id}/remembered/{event.id}/undo/"
    html = check_fragment(alice_client.post(path, headers=HTMX))
    assert "1 message was forgotten." in html
    gone = Drawer.objects.get()
    assert gone.deleted_at is not None
    assert alice_client.post(path).status_code == 404
    back = f"/chat/{chat.id}/deletions/{gone.deletion_id}/undo/"
    assert back in html
    html = check_fragment(alice_client.post(back, headers={**HTMX, "HX-Target": "remembered"}))
    assert "Remembered 1" in html
    assert Drawer.objects.live().count() == 1
    assert alice_client.post(path).status_code == 302
    assert Drawer.objects.live().count() == 0


def test_a_chat_that_could_not_be_remembered_is_tried_again(chat: Conversation, alice_client: Client) -> None:
    progress = progress_of(chat.user_id, CONVERSATION, chat.id)
    MiningProgress.objects.filter(id=progress.id).update(state="dead", error="ModelTimeout")
    html = fragment(alice_client, chat)
    assert "This chat could not be remembered." in html
    html = check_fragment(alice_client.post(f"/chat/{chat.id}/remembered/try-again/", headers=HTMX))
    assert "could not be remembered" not in html
    progress.refresh_from_db()
    assert progress.state == MiningProgress.State.READY
    chat.refresh_from_db()
    assert chat.mine_requested_at is not None


def test_it_says_when_the_worker_seems_to_be_away(chat: Conversation, alice_client: Client) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    Conversation.objects.filter(id=chat.id).update(last_message_at=long_ago)
    assert "background worker" in fragment(alice_client, chat)


def test_remember_now(chat: Conversation, alice_client: Client) -> None:
    check_fragment(alice_client.post(f"/chat/{chat.id}/remembered/now/", headers=HTMX))
    chat.refresh_from_db()
    assert chat.mine_requested_at is not None
    assert alice_client.post(f"/chat/{chat.id}/remembered/now/").status_code == 302


@pytest.mark.parametrize("switched_off", ["chat", "agent", "person"])
def test_it_says_when_nothing_is_learned(chat: Conversation, alice_client: Client, switched_off: str) -> None:
    if switched_off == "chat":
        Conversation.objects.filter(id=chat.id).update(learn=False)
    elif switched_off == "agent":
        Agent.objects.filter(id=chat.agent_id).update(mine=False)
    else:
        MemoryPreferences.objects.create(user_id=chat.user_id, auto_mine=False)
    html = fragment(alice_client, chat)
    assert "Nothing is learned" in html or "only when you ask for it" in html
    assert "hx-trigger" not in html


def test_it_says_when_vectors_are_missing(
    chat: Conversation, alice_client: Client, embedder: FakeEmbedder
) -> None:
    embedder.fail_with(EmbedderUnavailable("away"))
    mined(chat)
    assert "found only by their words" in fragment(alice_client, chat)


@pytest.fixture
def answered(as_alice: User, chat: Conversation, model: FakeChat, alice_client: Client):
    """A reply in another chat for which the cat was recalled."""
    mined(chat)
    other = start(as_alice.id, Choices(agent=default_agent(as_alice.id)), NOW)
    model.script("Minka.")
    alice_client.post(f"/chat/{other.id}/messages/", {"content": "What is my cat called?"})
    return other


def test_sources_are_quoted_word_for_word_with_place_and_reason(
    answered: Conversation, alice_client: Client
) -> None:
    html = check_page(alice_client.get(f"/chat/{answered.id}/"))
    drawer = Drawer.objects.get()
    assert "Recalled 1" in html
    assert CAT in html.split('<ol id="thread">')[1]
    assert "§ W-001/R-01/D-001" in html
    assert f'href="/memory/drawers/{drawer.id}/"' in html
    assert "Why</span>" in html


def test_the_owner_reads_how_memory_was_searched(answered: Conversation, alice_client: Client) -> None:
    path = f"/chat/{answered.id}/messages/2/trace/"
    assert path in check_page(alice_client.get(f"/chat/{answered.id}/"))
    html = check_page(alice_client.get(path))
    assert "What is my cat called?" in html
    assert CAT in html
    assert "§ W-001/R-01/D-001" in html
    drawer = Drawer.objects.get()
    trash.delete(drawer.user_id, "drawer", drawer.id, timezone.now())
    html = check_page(alice_client.get(path))
    assert CAT not in html
    assert "Forgotten since" in html


def test_a_reply_without_a_search_has_no_trace(answered: Conversation, alice_client: Client) -> None:
    assert alice_client.get(f"/chat/{answered.id}/messages/1/trace/").status_code == 404


def test_a_greeting_is_not_searched_for_and_the_trace_says_so(
    as_alice: User, alice_client: Client, model: FakeChat
) -> None:
    chat = start(as_alice.id, Choices(), NOW)
    model.script("Hello!")
    alice_client.post(f"/chat/{chat.id}/messages/", {"content": "Hello!"})
    assert "Nothing recalled" in check_page(alice_client.get(f"/chat/{chat.id}/"))
    assert "No." in check_page(alice_client.get(f"/chat/{chat.id}/messages/2/trace/"))


def test_a_search_of_memory_leads_to_its_reply(
    answered: Conversation, alice_client: Client, bob_client: Client
) -> None:
    trace_id = Message.objects.get(conversation_id=answered.id, sequence=2).trace_id
    path = f"/chat/recalls/{trace_id}/"
    assert alice_client.get(path)["Location"] == f"/chat/{answered.id}/#m2"
    assert bob_client.get(path).status_code == 404
