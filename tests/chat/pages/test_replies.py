"""Editing a message, other replies, stopping and asking again."""

import pytest
from django.utils import timezone

from chat.branches import branch, messages_of
from chat.conversations import find
from chat.replies.jobs import claim, heartbeat, pending, send_message
from tests.chat.conftest import NOW
from tests.html import check_page

HTMX = {"HX-Request": "true"}


@pytest.fixture
def path(conversation):
    return f"/chat/{conversation.id}/"


@pytest.fixture
def answered(path, alice_client, model):
    """The chat has one question with its reply."""
    model.script("First.", "Second.")
    alice_client.post(f"{path}messages/", {"content": "One question"})


def test_an_edited_message_is_a_branch_of_its_own(conversation, path, answered, alice_client):
    edit = f"{path}messages/1/edit/"
    assert "One question" in check_page(alice_client.get(edit))
    assert alice_client.post(edit, {"content": "Another question"}).status_code == 302
    fresh = find(conversation.user_id, conversation.id)
    assert [each.content for each in branch(fresh)] == ["Another question", "Second."]
    html = check_page(alice_client.get(path))
    assert "2/2" in html
    assert "One question" not in html.split('<ol id="thread">')[1]
    alice_client.post(f"{path}messages/1/show/")
    html = check_page(alice_client.get(path))
    assert "1/2" in html
    assert "First." in html
    assert messages_of(conversation).get(sequence=1).content == "One question"
    alice_client.post(f"{path}messages/2/edit/", {"content": "I said that"})
    assert messages_of(conversation).count() == 4, "a reply is not the person's to edit"


@pytest.mark.parametrize("scripts", [True, False])
def test_another_reply_stands_beside_the_first(path, answered, alice_client, scripts):
    response = alice_client.post(f"{path}replies/1/retry", headers=HTMX if scripts else {})
    html = check_page(alice_client.get(path))
    if scripts:
        assert response.headers["HX-Redirect"] == path
        assert "/replies/1/stream" in html
        assert "First." not in html
    else:
        assert "Second." in html
        assert "2/2" in html


def test_asking_again_while_a_reply_is_written_leads_back_to_it(conversation, path, alice_client, model):
    _, generation = send_message(conversation, "Hello there", NOW)
    assert claim(generation, timezone.now())
    assert alice_client.post(f"{path}replies/1/retry").url == path
    response = alice_client.post(f"{path}replies/1/retry", headers=HTMX)
    assert response.headers["HX-Redirect"] == path
    assert pending(conversation) == generation


def test_a_page_loaded_again_names_the_tools_at_work(conversation, path, alice_client):
    now = timezone.now()
    _, generation = send_message(conversation, "When is high tide?", now)
    assert claim(generation, now)
    heartbeat(generation, "", now, {"used": ["recall_memory"], "using": ["<b>潮汐</b>"]})
    html = check_page(alice_client.get(path))
    assert "Searched memory" in html
    assert "Using a tool… <bdi>&lt;b&gt;潮汐&lt;/b&gt;</bdi>" in html
    heartbeat(generation, "", now, {"used": ["recall_memory", "save_note"], "using": []})
    html = check_page(alice_client.get(path))
    assert "Tried to save a note" in html
    assert "data-now" not in html
