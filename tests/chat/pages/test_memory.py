"""What a chat shows of mining and recall, feedback on the drawers, and the list and pages of recalls."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.conversations import Choices, start
from chat.mining import status
from chat.models import Agent, Conversation, Message
from chat.replies.recall import try_recall
from chat.retention import remove, restore
from chat.templatetags.chats import wing_names
from memory.forgetting import trash
from memory.forgetting.requests import forget, forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import (
    ActivityEvent,
    Drawer,
    Fact,
    MemoryPreferences,
    MiningProgress,
    NegativeFeedback,
    RecallTrace,
)
from memory.recall.types import RecallRequest
from tests.chat.conftest import NOW
from tests.chat.replying import CAT, add_chat, add_mined_chat, get_reply, mine_chat, page_of
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import HTMX, undo_in
from tests.memory.palaces import file

POINTER = "§ W-001/R-01/D-001"


@pytest.fixture
def chat(as_alice, embedder):
    return add_chat(as_alice, CAT, at=timezone.now())


@pytest.fixture
def memory_panel(chat, alice_client):
    """Fetch the memory panel of the chat's page."""
    return lambda: check_fragment(alice_client.get(f"/chat/{chat.id}/remembered/", headers=HTMX))


def test_chat_shows_when_it_will_be_mined_and_what_was_saved(chat, alice_client, memory_panel, monkeypatch):
    html = memory_panel()
    assert "after 5 idle minutes" in html
    assert 'hx-trigger="every 15s"' in html
    button = "Save to memory now"
    assert button in html
    Conversation.objects.filter(id=chat.id).update(mine_requested_at=timezone.now())
    html = memory_panel()
    assert ("about to be saved" in html, button in html, 'hx-trigger="every 3s"' in html) == (
        True,
        False,
        True,
    )
    long_ago = timezone.now() - timedelta(hours=1)
    Conversation.objects.filter(id=chat.id).update(mine_requested_at=None, last_message_at=long_ago)
    assert "background worker" in memory_panel()
    other = progress_of(chat.user_id, CONVERSATION, uuid4())
    html = memory_panel()
    assert ("other chats are saved to memory first" in html, "background worker" in html) == (True, False)
    other.delete()
    mine_chat(chat)
    html = memory_panel()
    assert ("Saved 1" in html, "hx-trigger" in html) == (True, False)
    facts = ActivityEvent.objects.get(kind="memory_mined").details["facts"]
    assert facts
    for fact_id in facts:
        assert reverse("memory:fact", args=[fact_id]) in html
    assert "to review" not in html
    Fact.objects.filter(id__in=facts).update(status=Fact.Status.PENDING)
    assert memory_panel().count("to review</span>") == len(facts)
    assert alice_client.get(f"/chat/{chat.id}/remembered/").url == f"/chat/{chat.id}/"
    assert "Saved 1" in page_of(alice_client, chat)
    monkeypatch.setattr(status, "MAX_FACTS", 0)
    assert f'<a href="{reverse("memory:facts")}?sort=newest">and 1 more fact' in memory_panel()


def test_saving_a_chat_to_memory_can_be_undone_and_redone(chat, alice_client):
    mine_chat(chat)
    event = ActivityEvent.objects.get(kind="memory_mined")
    path = f"/chat/{chat.id}/remembered/{event.id}/undo/"
    html = check_fragment(alice_client.post(path, headers=HTMX))
    assert "1 message was forgotten." in html
    gone = Drawer.objects.get()
    assert gone.deleted_at is not None
    assert alice_client.post(path).status_code == 302, "already done"
    assert Drawer.objects.get().deleted_at == gone.deleted_at
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
    assert "could not be saved" not in check_fragment(alice_client.post(path, headers=HTMX))
    progress.refresh_from_db()
    chat.refresh_from_db()
    assert progress.state == MiningProgress.State.READY
    assert chat.mine_requested_at is not None
    if action == "now":
        assert alice_client.post(path).status_code == 302


@pytest.mark.parametrize(
    ("switched_off", "words"),
    [
        ("nothing", "will be saved to memory now."),
        ("chat", "This chat is not saved to memory."),
        ("agent", "not saved to memory"),
        ("user", "Chats are saved to memory only when you ask for it."),
    ],
)
def test_chat_says_when_mining_is_switched_off_and_what_closing_does(
    chat, alice_client, memory_panel, switched_off, words
):
    if switched_off == "chat":
        Conversation.objects.filter(id=chat.id).update(mine=False)
    elif switched_off == "agent":
        Agent.objects.filter(id=chat.agent_id).update(mine=False)
    MemoryPreferences.objects.create(user_id=chat.user_id, auto_mine=switched_off != "user")
    if switched_off != "nothing":
        html = memory_panel()
        assert (words in html, "hx-trigger" in html) == (True, False)
    html = check_page(alice_client.post(f"/chat/{chat.id}/close/", follow=True))
    assert "The chat is closed" in html
    assert words in html


