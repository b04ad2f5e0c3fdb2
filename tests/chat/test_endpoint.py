"""Mining through the official client against an endpoint that misbehaves on request."""

import json
from dataclasses import replace
from datetime import timedelta

from llm import current
from llm.configuration import LlmConfiguration
from llm.embedding_models import remote_model
from llm.fake_gateway import FakeChat, FakeEmbedder
from llm.openai_embedder import OpenAIEmbedder
from memory.mining import pipeline
from memory.mining.progress import RETRIES, try_again
from memory.models import (
    ActivityEvent,
    Drawer,
    Fact,
    MemoryPreferences,
    MiningProgress,
    Relation,
    Usage,
)
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from memory.search.embedding_backfill import affordable, backfill, waiting
from tests.chat.endpoints import GOOD, WORDS, event, methods, progress
from tests.drills.ledger import NOW, converse, mine
from tests.memory.mining.answers import answer, edge, placed, stated
from tests.openai_server import Behaviour


def test_a_valid_answer_is_filed(as_alice, server, clock):
    server.script(Behaviour(text=GOOD))
    converse(as_alice.id, *WORDS)
    assert mine(as_alice.id, clock).windows == 1
    assert methods(as_alice) == ["model"]
    fact = Fact.objects.get(user_id=as_alice.id)
    assert (fact.statement, fact.mined_by, fact.status) == (
        "The user lives in Zürich.", "model", "active",
    )  # fmt: skip
    source = fact.sources.get()
    assert source.drawer.content[source.start : source.end] == "I live in Zürich"
    assert Relation.objects.get(user_id=as_alice.id).object.name == "Zürich"
    assert Usage.objects.get(user_id=as_alice.id, source="memory_extract").output_tokens > 0
    assert len(server.received("chat")) == 1


def test_an_unreadable_answer_is_repaired_once(as_alice, server, clock):
    server.script(Behaviour(text='{"wing": {"kind": "topic"'), Behaviour(text=GOOD))
    converse(as_alice.id, *WORDS)
    mine(as_alice.id, clock)
    assert methods(as_alice) == ["model"]
    assert len(server.received("chat")) == 2
    assert Usage.objects.filter(source="memory_extract").count() == 2


def test_after_one_repair_the_rules_do_it(as_alice, server, clock):
    server.script(*[Behaviour(text="Sure! Here is what I found.")] * 2)
    converse(as_alice.id, *WORDS)
    assert mine(as_alice.id, clock).windows == 1
    assert methods(as_alice) == ["rules"]
    assert len(server.received("chat")) == 2
    assert "repair" in event(as_alice).details["notes"][0]
    assert Fact.objects.filter(user_id=as_alice.id, mined_by="rules").exists()


def test_bad_items_are_refused_one_by_one_and_the_rest_is_kept(as_alice, server, clock):
    bad = [
        stated(turn="t9"),
        stated(quote="I own a yacht"),
        stated(statement="The user has a cat.", key="pet", quote="with my cat", shoe_size=44),
        stated(confidence=7),
    ]
    cats = [
        stated(
            key=f"cat_{n}", value=str(n), statement=f"The user has cat number {n}.",
            predicate="has_cat", object=str(n), quote="with my cat", single_valued=False,
        )
        for n in range(50)
    ]  # fmt: skip
    server.script(
        Behaviour(
            text=answer(
                turns=[placed(), placed("t77")],
                facts=[stated(), *bad, *cats],
                relations=[edge(quote="never said"), edge(turn="t5"), edge()],
            )
        )
    )
    converse(as_alice.id, *WORDS)
    mine(as_alice.id, clock)
    statements = set(Fact.objects.values_list("statement", flat=True))
    assert "The user lives in Zürich." in statements
    assert len(statements) == 10
    assert "The user has a cat." not in statements
    assert Relation.objects.filter(user_id=as_alice.id).count() == 1
    refused = event(as_alice).details["refused"]
    assert len(refused) >= 4
    assert all(entry["reason"] for entry in refused)
    told = json.dumps(refused, ensure_ascii=False)
    assert "yacht" not in told


def test_nothing_said_reaches_the_log(as_alice, server, clock, caplog, capsys):
    server.script(Behaviour(status=500), Behaviour(status=401))
    converse(as_alice.id, *WORDS)
    mine(as_alice.id, clock)
    clock.move(minutes=1)
    mine(as_alice.id, clock)
    out = capsys.readouterr()
    assert "Zürich" not in caplog.text + out.out + out.err


