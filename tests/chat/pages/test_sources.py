"""Feedback on the drawers recalled for a reply, and undoing it."""

from uuid import uuid4

import pytest

from chat.agents import default_agent
from chat.conversations import Choices, start
from memory.forgetting.requests import forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.models import Drawer, Fact, NegativeFeedback, RecallTrace
from tests.chat.conftest import NOW
from tests.chat.replying import CAT, add_chat, add_mined_chat, get_reply, mine_chat
from tests.html import check_fragment, check_page
from tests.memory.pages.forms import HTMX

HOME = "I live in Zürich with my cat Minka."


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
