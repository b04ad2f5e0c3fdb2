"""Mining with the official client and an endpoint with scripted failures."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.urls import reverse

from chat.mining.run import due_conversations
from chat.mining.status import mining_status_of
from llm import current
from llm.configuration import LlmConfiguration
from llm.embedding_models import remote_model
from llm.openai_embedder import OpenAIEmbedder
from memory.mining import pipeline
from memory.mining.progress import BACKOFF, RETRIES, retry_failed
from memory.models import (
    ActivityEvent,
    Drawer,
    Fact,
    MemoryPreferences,
    MinedWindow,
    MiningProgress,
    Relation,
    Usage,
)
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from memory.search.embedding_backfill import affordable, backfill, waiting
from tests.drills.ledger import NOW, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.html import check_page
from tests.memory.mining.answers import answer, edge, stated
from tests.openai_server import Behaviour

WORDS = ("I live in Zürich with my cat.", "Lovely.")
GOOD = answer(facts=[stated()], relations=[edge()])


@pytest.fixture
def chat(as_alice):
    return converse(as_alice.id, *WORDS)


def progress():
    return MiningProgress.objects.get()


def methods():
    return list(MinedWindow.objects.values_list("method", flat=True))


def notes():
    return ActivityEvent.objects.get(kind="memory_mined").details.get("notes") or [""]


def calls():
    return Usage.objects.filter(source="memory_extract")


def test_unexpected_error_is_recorded_and_other_chats_are_mined(as_alice, clock):
    """Extraction of the first chat always fails; the second is fine."""

    def reads(request):
        if "Unlucky" in request.messages[-1].content:
            raise ZeroDivisionError("Unlucky words")
        return GOOD

    unlucky = converse(as_alice.id, "Unlucky words.", "Oh.", at=NOW - timedelta(days=60))
    converse(as_alice.id, *WORDS)
    with current.using(chat=FakeChat(answer=reads), embedder=FakeEmbedder()):
        for attempt in range(RETRIES + 2):
            done = mine(as_alice.id, clock)
            assert (done.windows, done.failures) == (int(attempt == 0), int(attempt <= RETRIES))
            clock.move(minutes=2)
    job = MiningProgress.objects.get(source_id=unlucky.id)
    assert (job.state, job.error, Drawer.objects.count()) == ("dead", "ZeroDivisionError", 2)
    event = ActivityEvent.objects.get(kind="mining_failed")
    assert (event.subject_id, event.details) == (unlucky.id, {"error": "ZeroDivisionError"})
    retry_failed(job, clock())
    with current.using(chat=FakeChat([GOOD]), embedder=FakeEmbedder()):
        assert mine(as_alice.id, clock).windows == 1


def test_each_model_call_is_recorded_once_even_if_filing_fails(as_alice, chat, server, clock, monkeypatch):
    """The first filing fails; the retry is a second call and a second usage row."""
    file_window, broken = pipeline.file_window, [ZeroDivisionError("broken")]

    def fail_once(span, now):
        if broken:
            raise broken.pop()
        return file_window(span, now)

    monkeypatch.setattr(pipeline, "file_window", fail_once)
    server.script(Behaviour(text=GOOD), Behaviour(text=GOOD))
    assert mine(as_alice.id, clock).failures == 1
    assert not Drawer.objects.exists()
    (first,) = calls()
    assert first.job_id == progress().id
    assert first.cost_usd > 0
    for windows in (1, 0):
        clock.move(minutes=1)
        assert mine(as_alice.id, clock).windows == windows
        assert calls().count() == len(server.received("chat")) == 2


def test_spent_budget_falls_back_to_the_reader_and_postpones_vectors(as_alice, chat, server, clock):
    configuration = replace(LlmConfiguration(), base_url=server.base_url, api_key="k")
    paid = OpenAIEmbedder(configuration, remote_model("text-embedding-3-small"))
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=1)
    Usage.objects.create(user_id=as_alice.id, source="chat", model="m", cost_usd=1, at=NOW)
    with current.using(embedder=paid):
        assert mine(as_alice.id, clock).windows == 1
        assert (server.requests, methods()) == ([], ["reader"])
        assert "budget is spent" in notes()[0]
        assert MinedWindow.objects.get().reason == MinedWindow.Reason.BUDGET
        assert (waiting(as_alice.id), affordable(as_alice.id, NOW)) == (2, False)
        found = recall(RecallRequest(as_alice.id, "Where does my cat live?", NOW, called_at=NOW))
        assert "Zürich" in found.block
        assert "budget is spent" in found.trace.degraded[0].words
        april = NOW + timedelta(days=31)
        assert affordable(as_alice.id, april)
        assert (backfill(as_alice.id, 10, april), waiting(as_alice.id)) == (2, 0)


@pytest.mark.parametrize(
    ("behaviour", "pause"),
    [
        (Behaviour(status=429), BACKOFF[0]),
        (Behaviour(status=429, retry_after="45"), timedelta(seconds=45)),
        (Behaviour(status=503), BACKOFF[0]),
        (Behaviour(stall_s=2.5), BACKOFF[0]),
    ],
    ids=["rate limited", "long rate limit", "503", "stalled"],
)
def test_temporary_failure_is_retried_after_a_pause(
    as_alice, chat, server, clock, caplog, capsys, behaviour, pause
):
    server.script(behaviour, Behaviour(text=GOOD))
    assert mine(as_alice.id, clock).failures == 1
    assert (progress().state, progress().next_attempt_at) == ("retrying", NOW + pause)
    asks_to_wait = "asked Palace to wait" in mining_status_of(chat, clock()).words
    assert asks_to_wait is (behaviour.status == 429)
    assert not Drawer.objects.exists()
    clock.move(seconds=pause.total_seconds() - 1)
    assert mine(as_alice.id, clock).windows == 0
    clock.move(seconds=1)
    assert mine(as_alice.id, clock).windows == 1
    assert methods() == ["model"]
    assert (progress().state, progress().attempts) == ("ready", 0)
    fact = Fact.objects.get()
    assert (fact.statement, fact.mined_by, fact.status) == ("The user lives in Zürich.", "model", "active")
    assert Relation.objects.get().object.name == "Zürich"
    out = capsys.readouterr()
    assert "Zürich" not in caplog.text + out.out + out.err


@pytest.mark.parametrize(
    ("failures", "method", "note"),
    [
        ([500] * RETRIES, "model", ""),
        ([500] * (RETRIES + 1), "reader", "model was unavailable"),
        ([401], "reader", "The model endpoint does not accept the key (401)."),
    ],
    ids=["the last retry succeeds", "every retry fails", "a wrong key is not tried again"],
)
def test_transient_errors_are_retried_and_a_wrong_key_is_not(
    as_alice, alice_client, chat, server, clock, failures, method, note
):
    server.script(*[Behaviour(status=status) for status in failures], Behaviour(text=GOOD))
    asked = 1 if failures == [401] else RETRIES + 1
    for _ in range(asked):
        mine(as_alice.id, clock)
        clock.move(minutes=5)
    assert len(server.received("chat")) == asked
    assert (methods(), progress().attempts) == ([method], 0)
    assert note in notes()[0]
    assert not due_conversations(as_alice.id, clock()).exists()
    if failures == [401]:
        html = check_page(alice_client.get(reverse("memory:health")))
        assert note in html
        assert reverse("chat:models") in html
