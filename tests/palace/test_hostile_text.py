"""Texts made to be slow, at every door through which text comes in: each answers or refuses in time."""

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
from chat.pages.threads import thread
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
"""Three times what a text may take, so that a busy machine fails nothing; a quadratic step takes minutes."""
REFUSED = {400, 404, 413, 414, 422}


def of(pattern: str) -> str:
    return (pattern * (LENGTH // len(pattern) + 1))[:LENGTH]


HOSTILE = {
    "dots": of("."),
    "addresses": of("a@"),
    "nested brackets": of("[" * 50_000 + "]" * 50_000),
    "links": of("![a](b "),
    "one word": of("a"),
    "combining characters": of("a\u0301\u0302"),
    "zero-width": of("a\u200d\u200b"),
    "ligatures": of("\ufdfa"),
    "dates": of("on 12 May 2024 "),
    "new lines": of("\n"),
    "JSON": of('{"a":[{"b":"c",'),
    "tags": of("<a <!-- <memory_context>"),
    "secrets": of("password for a password is sk-"),
    "pointers": of("§ W-001/R-01/D-001 "),
    "facts": of("I live in Paris and my name is Ann. "),
    "a list": of("- a\n"),
}


@pytest.fixture(params=HOSTILE, ids=str)
def text(request):
    return storable(HOSTILE[request.param]).text[:LENGTH]


@pytest.fixture
def alices(alice, embedder):
    caches["requests"].clear()
    with tenant(alice.id):
        token = issue_token(alice.id, "A program", timezone.now())
        save_note(alice.id, Note("I live in Porto."), timezone.now())
    return Client(headers={"Authorization": f"Bearer {token}"})


@pytest.fixture
def in_time():
    """Fails a test in which this process works for longer than a text may take."""
    with in_bounds():
        yield


@contextmanager
def in_bounds(clock=time.process_time):
    gc.collect()
    gc.disable()  # collecting what thousands of tests left behind is no work on a text
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


def test_a_chat_is_mined(as_alice, text, embedder, in_time):
    converse(as_alice.id, text, text)
    done = mine(as_alice.id)
    assert (done.windows, done.failures) == (1, 0)
    assert not dead_letters(as_alice.id).exists()


def test_a_chat_is_shown(alice, alice_client, text):
    with tenant(alice.id):
        short = converse(alice.id, "Hi.", source=Conversation.Source.CHAT)
        found = converse(alice.id, *[Said(text, "assistant")] * 40, source=Conversation.Source.CHAT)
    alice_client.get(reverse("chat:conversation", args=[short.id]))  # loads templates and addresses
    for page in (reverse("chat:conversation", args=[found.id]), reverse("chat:message", args=[found.id, 1])):
        with in_bounds(
            time.thread_time
        ):  # pages are rendered in this thread; others may still be loading models
            assert alice_client.get(page).status_code == 200


def test_long_messages_are_spread_over_pages(as_alice):
    words = [Said(f"{number} {HOSTILE['facts']}", "assistant") for number in range(12)]
    found = converse(as_alice.id, *words, source=Conversation.Source.CHAT)
    seen, end = [], 12
    while end:
        page = thread(found, end)
        assert len(page.shown) <= 5
        seen = [*page.sequences, *seen]
        end = page.earlier
    assert seen == list(range(1, 13))


def test_a_note_is_saved_and_shown(alice, alices, alice_client, text, in_time):
    if post(alices, "/api/v1/notes", {"text": text}).status_code == 201:
        with tenant(alice.id):
            drawer = Drawer.objects.order_by("-id").first()
        assert alice_client.get(reverse("memory:drawer", args=[drawer.id])).status_code == 200


def test_recall_and_search_answer(alices, alice_client, text, in_time):
    post(alices, "/api/v1/recall", {"message": text})
    post(alices, "/api/v1/recall", {"message": text[:20_000], "history": [text[:20_000]] * 3})
    assert alice_client.get(reverse("memory:search"), {"q": text[:20_000]}).status_code in {200, *REFUSED}


def test_a_palace_of_long_drawers_is_searched(alice, alices, alice_client):
    with tenant(alice.id):
        for name in ("dots", "pointers", "facts", "dates"):
            file(alice.id, [f"I live in Porto. {HOSTILE[name]}", f"Do I live in Porto? {HOSTILE[name]}"] * 4)
    with in_bounds():
        post(alices, "/api/v1/recall", {"message": "Where in Porto do I live?"})
    with in_bounds():
        assert alice_client.get(reverse("memory:search"), {"q": "Porto"}).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_program_is_answered(alices):
    for text in HOSTILE.values():
        for tool, arguments in (("save_note", {"text": text}), ("recall_memory", {"query": text[:20_000]})):
            call = {"name": tool, "arguments": arguments}
            with in_bounds():
                post(alices, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})


def test_an_export_is_imported(as_alice, text, tmp_path, in_time):
    now = timezone.now()
    path = tmp_path / "conversations.json"
    path.write_bytes(exported([as_exported(text[:200], by_turns([text]), key="c")]))
    with local_run(as_alice.id, path, now) as run:
        import_file(run, path, timezone.now)
    assert Conversation.objects.count() == bool(text.strip())