def test_switch_shows_that_memory_is_off_and_keeps_the_choice(chat, alice_client):
    MemoryPreferences.objects.create(user_id=chat.user_id, enabled=False)
    for path in ("/chat/", f"/chat/{chat.id}/"):
        html = check_page(alice_client.get(path))
        assert "Memory is off in your settings" in html
        assert "recalls what you said earlier" not in html
        (hidden,) = (e for e in parse(html).elements if e.attributes.get("name") == "recall_memory")
        assert (hidden.attributes["type"], hidden.attributes["value"]) == ("hidden", "True")
    alice_client.post("/chat/new/", {"content": "Hello", "recall_memory": "True", "mine": "on"})
    assert Conversation.objects.exclude(id=chat.id).get().recall_memory


def test_trace_says_that_nothing_was_searched_for_a_greeting(conversation, alice_client, model):
    model.script("Hello!")
    get_reply(conversation, "Hello!")
    assert Message.objects.count() == 2
    assert "Nothing recalled" in page_of(alice_client, conversation)
    assert "No." in check_page(alice_client.get(f"/chat/{conversation.id}/messages/2/trace/"))


URL = "/chat/recalls/"
Source = RecallTrace.Source


@pytest.fixture
def mcp_trace(as_alice, embedder):
    """The trace of a recall by an MCP client, without a reply."""
    file(as_alice.id, [CAT])
    request = RecallRequest(as_alice.id, "What is my cat called?", timezone.now(), explicit=True)
    return RecallTrace.objects.get(id=try_recall(request, Source.MCP).trace_id)


@pytest.fixture
def recalling_reply(as_alice, mcp_trace, model):
    """A reply in a chat that recalled the same."""
    model.script("Minka.")
    chat = start(as_alice.id, Choices(), timezone.now())
    return get_reply(chat, "And what is my cat called?", timezone.now())


def recalls(client):
    """The rows of the list of recalls, newest first."""
    html = check_page(client.get(URL))
    return [" ".join(each.words.split()) for each in parse(html).elements if each.tag == "tr"][1:]


def test_recalls_are_listed_with_their_traces(mcp_trace, recalling_reply, alice_client):
    newest, oldest = recalls(alice_client)
    assert "Chat" in newest
    assert "And what is my cat called?" in newest
    assert "MCP What is my cat called? 1" in oldest
    for trace_id, has_reply in ((recalling_reply.trace_id, True), (mcp_trace.id, False)):
        url = reverse("chat:recall", args=[trace_id])
        assert url in check_page(alice_client.get(URL))
        page = check_page(alice_client.get(url))
        assert "Searched for" in page
        assert CAT[:20] in page
        assert ("Go to the reply" in page) is has_reply
        assert (">MCP<" in page) is not has_reply
    assert URL in check_page(alice_client.get("/memory/activity/"))
    drawer = check_page(alice_client.get(reverse("memory:drawer", args=[mcp_trace.hits[0]["drawer_id"]])))
    assert reverse("chat:recall", args=[mcp_trace.id]) in drawer


def test_recalls_of_deleted_chats_and_forgotten_ones_are_not_listed(as_alice, recalling_reply, alice_client):
    chat, url = recalling_reply.conversation, reverse("chat:recall", args=[recalling_reply.trace_id])
    remove(chat, timezone.now(), forget_too=False)
    assert (len(recalls(alice_client)), alice_client.get(url).status_code) == (1, 404)
    restore(as_alice.id, chat.id, timezone.now())
    assert (len(recalls(alice_client)), alice_client.get(url).status_code) == (2, 200)
    forget(as_alice.id, ForgetRequest("everything"), timezone.now())
    assert recalls(alice_client) == []
    erased = {"decision": {"search": True}, "query": {"text": ""}}
    RecallTrace.objects.create(user_id=as_alice.id, trace=erased, at=timezone.now())
    assert "Chat No longer kept 0" in recalls(alice_client)[0]


@pytest.mark.parametrize(
    ("wings", "cited", "named"),
    [
        ("A A", "", "A"),
        ("A B A", "", "A and B"),
        ("A B C D A", "", "A, B and 2 more"),
        ("A B C D A", "§D, §B", "D, B and 2 more"),
    ],
)
def test_summary_of_sources_names_their_wings(wings, cited, named):
    sources: Any = [SimpleNamespace(wing=wing, pointer=f"§{wing}") for wing in (*wings.split(), "")]
    assert wing_names(sources[:-1], cited) == named
    assert wing_names(sources, cited) == "", "one is not filed yet"


@pytest.fixture
def answered(as_alice, model):
    """A reply that recalled a message about the cat from another chat."""
    add_mined_chat(as_alice, CAT)
    model.script("Minka, § W-001/R-01/D-001 and § W-077/R-01/D-009.")
    return get_reply(start(as_alice.id, Choices(), NOW))


def address(reply, action, trace=None, drawer=None):
    recalled = f"recalls/{trace or reply.trace_id}/drawers/{drawer or Drawer.objects.get().id}"
    return f"/chat/{reply.conversation_id}/{recalled}/{action}/"


