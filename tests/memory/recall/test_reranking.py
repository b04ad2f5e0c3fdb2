"""Reranking by a model, and the demotion of repeated questions."""

import json
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from uuid import UUID, uuid4

import pytest

from llm import current
from llm.configuration import LlmConfiguration
from llm.errors import ModelTimeout
from llm.openai_gateway import OpenAIGateway
from memory.models import MemoryPreferences, Usage
from memory.recall import reranking
from memory.recall.reranking import (
    MAX_RERANKED,
    REPEATED,
    demote_repeated,
    is_bare_question,
    prefer_newer,
    rerank,
)
from memory.recall.types import Ended, RecallRequest, RecallSettings
from tests.drills.ledger import NOW
from tests.fake_gateway import FakeChat
from tests.memory.recall.test_budget import hit
from tests.openai_server import Behaviour, OpenAIServer

REQUEST = RecallRequest(UUID(int=1), "What did I say?", NOW, called_at=NOW)


@pytest.fixture
def ranked(as_alice):
    """Reranks a number of hits by this reply of a model."""

    def rank(reply, count=4, scores=None, **settings):
        request = replace(REQUEST, user_id=as_alice.id, settings=RecallSettings(**settings))
        hits = [replace(hit(n), scores=(scores or {}).get(n, {})) for n in range(1, count + 1)]
        model = FakeChat([reply])
        with current.using(chat=model):
            found, degraded = rerank(request, hits)
        return [each.drawer_id.int for each in found], degraded, model

    return rank


@pytest.mark.parametrize(
    ("reply", "expected", "given"),
    [
        ('{"order": [3, 1]}', [3, 1, 2, 4], {}),
        ('{"order": [9, 2, 0, -1, 2, "4", null, 1.5, true]}', [2, 1, 3, 4], {}),
        *(
            (
                '{"order": [8, 7, 6, 5]}',
                [8, 7, 2, 6, 5, 1, 3, 4],
                {"count": 8, "scores": {2: kept}, "top_k": 3},
            )
            for kept in ({"pointer": 1.0}, {"pinned": 1.0}, {"known": 0.8})
        ),
        ('{"order": [2]}', [2, 1], {"count": 2, "scores": {1: {"known": 0.5}}, "top_k": 1}),
    ],
    ids=["selected", "invented and repeated", "pointer", "pinned", "known fact", "weak fact"],
)
def test_selected_hits_come_first_and_pointers_pins_and_strong_facts_stay(ranked, reply, expected, given):
    order, degraded, _ = ranked(reply, **given)
    assert (order, degraded) == (expected, ())


@pytest.mark.parametrize(
    "reply", ["", "3, 1", "[3]", '{"order": 3}', '{"order"', "[" * 5_000, ModelTimeout("Late.")]
)
def test_a_failed_reranking_keeps_the_order_and_is_reported_and_recorded(ranked, reply):
    order, degraded, _ = ranked(reply)
    assert order == [1, 2, 3, 4]
    assert [each.part for each in degraded] == ["rerank"]
    if isinstance(reply, str):
        row = Usage.objects.get(source="memory_rerank")
        assert (row.model, row.at) == ("anthropic/claude-haiku-4.5", NOW)


def test_only_the_best_twenty_hits_are_reranked_and_a_single_one_never(ranked):
    order, _, model = ranked('{"order": [20]}', count=25)
    assert order[0] == MAX_RERANKED
    assert len(order) == 25
    assert len(json.loads(model.requests[0].messages[-1].content)["passages"]) == MAX_RERANKED
    assert rerank(REQUEST, [hit(1)]) == ((hit(1),), ())


def test_nothing_is_reranked_once_the_budget_is_spent(ranked, as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=1)
    Usage.objects.create(user_id=as_alice.id, source="chat", model="m", cost_usd=1, at=NOW)
    order, (degraded,), model = ranked('{"order": [3]}')
    assert (order, model.requests) == ([1, 2, 3, 4], [])
    assert "budget is spent" in degraded.words