def test_an_unexpected_error_is_recorded_and_the_others_go_on(as_alice, clock):
    """The first chat breaks its reader each time, the second is fine."""

    def reads(request):
        if "Unlucky" in request.messages[-1].content:
            raise ZeroDivisionError("Unlucky words")
        return GOOD

    unlucky = converse(as_alice.id, "Unlucky words.", "Oh.", at=NOW - timedelta(days=60))
    converse(as_alice.id, *WORDS)
    with current.using(chat=FakeChat(answer=reads), embedder=FakeEmbedder()):
        done = mine(as_alice.id, clock)
        assert (done.windows, done.failures) == (1, 1)
        assert Drawer.objects.count() == 2
        job = MiningProgress.objects.get(source_id=unlucky.id)
        assert (job.state, job.error, job.attempts) == ("retrying", "ZeroDivisionError", 1)
        for _ in range(RETRIES):
            clock.move(minutes=2)
            mine(as_alice.id, clock)
        job.refresh_from_db()
        assert job.state == "dead"
        clock.move(days=1)
        assert mine(as_alice.id, clock).failures == 0
    told = ActivityEvent.objects.get(kind="mining_failed")
    assert (told.subject_id, told.details) == (unlucky.id, {"error": "ZeroDivisionError"})
    try_again(job, clock())
    with current.using(chat=FakeChat([GOOD]), embedder=FakeEmbedder()):
        assert mine(as_alice.id, clock).windows == 1
    assert Drawer.objects.count() == 4


def test_the_model_sees_the_turns_before_the_window(as_alice, clock):
    words = [f"Sentence number {n} about sailing." for n in range(12)]
    model = FakeChat([GOOD, GOOD])
    converse(as_alice.id, *words)
    with current.using(chat=model, embedder=FakeEmbedder()):
        mine(as_alice.id, clock)
    prompts = [request.messages[-1].content for request in model.requests]
    assert "<earlier>" not in prompts[0]
    before = prompts[1].partition("<earlier>")[2].partition("</earlier>")[0]
    assert "number 6" in before
    assert "number 7" in before
    assert "number 8" not in before


def test_money_is_booked_even_when_filing_fails_and_once_for_each_call(as_alice, server, clock, monkeypatch):
    """The first filing breaks; the window is read again, which is a second call and a second row."""
    file_window, broken = pipeline.file_window, [ZeroDivisionError("broken")]

    def sometimes(span, now):
        if broken:
            raise broken.pop()
        return file_window(span, now)

    monkeypatch.setattr(pipeline, "file_window", sometimes)
    server.script(Behaviour(text=GOOD), Behaviour(text=GOOD))
    converse(as_alice.id, *WORDS)
    assert mine(as_alice.id, clock).failures == 1
    assert not Drawer.objects.exists()
    (first,) = Usage.objects.filter(source="memory_extract")
    assert first.job_id == progress(as_alice).id
    assert first.cost_usd > 0
    clock.move(minutes=1)
    assert mine(as_alice.id, clock).windows == 1
    assert Usage.objects.filter(source="memory_extract").count() == len(server.received("chat")) == 2
    clock.move(minutes=1)
    mine(as_alice.id, clock)
    assert Usage.objects.filter(source="memory_extract").count() == 2


def test_a_budget_that_is_spent_leaves_the_window_to_the_rules_and_vectors_to_later(as_alice, server, clock):
    configuration = replace(LlmConfiguration(), base_url=server.base_url, api_key="k")
    paid = OpenAIEmbedder(configuration, remote_model("text-embedding-3-small"))
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=1)
    Usage.objects.create(user_id=as_alice.id, source="chat", model="m", cost_usd=1, at=NOW)
    converse(as_alice.id, *WORDS)
    with current.using(embedder=paid):
        assert mine(as_alice.id, clock).windows == 1
        assert server.requests == []
        assert methods(as_alice) == ["rules"]
        assert "budget is spent" in event(as_alice).details["notes"][0]
        assert waiting(as_alice.id) == 2
        assert not affordable(as_alice.id, NOW)
        found = recall(RecallRequest(as_alice.id, "Where does my cat live?", NOW, called_at=NOW))
        assert "Zürich" in found.block
        assert "budget is spent" in found.trace.degraded[0].words
        april = NOW + timedelta(days=31)
        assert affordable(as_alice.id, april)
        assert backfill(as_alice.id, 10, april) == 2
        assert waiting(as_alice.id) == 0
