"""Every entry point processes or refuses text designed to be slow, within two seconds of processor time.

This includes the local models where they are installed.
"""

import gc
import json
import re
import time
from contextlib import contextmanager
from dataclasses import replace
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from api.mcp.server import TOOLS
from chat.models import Conversation, ModelEndpoint
from chat.pages.replies import _Sent
from chat.pages.threads import thread
from chat.replies.streaming import Progress
from llm import current
from memory.mining.progress import dead_letters
from memory.mining.screening import reasons_for_review
from memory.models import Drawer
from memory.organize.notes import Note, save_note
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from memory.text.sanitizing import storable
from tests.accounts.test_oauth import AUTHORIZE, TOKEN, authorization, public_app, register
from tests.api.conftest import api_client, send
from tests.api.operations import operations, with_text
from tests.attacks.test_pages import SHOWN, address
from tests.chat.replying import get_reply
from tests.drills.ledger import Said, converse, mine
from tests.exports import as_exported, by_turns, exported
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.palaces import file
from tests.openai_server import Behaviour, OpenAIServer
from tests.palace.forms import forms_on
from tests.transfer.exporting.furnished import bring
from tests.transfer.restoring.test_archives import changed
from transfer.importing.reading import read_entries
from transfer.imports import import_file, local_run

LENGTH = 100_000
SECONDS = 2
REFUSED = {400, 404, 413, 414, 422}
FORMATS = [
    path
    for path in sorted((Path(__file__).parents[1] / "fixtures").glob("*/*"))
    if path.name not in ("picture", "projects.json", "damaged.json")
]