def test_reranking_requests_json_with_a_schema_and_survives_a_slow_endpoint(as_alice, monkeypatch):
    monkeypatch.setattr(reranking, "TIMEOUT_S", 0.3)
    request, hits = replace(REQUEST, user_id=as_alice.id), [hit(n) for n in range(1, 5)]
    answers = [Behaviour(json_reply={"order": [4, 2, 77]}), Behaviour(stall_s=60.0)]
    with OpenAIServer(*answers) as server:
        gateway = OpenAIGateway(LlmConfiguration(base_url=server.base_url, api_key="k"))
        with current.using(chat=gateway):
            found, degraded = rerank(request, hits)
            started = monotonic()
            unchanged, (lost,) = rerank(request, hits)
    assert ([each.drawer_id.int for each in found], degraded) == ([4, 2, 1, 3], ())
    assert (list(unchanged), lost.part) == (hits, "rerank")
    assert monotonic() - started < 40
    sent_request = server.received("chat")[0]
    assert sent_request.body["model"] == "anthropic/claude-haiku-4.5"
    assert sent_request.body["response_format"]["json_schema"]["schema"] == reranking.SCHEMA
    assert Usage.objects.filter(source="memory_rerank", input_tokens__gt=0).exists()


def saying(text, role="user", **changes):
    """A hit with these words."""
    return replace(hit(uuid4().int % 1_000_000), text=text, role=role, **{"scores": {}} | changes)


def demoted(message, *hits):
    return demote_repeated(RecallRequest(uuid4(), message, NOW), hits)


@pytest.mark.parametrize(
    ("newer", "first"),
    [
        ({}, "new"),
        ({"score": 0.3}, "old"),
        ({"said_at": NOW - timedelta(days=2)}, "old"),
        ({"scores": {"known": 0.2}}, "old"),
    ],
)
def test_an_outdated_hit_follows_a_newer_one_that_matches_nearly_as_well(newer, first):
    past, ended = NOW - timedelta(days=1), (Ended("You live in Seville.", NOW),)
    old = saying("old", scores={"known": 0.5}, score=0.9, said_at=past, ended=ended)
    new = saying("new", **{"score": 0.6, "said_at": NOW, "scores": {"known": 0.6}} | newer)
    other = saying("other", score=0.95, said_at=past)
    assert prefer_newer((other, old, new))[:2] == (other, new if first == "new" else old)


def test_an_earlier_identical_question_is_left_out_with_a_reason():
    echo, answer = saying("what is my favourite TEA"), saying("My favourite tea is genmaicha.")
    kept, cut = demoted("What is my favourite tea?", echo, answer)
    assert kept == (answer,)
    assert [(each.drawer_id, each.why) for each in cut] == [(echo.drawer_id, REPEATED)]
    quoted = saying("What is my favourite tea?", role="assistant")
    assert demoted("What is my favourite tea?", quoted) == ((quoted,), ())


def test_duplicate_texts_are_quoted_once():
    first, moved_on = saying("I moved to Porto in May."), saying("I moved to Lisbon in May.")
    again = saying("i moved to  Porto, in May!", role="assistant")
    kept, cut = demoted("Where do I live?", first, again, moved_on)
    assert kept == (first, moved_on)
    assert [(each.drawer_id, each.stage) for each in cut] == [(again.drawer_id, "copy")]
    long = "I moved to Porto. " * 500
    assert demoted("Porto", saying(long), saying(long), saying(long.upper()))[1][0].stage == "copy"
    assert len(demoted("Porto", saying("…"), saying("!!"))[0]) == 2


def test_bare_questions_of_the_user_come_after_statements_in_order():
    one, two = saying("Where can I buy tea?"), saying("Is green tea good?")
    stated = saying("I drink genmaicha every evening.")
    assert demoted("tea", one, two, stated)[0] == (stated, one, two)
    assert is_bare_question(saying("你最喜欢什么茶？"))
    for other in (
        saying("I moved to Porto. Which tea shop is good there?"),
        saying("Which tea?", role="assistant"),
        saying("Which tea?", scores={"pointer": 1.0}),
        saying("word " * 60 + "?"),
    ):
        assert not is_bare_question(other)
