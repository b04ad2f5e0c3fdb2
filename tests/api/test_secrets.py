"""Sixty secrets said in chats are readable only by their owner."""

import json
import logging
from contextlib import contextmanager
from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from api.mcp.server import TOOLS, _use
from api.webhooks.events import MINED, events_since, payload_of
from chat.conversations import Choices, start
from chat.models import Conversation
from chat.replies.jobs import send_message
from chat.search import excerpts, search_chats
from llm import current
from memory.consolidation.application import consolidate
from memory.models import Drawer, Entity, Fact, RecallTrace, Relation, Summary
from memory.outgoing import Outgoing
from memory.preferences import preferences_of
from memory.projections.profile import prose_of
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest, settings_from
from tests.api.conftest import api_client, send
from tests.chat.following import write
from tests.conftest import create_user, signed_in
from tests.drills.ledger import NOW, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, edge, stated
from tests.memory.text.planted import SECRETS
from transfer.exporting.markdown import pages

SENTENCES = [sentence.format(secret) for _, sentence, secret in SECRETS]
QUESTIONS = ("What is my password?", "Which IBAN and which recovery codes do I have?", "My PIN?")
PER_CHAT = 6


def echo(request):
    """The reply of a model that repeats everything it reads."""
    return "\n".join(message.content for message in request.messages)


def gullible_answer(request):
    """The reply of a model that extracts every line it reads as a fact."""
    lines = [line.strip() for line in request.messages[-1].content.splitlines() if len(line) > 10]
    turns = [f"t{number}" for number in range(1, 10)]
    quotes = [(turn, line) for turn in turns for line in lines[-40:]]
    facts = [stated(turn=turn, value=line, object=line, statement=line, quote=line) for turn, line in quotes]
    return answer(facts=facts, relations=[edge(turn=turn, object=line, quote=line) for turn, line in quotes])


@contextmanager
def gullible():
    """Use a gullible model and an embedder; both record their input."""
    model, embedder = FakeChat(answer=gullible_answer), FakeEmbedder(sentences=True)
    with current.using(chat=model, embedder=embedder):
        yield model, embedder


@pytest.fixture(scope="module")
def palace(world):
    """A palace with all secrets, half of it mined by the built-in reader, and the fakes with their input."""
    alice = create_user("alice")
    with tenant(alice.id), gullible() as (model, embedder):
        for number in range(0, len(SENTENCES), PER_CHAT):
            said = SENTENCES[number : number + PER_CHAT]
            words = [each for sentence in said for each in (sentence, "Noted, thanks.")]
            at = NOW - timedelta(days=60 - number)
            converse(alice.id, *words, at=at, title=SENTENCES[number], project="Home" if number % 4 else "")
            if number == len(SENTENCES) // 2:
                with current.using(embedder=embedder, chat=None):
                    mine(alice.id)
        mine(alice.id)
        consolidate(alice.id, NOW)
    return alice, model, embedder


@pytest.fixture
def alice(palace, db):
    return palace[0]


def traces_of(sentence, secret):
    """Strings that give a secret away: its lines or, since any four digits may occur by chance, a short
    secret with the words next to it."""
    if len(secret) > 4:
        return [line for line in secret.splitlines() if "----" not in line]
    before, after = sentence.split("{}")
    return [before[-10:] + secret, secret + after[:10]] if len(after) > 1 else [before[-10:] + secret]


def leaked(*texts):
    """The secrets that one of the texts gives away."""
    text = "\n".join(each if isinstance(each, str) else repr(each) for each in texts)
    return {secret for _, said, secret in SECRETS if any(each in text for each in traces_of(said, secret))}


def test_only_drawers_of_the_palace_contain_secrets(as_alice, palace):
    assert leaked(*SENTENCES) == {secret for _, _, secret in SECRETS}
    assert leaked("8305 people", "PIN 739") == set()
    assert set(Drawer.objects.filter(role="user").values_list("content", flat=True)) == set(SENTENCES)
    kept = [list(each.objects.values_list()) for each in (Fact, Relation, Entity, Summary)]
    tags = Drawer.objects.values_list(
        "people", "places", "events", "items", "times", "closet__name", "wing__name"
    )
    assert Fact.objects.exists()
    assert leaked(kept, list(tags), prose_of(as_alice.id, NOW).text) == set()
    assert not Fact.objects.filter(statement__contains="█").exists()
    _, model, embedder = palace
    assert model.requests
    assert embedder.embedded
    assert leaked(model.requests, embedder.embedded) == set()


def test_mining_that_fails_with_secrets_in_its_error_logs_none(as_alice, palace, caplog):
    def broken(request):
        raise ValueError(*SENTENCES)

    converse(as_alice.id, *SENTENCES[:PER_CHAT], title=SENTENCES[0])
    with current.using(chat=FakeChat(answer=broken), embedder=FakeEmbedder()):
        mine(as_alice.id)
    assert "window failed" in caplog.text
    assert leaked(caplog.text) == set()