def repeat(pattern):
    return (pattern * (LENGTH // len(pattern) + 1))[:LENGTH]


HOSTILE = {
    "dots": "." * (LENGTH - 1) + "a",
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
    "triggers": repeat("if user "),
    "short words": repeat("a "),
    "marks": repeat("\u0301"),
    "marks out of order": repeat("\u0301\u0327"),
    "quotations in quotations": repeat(">"),
    "open quotations": repeat("“a"),
    "numbers": repeat("1,"),
    "signs": repeat("@"),
    "blank lines": repeat("\n \n"),
}
WORST = ("dots", "ligatures", "marks out of order")
"""Tried everywhere; `make drill` tries the others too."""
SHORT = 1_000
"""For texts this short, one is enough."""

MODELS = "/chat/models/"
ACCOUNT = ("", "tokens/", "email/", "password/", "confirm/", "close/")
VISITED = ("sign-in/", "sign-up/", "sign-up/passkey/", "password/forgotten/")


def worst(*others):
    """Names of texts for a test: the worst, and in the drill `others`."""
    return [*WORST, *(pytest.param(name, marks=pytest.mark.drill) for name in others)]


@pytest.fixture(params=worst(*(name for name in HOSTILE if name not in WORST)), ids=str)
def text(request):
    return storable(HOSTILE[request.param]).text[:LENGTH]


@pytest.fixture(autouse=True)
def embedder():
    """The local embedding model, loaded before measuring, or a fake if it is not installed."""
    if current.embedder().probe().state == "up":
        current.embedder().embed_query("Is it loaded?")
        yield
    else:
        with current.using(embedder=FakeEmbedder()):
            yield


@pytest.fixture(autouse=True)
def no_replies(monkeypatch):
    """Pages begin no replies and wait for none; `test_hostile_message_is_answered` measures them."""
    monkeypatch.setattr("chat.pages.chat.write_reply", lambda chat, generation: generation.delete())


@pytest.fixture
def client(alice):
    """An API client with a token of Alice."""
    caches["requests"].clear()
    with tenant(alice.id):
        save_note(alice.id, Note("I live in Porto."), timezone.now())
    return api_client(alice)


@contextmanager
def time_limit():
    """Fail the test if this process uses more than SECONDS of processor time."""
    gc.disable()  # do not count the collection of other tests' garbage
    began = time.process_time()
    try:
        yield
    finally:
        gc.enable()
    spent = time.process_time() - began
    assert spent <= SECONDS, f"{spent:.1f} s of processor time"


@contextmanager
def limited_and_undone():
    """The same, with all changes to the database rolled back."""
    with transaction.atomic(), time_limit():
        yield
        transaction.set_rollback(True)


def post(client, address, body):
    accept = {"Accept": "application/json, text/event-stream"}
    with time_limit():
        answer = send(client, "POST", address, body, **accept)
    assert answer.status_code in {200, 201, *REFUSED}, answer.content[:300]
    return answer


def get(client, address, **query):
    with time_limit():
        answer = client.get(address, query)
    assert answer.status_code in {200, *REFUSED}
    return answer


@pytest.mark.parametrize("name", worst("JSON", "dates", "facts", "secrets", "blank lines"))
def test_hostile_chat_is_mined(as_alice, name):
    converse(as_alice.id, "I live in Porto.")
    mine(as_alice.id)  # loads the reader
    converse(as_alice.id, HOSTILE[name], HOSTILE[name])
    with time_limit():
        done = mine(as_alice.id)
    assert (done.windows, done.failures) == (1, 0)
    assert not dead_letters(as_alice.id).exists()


@pytest.mark.parametrize("name", ["open brackets", *worst("JSON", "a list", "links", "secrets", "tags")])
def test_hostile_chat_is_shown(alice, alice_client, name):
    text = HOSTILE[name]
    with tenant(alice.id):
        short = converse(alice.id, "Hi.", source=Conversation.Source.CHAT)
        found = converse(alice.id, *[Said(text, "assistant")] * 40, source=Conversation.Source.CHAT)
    alice_client.get(reverse("chat:conversation", args=[short.id]))  # loads templates and URLs
    get(alice_client, reverse("chat:conversation", args=[found.id]))
    get(alice_client, reverse("chat:message", args=[found.id, 1]))


def test_hostile_reply_is_shown_as_it_grows(text):
    sent, told = _Sent(), ""
    with time_limit():
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


@pytest.mark.parametrize("with_model", [True, False], ids=["model", "no model"])
@pytest.mark.parametrize("name", worst(*(name for name in HOSTILE if name not in WORST)))
def test_hostile_message_is_answered(as_alice, name, with_model):
    chat = converse(as_alice.id, *[HOSTILE[name]] * 3, source=Conversation.Source.CHAT)
    model = FakeChat(answer=lambda request: HOSTILE[name])
    with current.using(chat=model if with_model else None), time_limit():
        get_reply(chat, HOSTILE[name], timezone.now())


def test_hostile_note_is_screened_saved_shown_and_searched(alice, client, alice_client, text):
    with time_limit():
        reasons_for_review(text)
    if post(client, "/api/v1/notes", {"text": text}).status_code == 201:
        with tenant(alice.id):
            drawer = Drawer.objects.order_by("-id").first()
        get(alice_client, reverse("memory:drawer", args=[drawer.id]))
    post(client, "/api/v1/recall", {"message": text})
    post(client, "/api/v1/recall", {"message": text[:20_000], "history": [text[:20_000]] * 3})
    get(alice_client, reverse("memory:search"), q=text)


@pytest.mark.drill
def test_palace_of_long_hostile_drawers_is_searched(alice, client, alice_client):
    with tenant(alice.id):
        for name in ("dots", "pointers", "facts", "dates"):
            file(alice.id, [f"I live in Porto. {HOSTILE[name]}", f"Do I live in Porto? {HOSTILE[name]}"] * 4)
    post(client, "/api/v1/recall", {"message": "Where in Porto do I live?"})
    get(alice_client, reverse("memory:search"), q="Porto")


def test_operations_accept_hostile_text(client, furniture, subtests):
    seen = set()
    for operation in operations():
        made = (operation.address, operation.query, operation.body)
        url, query, body = (make(furniture.ids) for make in made)
        for name in WORST:
            for field, value in with_text(operation.body_schema, HOSTILE[name]):
                if len(str(value)) > SHORT or name == WORST[-1]:
                    with subtests.test(operation.id, field=field, text=name), limited_and_undone():
                        seen.add(send(client, operation.method, url, body | {field: value}).status_code)
        for field, value in with_text(operation.query_schema, HOSTILE[WORST[-1]]):
            with subtests.test(operation.id, field=field), limited_and_undone():
                seen.add(client.get(url, query | {field: value}).status_code)
    assert {200, 201} <= seen <= {200, 201, 409, *REFUSED}


def test_page_forms_accept_hostile_text(alice, alice_client, objects, subtests):
    alice_client.post("/accounts/sign-in/", {"login": alice.email, "password": "alice-password-1"})
    addresses = [*(address(name, objects) for name in SHOWN), "/go/", *map("/accounts/{}".format, ACCOUNT)]
    forms = forms_on(alice_client, addresses)
    assert len(forms) > 60
    assert {"chat:import_choose", "chat:import_begin"} <= {form.name for form in forms}
    seen = {status for form in forms for status in _statuses(alice_client, form, subtests)}
    assert {200, 302, 422} <= seen <= {200, 204, 302, 303, 409, *REFUSED}


def test_models_of_an_endpoint_and_their_names_may_be_hostile(carol, carol_client, subtests):
    offered = [
        {"id": each} for each in (*(text[:120] for text in HOSTILE.values()), *map(HOSTILE.get, WORST))
    ]
    offered += [{"id": f"model {number}"} for number in range(100)]
    with OpenAIServer() as server:
        given = {"base_url": server.base_url, "key": "sk-1"}
        assert carol_client.post(MODELS, given).status_code == 302
        server.script(Behaviour(endpoint="models", body={"data": offered}))
        with time_limit():
            carol_client.post(reverse("chat:test_endpoint"))
        with tenant(carol.id):
            assert len(ModelEndpoint.objects.get().offered) > 100
        get(carol_client, MODELS)
        forms = [form for form in forms_on(carol_client, [MODELS]) if form.name == "chat:choose_models"]
        seen = {status for form in forms for status in _statuses(carol_client, form, subtests)}
    assert seen == {302, 422}


@pytest.mark.parametrize("name", worst("JSON", "new lines", "open quotations", "tags"))
def test_hostile_text_files_are_attached_and_shown(alice, alice_client, name):
    with tenant(alice.id):
        chat = converse(alice.id, "Hi.", source=Conversation.Source.CHAT)
    fenced = HOSTILE[name][: LENGTH // 2] + "`" * (LENGTH // 2)
    for url in (reverse("chat:new"), reverse("chat:send", args=[chat.id])):
        for words, attached in (("Read.", HOSTILE[name]), ("Read.", fenced), (HOSTILE[name], "A note.")):
            files = [SimpleUploadedFile(f"{HOSTILE[name]}.txt", attached.encode()) for _ in range(2)]
            with time_limit():
                sent = alice_client.post(url, {"content": words, "attached": files})
            assert sent.status_code in {302, *REFUSED}
            if sent.status_code == 302:
                get(alice_client, sent["Location"])


def test_forms_for_visitors_accept_hostile_text(alice, settings, subtests):
    settings.EMAIL_HOST = "mail.example.org"
    forms = forms_on(Client(), map("/accounts/{}".format, VISITED))
    assert len(forms) > 3
    assert {status for form in forms for status in _statuses(Client(), form, subtests)} <= {200, 302}


def _statuses(client, form, subtests):
    """Response statuses of a form with hostile text in each field, in full and cut to the allowed length."""
    for field in form.values:
        length = form.lengths.get(field, 0)
        written = WORST if length is None or length > SHORT else ()
        for text in dict.fromkeys([HOSTILE[WORST[-1]], *(HOSTILE[name][:length] for name in written)]):
            with subtests.test(form.name, field=field, text=text[:5]), limited_and_undone():
                yield form.send(client, **{field: text}).status_code


@pytest.mark.parametrize("name", WORST)
def test_apps_cannot_slow_down_registration_and_consent(alice_client, name):
    app, hostile = public_app(), HOSTILE[name]
    for metadata in ({"client_name": hostile}, {"redirect_uris": [f"https://{hostile}"]}, {"scope": hostile}):
        with time_limit():
            assert register(**metadata).status_code in {201, *REFUSED}
    for field in authorization(app):
        with time_limit():
            answer = alice_client.get(AUTHORIZE, authorization(app, **{field: hostile}))
        assert answer.status_code in {200, 302, *REFUSED}
    for field in ("grant_type", "client_id", "code", "code_verifier", "refresh_token"):
        with time_limit():
            given = {"grant_type": "authorization_code", "client_id": app["client_id"], "code": "c"}
            assert Client().post(TOKEN, given | {field: hostile}).status_code in {401, *REFUSED}


@pytest.mark.django_db(transaction=True)
def test_mcp_tools_accept_hostile_text(client):
    pointer = "§ W-001/R-01/D-001"
    needed = {"query": "Porto", "text": "A note.", "entity": "user", "drawer": pointer, "kind": "wing"}
    for tool in TOOLS.values():
        schema = tool.description_for_clients.input_schema
        given = {name: needed[name] for name in schema.get("required", ()) if name in needed}
        for name in WORST:
            for field, value in with_text(schema, HOSTILE[name]):
                call = {"name": tool.name, "arguments": given | {field: value}}
                post(client, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})


@pytest.fixture
def endpoint(close_connections):
    before = current.configuration()
    with OpenAIServer() as running:
        current.configure(replace(before, base_url=running.base_url, chat_model="test-model"))
        yield
        current.configure(before)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", worst("open brackets"))
def test_openai_endpoints_accept_hostile_text(client, endpoint, name):
    text, hi = HOSTILE[name], {"role": "user", "content": "Hi."}
    call = {"id": text, "type": "function", "function": {"name": "look", "arguments": text}}
    for chat in (
        {"messages": [{"role": "user", "content": text}]},
        {"messages": [{"role": "system", "content": text}, {"role": "assistant", "content": text}, hi]},
        {"messages": [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "content": text}, hi]},
        {"messages": [hi], "metadata": {"conversation_id": text}},
        {"messages": [hi], "memory_context": {"project_id": text[:200]}},
        {"messages": [hi], "model": text},
    ):
        post(client, "/v1/chat/completions", {"model": "m"} | chat)
    for asked in ({"input": text}, {"instructions": text}, {"previous_response_id": text}, {"user": text}):
        post(client, "/v1/responses", {"model": "m", "input": "Hi."} | asked)
    with time_limit():
        assert client.delete(f"/v1/memory?project_id={quote(text)}").status_code in {200, *REFUSED}


@pytest.mark.parametrize("path", FORMATS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_hostile_text_in_every_format_is_read(path, tmp_path):
    """In place of the longest text of the file."""
    content = path.read_text("utf-8")
    longest = max(re.findall(r'"(?:[^"\\]|\\.)*"', content), key=len)
    for hostile in HOSTILE.values():
        html = escape(hostile) if path.suffix == ".html" else json.dumps(hostile)
        copy = tmp_path / path.name
        copy.write_text(content.replace("Bus 4." if path.suffix == ".html" else longest, html), "utf-8")
        with time_limit():
            assert list(read_entries(copy))


def test_hostile_export_is_imported(as_alice, text, tmp_path):
    now = timezone.now()
    path = tmp_path / "conversations.json"
    path.write_bytes(exported([as_exported(text[:200], by_turns([text]), key="c")]))
    with local_run(as_alice.id, path, now) as run, time_limit():
        import_file(run, path, timezone.now)
    assert Conversation.objects.count() == bool(text.strip())


def hostile_first(values):
    return lambda rows: [*(row | values for row in rows[:1]), *rows[1:]]


@pytest.mark.parametrize("name", [*WORST, "triggers"])
def test_hostile_export_is_restored(archive, bob, bob_client, name):
    texts = {"facts": ("value", "object", "location"), "skill_texts": ("worked", "failed")}
    texts |= {"drawers": ("annotation",), "agents": ("instructions",)}
    texts |= dict.fromkeys(("profile_texts", "summaries"), ("text",))
    for kind, fields in texts.items():
        archive = changed(archive, kind, hostile_first(dict.fromkeys(fields, HOSTILE[name])))
    with time_limit():
        bring(bob, archive)
    for page in ("palace", "facts", "review", "profile", "skills", "timeline", "activity"):
        get(bob_client, reverse(f"memory:{page}"))
    with tenant(bob.id), time_limit():
        recall(RecallRequest(bob.id, "Where do I live?", timezone.now(), explicit=True))
