"""Editing a message, other replies, stopping and asking again."""

import pytest
from django.utils import timezone

from chat.replies.jobs import claim, heartbeat, pending, send_message
from tests.chat.conftest import NOW
from tests.html import check_page
from tests.memory.pages.forms import HTMX


@pytest.fixture
def path(conversation):
    return f"/chat/{conversation.id}/"


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
