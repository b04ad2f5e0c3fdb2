"""What a chat shows of mining and recall, feedback on the drawers, and the list and pages of recalls."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.agents import default_agent
from chat.conversations import Choices, NewMessage, append, start
from chat.mining import results
from chat.models import Agent, Conversation, Message
from chat.replies.recall import try_recall
from chat.retention import remove, restore
from chat.templatetags.recalled import wing_names
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
from tests.chat.replying import CAT, add_chat, add_mined_chat, get_reply, mine_chat
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import HTMX
from tests.memory.palaces import file

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
    other = progress_of(chat.user_id, CONVERSATION, uuid4())
    html = memory_panel()
    assert "other chats are saved to memory first" in html
    assert "background worker" not in html
    other.delete()
    mine_chat(chat)
    html = memory_panel()
    assert "Saved 1" in html
    assert "hx-trigger" not in html
    facts = ActivityEvent.objects.get(kind="memory_mined").details["facts"]
    assert facts
    for fact_id in facts:
        assert reverse("memory:fact", args=[fact_id]) in html
    assert alice_client.get(f"/chat/{chat.id}/remembered/").url == f"/chat/{chat.id}/"
    assert "Saved 1" in check_page(alice_client.get(f"/chat/{chat.id}/"))


def test_chat_about_to_be_saved_cannot_be_requested_again(chat, memory_panel, monkeypatch):
    button = "Save to memory now"
    assert button in memory_panel()
    Conversation.objects.filter(id=chat.id).update(mine_requested_at=timezone.now())
    html = memory_panel()
    assert "about to be saved" in html
    assert button not in html
    mine_chat(chat)
    monkeypatch.setattr(results, "MAX_FACTS", 0)
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


@pytest.mark.parametrize(
    ("mine", "auto_mine", "words"),
    [
        (True, True, "The chat is closed and will be saved to memory now."),
        (False, True, "The chat is closed. This chat is not saved to memory."),
        (True, False, "The chat is closed. Chats are saved to memory only when you ask for it."),
    ],
)
def test_closing_a_chat_says_what_happens_to_it(chat, alice_client, mine, auto_mine, words):
    Conversation.objects.filter(id=chat.id).update(mine=mine)
    MemoryPreferences.objects.create(user_id=chat.user_id, auto_mine=auto_mine)
    html = check_page(alice_client.post(f"/chat/{chat.id}/close/", follow=True))
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


URL = "/chat/recalls/"
Source = RecallTrace.Source


@pytest.fixture
def mcp_trace(as_alice, embedder):
    """The trace of a recall by an MCP client, without a reply."""
    file(as_alice.id, [CAT])
    request = RecallRequest(as_alice.id, "What is my cat called?", timezone.now(), explicit=True)
    return RecallTrace.objects.get(id=try_recall(request, Source.MCP).trace_id)


def rows(html):
    return [" ".join(each.words.split()) for each in parse(html).elements if each.tag == "tr"][1:]


def test_recalls_of_replies_and_programs_are_listed_with_their_traces(mcp_trace, alice_client, model):
    model.script("Minka.")
    chat = start(mcp_trace.user_id, Choices(), timezone.now())
    reply = get_reply(chat, "And what is my cat called?", timezone.now())
    html = check_page(alice_client.get(URL))
    newest, oldest = rows(html)
    assert "Chat" in newest
    assert "And what is my cat called?" in newest
    assert "MCP What is my cat called? 1" in oldest
    for trace_id, has_reply in ((reply.trace_id, True), (mcp_trace.id, False)):
        url = reverse("chat:recall", args=[trace_id])
        assert url in html
        page = check_page(alice_client.get(url))
        assert "Searched for" in page
        assert CAT[:20] in page
        assert ("Go to the reply" in page) is has_reply
        assert (">MCP<" in page) is not has_reply
    assert URL in check_page(alice_client.get("/memory/activity/"))


def test_recalls_of_deleted_chats_are_not_shown(mcp_trace, alice_client, model):
    model.script("Minka.")
    chat = start(mcp_trace.user_id, Choices(), timezone.now())
    reply = get_reply(chat, "And what is my cat called?", timezone.now())
    remove(chat, timezone.now(), forget_too=False)
    assert len(rows(check_page(alice_client.get(URL)))) == 1
    url = reverse("chat:recall", args=[reply.trace_id])
    assert alice_client.get(url).status_code == 404
    restore(mcp_trace.user_id, chat.id, timezone.now())
    assert len(rows(check_page(alice_client.get(URL)))) == 2
    assert alice_client.get(url).status_code == 200
    forget(mcp_trace.user_id, ForgetRequest("everything"), timezone.now())
    assert rows(check_page(alice_client.get(URL))) == []


def test_list_marks_erased_queries_and_recalls_without_a_search(mcp_trace, alice_client):
    for decision, query, said in (
        ({"search": True}, {"text": ""}, "Chat No longer kept 0"),
        ({"search": False}, None, "Chat Nothing 0"),
    ):
        trace = {"decision": decision, "query": query}
        RecallTrace.objects.create(user_id=mcp_trace.user_id, trace=trace, at=timezone.now())
        assert said in rows(check_page(alice_client.get(URL)))[0]


def test_drawer_links_to_the_recalls_that_included_it(mcp_trace, alice_client):
    drawer_id = mcp_trace.hits[0]["drawer_id"]
    html = check_page(alice_client.get(reverse("memory:drawer", args=[drawer_id])))
    assert reverse("chat:recall", args=[mcp_trace.id]) in html
    assert "View reply" not in html


HOME = "I live in Zürich with my cat Minka."


@pytest.mark.parametrize(
    ("wings", "named"),
    [
        ("A A", "A"),
        ("A B A", "A and B"),
        ("A B C D A", "A, B and 2 more"),
    ],
)
def test_summary_of_sources_names_their_wings(wings, named):
    sources: Any = [SimpleNamespace(wing=wing) for wing in (*wings.split(), "")]
    assert wing_names(sources[:-1]) == named
    assert wing_names(sources) == "", "one is not filed yet"


@pytest.fixture
def answered(as_alice, model):
    """A reply that recalled a message about the cat from another chat."""
    add_mined_chat(as_alice, CAT)
    model.script("Minka, § W-001/R-01/D-001 and § W-077/R-01/D-009.")
    return get_reply(start(as_alice.id, Choices(agent=default_agent(as_alice.id)), NOW))


def address(reply, action, trace=None, drawer=None):
    recalled = f"recalls/{trace or reply.trace_id}/drawers/{drawer or Drawer.objects.get().id}"
    return f"/chat/{reply.conversation_id}/{recalled}/{action}/"


def thread(client, reply):
    return check_page(client.get(f"/chat/{reply.conversation_id}/")).split('<ol id="thread">')[1]


def test_sources_offer_four_actions_and_only_existing_pointers_are_links(answered, alice_client):
    html = thread(alice_client, answered)
    for action in ("fits", "wrong", "forget", "always"):
        assert address(answered, action) in html
    assert 'href="/memory/p/W-1/R-1/D-1/"' in html
    assert "W-77" not in html
    assert "§ W-077/R-01/D-009 (unknown)</span>" in html


def test_tool_output_among_the_sources_is_set_apart(answered, alice_client):
    assert "said-tool" not in thread(alice_client, answered)
    trace = RecallTrace.objects.get(id=answered.trace_id)
    trace.hits[0]["role"] = "tool"
    trace.save()
    assert '<figure class="said said-small said-tool">' in thread(alice_client, answered)


def test_unfiled_source_links_to_its_chat_and_has_no_actions(as_alice, alice_client):
    chat = add_chat(as_alice, CAT)
    reply = get_reply(start(as_alice.id, Choices(), NOW))
    assert "not filed yet" in reply.content
    html = thread(alice_client, reply)
    assert "Not filed yet" in html
    assert "Minka" in html
    assert f'href="/chat/{chat.id}/"' in html
    assert "source-actions" not in html
    trace = check_page(alice_client.get(f"/chat/{reply.conversation_id}/messages/{reply.sequence}/trace/"))
    assert "In chats that are not filed yet" in trace
    assert f'href="/chat/{chat.id}/"' in trace
    found = check_page(alice_client.get("/memory/search/", {"q": "my cat Minka"}))
    assert f'href="/chat/{chat.id}/"' in found
    mine_chat(chat)
    assert "Not filed yet" not in thread(alice_client, reply)
    assert "source-actions" in thread(alice_client, reply)


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


def test_marking_a_source_wrong_annotates_it_and_sends_its_facts_to_review(as_alice, model, alice_client):
    add_mined_chat(as_alice, HOME)
    model.script("In Zürich.")
    reply = get_reply(start(as_alice.id, Choices(), NOW), "Where do I live with my cat?")
    active = Fact.objects.filter(status="active")
    before = set(active.values_list("id", flat=True))
    assert before
    path = address(reply, "wrong")
    html = check_page(alice_client.get(path))
    assert "I live in Zürich" in html
    assert 'class="understood"' in html
    assert alice_client.post(path, {"remark": "It is Basel."}).status_code == 302
    drawer = Drawer.objects.get()
    assert (drawer.content, drawer.annotation) == (HOME, "It is Basel.")
    assert not active.exists()
    html = thread(alice_client, reply)
    assert "You marked this as wrong." in html
    assert "It is Basel." in html
    back = path + html.split(f'action="{path}')[1].split('"')[0]
    check_fragment(alice_client.post(back, headers=HTMX))
    assert Drawer.objects.get().annotation == ""
    assert set(active.values_list("id", flat=True)) == before
    assert alice_client.post(back).status_code == 404


def test_remark_is_appended_and_not_undone_once_changed(answered, alice_client):
    path = address(answered, "wrong")
    assert alice_client.post(path, {"remark": "a" * 10_001}).status_code == 422
    Drawer.objects.update(annotation="An older remark.")
    alice_client.post(path, {"remark": "She is called Mona."})
    assert Drawer.objects.get().annotation == "An older remark.\n\nShe is called Mona."
    back = path + thread(alice_client, answered).split(f'action="{path}')[1].split('"')[0]
    Drawer.objects.update(annotation="A new remark.")
    assert alice_client.post(back).status_code == 302
    assert Drawer.objects.get().annotation == "A new remark."