def test_blocks_prompts_replies_traces_and_logs_contain_no_secret(as_alice, palace, caplog):
    caplog.set_level(logging.DEBUG)
    settings = settings_from(preferences_of(as_alice.id))
    hits = []
    with gullible() as (model, _):
        for sentence in SENTENCES:
            found = recall(RecallRequest(as_alice.id, sentence, NOW, settings=settings, explicit=True))
            hits += found.hits
            assert leaked(found.block, found.profile, [hit.text for hit in found.hits]) == set()
    replies = []
    with current.using(chat=FakeChat(answer=echo), embedder=FakeEmbedder(sentences=True)):
        for question in QUESTIONS:
            chat = start(as_alice.id, Choices(), NOW)
            _, generation = send_message(chat, question, NOW)
            replies.append(write(generation, NOW).content)
    assert "hidden]" in "".join(replies)
    assert leaked(model.requests, replies) == set()
    assert len({hit.drawer_id for hit in hits}) > 50
    assert any("hidden]" in hit.text for hit in hits)
    traces = [(trace.trace, trace.hits) for trace in RecallTrace.objects.all()]
    assert traces
    assert leaked(traces, caplog.text) == set()


def test_webhooks_excerpts_and_readable_exports_contain_no_secret(as_alice, palace):
    events = list(events_since(as_alice.id, (MINED,), NOW - timedelta(days=90)))
    payloads = [payload_of(as_alice.id, event.kind, event.subject_id) for event in events]
    assert payloads
    lines = []
    for word in ("password", "PIN", "IBAN", "codes", "Stripe"):
        chats = list(search_chats(as_alice.id, word)[:50])
        Conversation.objects.update(title="A chat")
        lines += excerpts(as_alice.id, chats, word).values()
    read = ["".join(text) for _, text in pages(as_alice.id)]
    assert any("[password hidden]" in text for text in read)
    assert leaked(payloads, lines, read) == set()


def test_rest_responses_contain_no_secret(palace, alice):
    caller = api_client(alice)
    with tenant(alice.id):
        drawers = list(Drawer.objects.filter(role="user"))
        rooms = {drawer.room_id for drawer in drawers}
        chats = [chat.id for chat in Conversation.objects.all()]
    paths = ["conversations", "facts", "relations", "entities", "wings", "timeline", "profile", "insights"]
    paths += [f"drawers/{drawer.id}" for drawer in drawers] + [f"rooms/{room}/drawers" for room in rooms]
    paths += [f"conversations/{chat}/messages" for chat in chats]
    answers = [caller.get(f"/api/v1/{path}") for path in paths]
    assert {each.status_code for each in answers} == {200}
    bodies = [each.json() for each in answers]
    with gullible():
        for path, body in (("search", "query"), ("recall", "message")):
            bodies.append(send(caller, "POST", f"/api/v1/{path}", {body: SENTENCES[0]}).json())
    assert leaked(*map(repr, bodies)) == set()
    assert leaked(*(json.dumps(each, ensure_ascii=False) for each in bodies)) == set()


def test_secrets_revealed_by_their_owner_are_readable(palace, alice):
    caller, pages_of = api_client(alice), signed_in(alice)
    with tenant(alice.id):
        drawers = list(Drawer.objects.filter(role="user"))
    opened = next(drawer for drawer in drawers if "Sunfl0wer-Tango" in drawer.content)
    page = pages_of.get(f"/memory/drawers/{opened.id}/")
    assert "Sunfl0wer-Tango" in page.content.decode()
    assert "[password hidden]" in page.content.decode()
    with tenant(alice.id):
        pages_of.post(f"/memory/drawers/{opened.id}/secrets/", {"on": "1"})
    assert caller.get(f"/api/v1/drawers/{opened.id}").json()["content"] == opened.content
    with tenant(alice.id), gullible():
        found = recall(RecallRequest(alice.id, SENTENCES[0], NOW, explicit=True))
        assert "Sunfl0wer-Tango" in found.block
        assert leaked(found.block) == {"Sunfl0wer-Tango"}
    others = [caller.get(f"/api/v1/drawers/{each.id}").json() for each in drawers if each != opened]
    assert leaked(*map(repr, others)) == set()
    pages_of.post(f"/memory/drawers/{opened.id}/secrets/", {"on": "0"})
    assert "Sunfl0wer" not in caller.get(f"/api/v1/drawers/{opened.id}").content.decode()


def test_mcp_tools_return_no_secret(as_alice, palace):
    def use(tool, **given):
        found = _use(as_alice.id, TOOLS[tool], given, NOW)
        return found if isinstance(found, str) else f"{found.text}\n{found.plain}"

    drawers = list(Drawer.objects.filter(role="user"))
    with gullible():
        bodies = [use("recall_memory", query=sentence) for sentence in SENTENCES[::5]]
    bodies += [use("read_drawer", drawer=str(drawer.id)) for drawer in drawers]
    bodies += [use("browse", room_id=str(room)) for room in {drawer.room_id for drawer in drawers}]
    bodies += [use("browse"), use("facts"), use("graph"), use("timeline")]
    assert "[card number hidden]" in "".join(bodies)
    assert leaked(*bodies) == set()
    given = {"id": "abcd4111-1111-1111-1111-aaaaaaaaaaaa", "text": "My card is 4111 1111 1111 1111."}
    hidden = Outgoing(as_alice.id).plain([given])
    assert hidden == [given | {"text": "My card is [card number hidden]."}], "only ids resemble cards"
