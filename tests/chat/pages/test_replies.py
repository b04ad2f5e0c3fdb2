"""Retrying replies, and the tools shown while one is written."""

import pytest
from django.utils import timezone

from chat.replies.jobs import claim, heartbeat, pending, send_message
from tests.chat.conftest import NOW
from tests.html import check_page
from tests.memory.pages.forms import HTMX


@pytest.fixture
def path(conversation):
    return f"/chat/{conversation.id}/"


def test_retry_while_a_reply_is_written_redirects_to_the_chat(conversation, path, alice_client, model):
    _, generation = send_message(conversation, "Hello there", NOW)
    assert claim(generation, timezone.now())
    assert alice_client.post(f"{path}replies/1/retry").url == path
    response = alice_client.post(f"{path}replies/1/retry", headers=HTMX)
    assert response.headers["HX-Redirect"] == path
    assert pending(conversation) == generation


def test_reloaded_page_shows_tools_in_use(conversation, path, alice_client):
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
