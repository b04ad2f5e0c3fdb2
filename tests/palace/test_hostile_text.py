"""Texts designed to be slow, at every entry point for text: each is processed or refused in time."""

import gc
import json
import time
from contextlib import contextmanager

import pytest
from django.core.cache import caches
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from accounts.tokens import issue_token
from chat.models import Conversation
from chat.pages.replies import _Sent
from chat.pages.threads import thread
from chat.replies.streaming import Progress
from memory.mining.progress import dead_letters
from memory.models import Drawer
from memory.organize.notes import Note, save_note
from memory.text.sanitizing import storable
from tests.drills.ledger import Said, converse, mine
from tests.exports import as_exported, by_turns, exported
from tests.memory.palaces import file
from transfer.imports import import_file, local_run

LENGTH = 100_000
SECONDS = 6
"""Three times the expected maximum, so that a busy machine fails nothing; quadratic code takes minutes."""
REFUSED = {400, 404, 413, 414, 422}


def repeat(pattern: str) -> str:
    return (pattern * (LENGTH // len(pattern) + 1))[:LENGTH]


HOSTILE = {
    "dots": repeat("."),
    "addresses": repeat("a@"),
    "nested brackets": repeat("[" * 50_000 + "]" * 50_000),
    "links": repeat("![a](b "),
    "open brackets": repeat("["),
    "one word": repeat("a"),
    "combining characters": repeat("a\u0301\u0302"),
    "zero-width": repeat("a\u200d\u200b"),
    "ligatures": repeat("\ufdfa"),
    "dates": repeat("on 12 May 2024 "),
    "new lines": repeat("\n"),
    "JSON": repeat('{"a":[{"b":"c",'),
    "tags": repeat("<a <!-- <memory_context>"),
    "secrets": repeat("password for a password is sk-"),
    "pointers": repeat("§ W-001/R-01/D-001 "),
    "facts": repeat("I live in Paris and my name is Ann. "),
    "a list": repeat("- a\n"),
}


@pytest.fixture(params=HOSTILE, ids=str)
def text(request):
    return storable(HOSTILE[request.param]).text[:LENGTH]


@pytest.fixture
def api_client(alice, embedder):
    caches["requests"].clear()
    with tenant(alice.id):
        token = issue_token(alice.id, "A program", timezone.now())
        save_note(alice.id, Note("I live in Porto."), timezone.now())
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def limited():
    """Fail the test if this process uses more than SECONDS of processor time."""
    with time_limit():
        yield


@contextmanager
def time_limit(clock=time.process_time):
    gc.collect()
    gc.disable()  # do not count the collection of other tests' garbage
    began = clock()
    try:
        yield
    finally:
        gc.enable()
    spent = clock() - began
    assert spent <= SECONDS, f"{spent:.1f} s of processor time"


def post(client, address, body):
    accept = {"Accept": "application/json, text/event-stream"}
    answer = client.generic("POST", address, json.dumps(body), "application/json", headers=accept)
    assert answer.status_code in {200, 201, *REFUSED}, answer.content[:300]
    return answer


def test_hostile_chat_is_mined(as_alice, text, embedder, limited):
    converse(as_alice.id, text, text)
    done = mine(as_alice.id)
    assert (done.windows, done.failures) == (1, 0)
    assert not dead_letters(as_alice.id).exists()


def test_hostile_chat_is_shown(alice, alice_client, text):
    with tenant(alice.id):
        short = converse(alice.id, "Hi.", source=Conversation.Source.CHAT)
        found = converse(alice.id, *[Said(text, "assistant")] * 40, source=Conversation.Source.CHAT)
    alice_client.get(reverse("chat:conversation", args=[short.id]))  # loads templates and URLs
    for page in (reverse("chat:conversation", args=[found.id]), reverse("chat:message", args=[found.id, 1])):
        with time_limit(
            time.thread_time
        ):  # pages are rendered in this thread; others may still be loading models
            assert alice_client.get(page).status_code == 200


def test_hostile_reply_is_shown_as_it_grows(text):
    sent, told = _Sent(), ""
    with time_limit(time.thread_time):
        for end in range(0, len(text) + 1_000, 1_000):
            told += b"".join(sent.text_events(Progress(text[:end]))).decode()
    assert told.endswith("\n\n")
    assert len(told) < 40 * LENGTH


def test_long_messages_are_paged(as_alice):
    words = [Said(f"{number} {HOSTILE['facts']}", "assistant") for number in range(12)]
    found = converse(as_alice.id, *words, source=Conversation.Source.CHAT)
    seen, end = [], 12
    while end:
        page = thread(found, end)
        assert len(page.shown) <= 5
        seen = [*page.sequences, *seen]
        end = page.earlier
    assert seen == list(range(1, 13))


def test_hostile_note_is_saved_and_shown(alice, api_client, alice_client, text, limited):
    if post(api_client, "/api/v1/notes", {"text": text}).status_code == 201:
        with tenant(alice.id):
            drawer = Drawer.objects.order_by("-id").first()
        assert alice_client.get(reverse("memory:drawer", args=[drawer.id])).status_code == 200


def test_recall_and_search_accept_hostile_text(api_client, alice_client, text, limited):
    post(api_client, "/api/v1/recall", {"message": text})
    post(api_client, "/api/v1/recall", {"message": text[:20_000], "history": [text[:20_000]] * 3})
    assert alice_client.get(reverse("memory:search"), {"q": text[:20_000]}).status_code in {200, *REFUSED}


def test_palace_of_long_hostile_drawers_is_searched(alice, api_client, alice_client):
    with tenant(alice.id):
        for name in ("dots", "pointers", "facts", "dates"):
            file(alice.id, [f"I live in Porto. {HOSTILE[name]}", f"Do I live in Porto? {HOSTILE[name]}"] * 4)
    with time_limit():
        post(api_client, "/api/v1/recall", {"message": "Where in Porto do I live?"})
    with time_limit():
        assert alice_client.get(reverse("memory:search"), {"q": "Porto"}).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_mcp_tools_accept_hostile_text(api_client):
    for text in HOSTILE.values():
        for tool, arguments in (("save_note", {"text": text}), ("recall_memory", {"query": text[:20_000]})):
            call = {"name": tool, "arguments": arguments}
            with time_limit():
                post(api_client, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})


def test_hostile_export_is_imported(as_alice, text, tmp_path, limited):
    now = timezone.now()
    path = tmp_path / "conversations.json"
    path.write_bytes(exported([as_exported(text[:200], by_turns([text]), key="c")]))
    with local_run(as_alice.id, path, now) as run:
        import_file(run, path, timezone.now)
    assert Conversation.objects.count() == bool(text.strip())
