"""What a chat's page shows of mining and recall, and undoing it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from chat.agents import default_agent
from chat.conversations import Choices, NewMessage, append, start
from chat.models import Agent, Conversation, Message
from llm.errors import EmbedderUnavailable
from memory.forgetting import trash
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import ActivityEvent, Drawer, MemoryPreferences, MiningProgress
from tests.chat.conftest import NOW
from tests.chat.replying import CAT, get_reply, mine_chat
from tests.html import check_fragment, check_page
from tests.memory.pages.forms import HTMX

POINTER = "§ W-001/R-01/D-001"


@pytest.fixture
def chat(as_alice, embedder):
    conversation = start(as_alice.id, Choices(), timezone.now())
    append(conversation, NewMessage("user", CAT), timezone.now())
    return conversation


@pytest.fixture
def memory_panel(chat, alice_client):
    """Fetch the memory panel of the chat's page."""
    return lambda: check_fragment(alice_client.get(f"/chat/{chat.id}/remembered/", headers=HTMX))


def test_chat_shows_when_it_will_be_mined_and_what_was_saved(chat, alice_client, memory_panel):
    html = memory_panel()
    assert "after 5 idle minutes" in html
    assert 'hx-trigger="every 15s"' in html
    long_ago = timezone.now() - timedelta(hours=1)
    Conversation.objects.filter(id=chat.id).update(last_message_at=long_ago)
    assert "background worker" in memory_panel()
    mine_chat(chat)
    html = memory_panel()
    assert "Saved 1" in html
    assert "hx-trigger" not in html
    facts = ActivityEvent.objects.get(kind="memory_mined").details["facts"]
    assert bool(facts) == ("understood" in html)
    assert alice_client.get(f"/chat/{chat.id}/remembered/").url == f"/chat/{chat.id}/"
    assert "Saved 1" in check_page(alice_client.get(f"/chat/{chat.id}/"))


def test_saving_a_chat_to_memory_can_be_undone_and_redone(chat, alice_client):
    mine_chat(chat)
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
    assert "Saved 1" in html
    assert Drawer.objects.live().count() == 1
    assert alice_client.post(path).status_code == 302
    assert Drawer.objects.live().count() == 0


@pytest.mark.parametrize("action", ["now", "try-again"])
def test_mining_a_chat_can_be_requested_and_retried(chat, alice_client, memory_panel, action):
    path = f"/chat/{chat.id}/remembered/{action}/"
    progress = progress_of(chat.user_id, CONVERSATION, chat.id)
    if action == "try-again":
        MiningProgress.objects.filter(id=progress.id).update(state="dead", error="ModelTimeout")
        assert "This chat could not be saved to memory." in memory_panel()
    html = check_fragment(alice_client.post(path, headers=HTMX))
    assert "could not be remembered" not in html
    progress.refresh_from_db()
    chat.refresh_from_db()
    assert progress.state == MiningProgress.State.READY
    assert chat.mine_requested_at is not None
    if action == "now":
        assert alice_client.post(path).status_code == 302


@pytest.mark.parametrize("switched_off", ["chat", "agent", "person"])
def test_chat_says_when_mining_is_switched_off(chat, memory_panel, switched_off):
    if switched_off == "chat":
        Conversation.objects.filter(id=chat.id).update(mine=False)
    elif switched_off == "agent":
        Agent.objects.filter(id=chat.agent_id).update(mine=False)
    else:
        MemoryPreferences.objects.create(user_id=chat.user_id, auto_mine=False)
    html = memory_panel()
    assert "not saved to memory" in html or "only when you ask for it" in html
    assert "hx-trigger" not in html


def test_chat_says_when_vectors_are_missing(chat, memory_panel, embedder):
    embedder.fail_with(EmbedderUnavailable("away"))
    mine_chat(chat)
    assert "only be found by their words" in memory_panel()


def test_reply_shows_its_sources_and_their_trace(chat, model, alice_client):
    mine_chat(chat)
    drawer = Drawer.objects.get()
    other = start(chat.user_id, Choices(agent=default_agent(chat.user_id)), NOW)
    model.script("Minka.")
    reply = get_reply(other, "What is my cat called?")
    path, trace = f"/chat/{other.id}/", f"/chat/{other.id}/messages/{reply.sequence}/trace/"
    thread = check_page(alice_client.get(path)).split('<ol id="thread">')[1]
    for words in ("Recalled 1", CAT, POINTER, f'href="/memory/drawers/{drawer.id}/"', trace):
        assert words in thread
    html = check_page(alice_client.get(trace))
    for words in ("What is my cat called?", CAT, POINTER):
        assert words in html
    recall = f"/chat/recalls/{reply.trace_id}/"
    assert alice_client.get(recall)["Location"] == f"{path}#m2"
    trash.delete(drawer.user_id, "drawer", drawer.id, timezone.now())
    html = check_page(alice_client.get(trace))
    assert CAT not in html
    assert "Since forgotten" in html
    assert alice_client.get(f"{path}messages/1/trace/").status_code == 404


def test_trace_says_that_nothing_was_searched_for_a_greeting(conversation, alice_client, model):
    model.script("Hello!")
    get_reply(conversation, "Hello!")
    assert Message.objects.count() == 2
    assert "Nothing recalled" in check_page(alice_client.get(f"/chat/{conversation.id}/"))
    assert "No." in check_page(alice_client.get(f"/chat/{conversation.id}/messages/2/trace/"))