def thread(client, reply):
    return page_of(client, reply.conversation).split('<ol id="thread">')[1]


def test_reply_shows_its_sources_and_their_trace_until_they_are_forgotten(answered, alice_client):
    drawer, path = Drawer.objects.get(), f"/chat/{answered.conversation_id}/"
    trace = f"{path}messages/{answered.sequence}/trace/"
    html = thread(alice_client, answered)
    for words in ("Recalled 1", CAT, POINTER, f'href="/memory/drawers/{drawer.id}/"', trace):
        assert words in html
    for action in ("fits", "wrong", "forget", "always"):
        assert address(answered, action) in html
    assert 'href="/memory/p/W-1/R-1/D-1/"' in html
    assert "W-77" not in html, "no drawer has this pointer"
    assert "§ W-077/R-01/D-009 (unknown)</span>" in html
    assert "said-tool" not in html
    html = check_page(alice_client.get(trace))
    for words in ("What is the name of my cat?", CAT, POINTER):
        assert words in html
    assert alice_client.get(f"/chat/recalls/{answered.trace_id}/")["Location"] == f"{path}#m2"
    stored = RecallTrace.objects.get(id=answered.trace_id)
    stored.hits[0]["role"] = "tool"
    stored.save()
    assert '<figure class="said said-small said-tool">' in thread(alice_client, answered)
    trash.delete(drawer.user_id, "drawer", drawer.id, timezone.now())
    html = check_page(alice_client.get(trace))
    assert (CAT in html, "Since forgotten" in html) == (False, True)
    assert alice_client.get(f"{path}messages/1/trace/").status_code == 404


def test_unfiled_source_links_to_its_chat_and_has_no_actions(as_alice, alice_client):
    chat = add_chat(as_alice, CAT)
    reply = get_reply(start(as_alice.id, Choices(), NOW))
    assert "not filed yet" in reply.content
    html, link = thread(alice_client, reply), f'href="/chat/{chat.id}/"'
    for words in ("Not filed yet", "Minka", link):
        assert words in html
    assert "source-actions" not in html
    trace = check_page(alice_client.get(f"/chat/{reply.conversation_id}/messages/{reply.sequence}/trace/"))
    assert "In chats that are not filed yet" in trace
    assert link in trace
    assert link in check_page(alice_client.get("/memory/search/", {"q": "my cat Minka"}))
    mine_chat(chat)
    html = thread(alice_client, reply)
    assert ("Not filed yet" in html, "source-actions" in html) == (False, True)


def test_forgetting_a_chat_erases_its_unfiled_quotations_in_replies(as_alice):
    chat = add_chat(as_alice, CAT)
    reply = get_reply(start(as_alice.id, Choices(), NOW))
    assert CAT in reply.content
    forget_now(as_alice.id, ForgetRequest("source", object_id=chat.id, with_chats=True), NOW)
    reply.refresh_from_db()
    assert CAT not in reply.content


def test_feedback_is_refused_for_drawers_the_reply_did_not_recall(answered, alice_client):
    for action, on in (("fits", "0"), ("always", "1")):
        for other in ({"trace": uuid4()}, {"drawer": uuid4()}):
            assert alice_client.post(address(answered, action, **other), {"on": on}).status_code == 404
    assert not Drawer.objects.get().pinned
    assert not NegativeFeedback.objects.exists()


def test_marking_a_source_wrong_annotates_it_and_sends_its_facts_to_review(as_alice, answered, alice_client):
    Drawer.objects.update(annotation="An older remark.")
    active = Fact.objects.filter(status="active")
    before = set(active.values_list("id", flat=True))
    assert before
    path = address(answered, "wrong")
    html = check_page(alice_client.get(path))
    assert CAT in html
    assert 'class="understood"' in html
    assert alice_client.post(path, {"remark": "a" * 10_001}).status_code == 422
    assert alice_client.post(path, {"remark": "She is called Mona."}).status_code == 302
    drawer = Drawer.objects.get()
    assert (drawer.content, drawer.annotation) == (CAT, "An older remark.\n\nShe is called Mona.")
    assert not active.exists()
    html = thread(alice_client, answered)
    assert "You marked this as wrong." in html
    assert "She is called Mona." in html
    back = undo_in(html, f"{path}")
    check_fragment(alice_client.post(back, headers=HTMX))
    assert Drawer.objects.get().annotation == "An older remark."
    assert set(active.values_list("id", flat=True)) == before
    assert alice_client.post(back).status_code == 404


def test_changed_remark_is_not_undone(answered, alice_client):
    path = address(answered, "wrong")
    alice_client.post(path, {"remark": "She is called Mona."})
    back = undo_in(thread(alice_client, answered), path)
    Drawer.objects.update(annotation="A new remark.")
    assert alice_client.post(back).status_code == 302
    assert Drawer.objects.get().annotation == "A new remark."
