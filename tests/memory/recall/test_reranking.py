import json
from dataclasses import replace
from time import monotonic
from uuid import UUID

import pytest

from llm import current
from llm.configuration import LlmConfiguration
from llm.errors import ModelTimeout
from llm.fake_gateway import FakeChat
from llm.openai_gateway import OpenAIGateway
from memory.models import MemoryPreferences, Usage
from memory.recall import reranking
from memory.recall.reranking import MOST_READ, rerank
from memory.recall.types import RecallRequest, RecallSettings
from tests.drills.ledger import NOW
from tests.memory.recall.test_budget import hit
from tests.openai_server import Behaviour, OpenAIServer

REQUEST = RecallRequest(UUID(int=1), "What did I say?", NOW, called_at=NOW)


@pytest.fixture
def ranked(as_alice):
    """Ranks a number of hits by what a model replies."""
    request = replace(REQUEST, user_id=as_alice.id)

    def rank(reply, count=4):
        model = FakeChat([reply])
        with current.using(chat=model):
            hits, degraded = rerank(request, [hit(n) for n in range(1, count + 1)])
        return [each.drawer_id.int for each in hits], degraded, model

    return rank


def test_what_the_reader_chose_comes_first_and_the_rest_keeps_its_order(ranked):
    order, degraded, _ = ranked('{"order": [3, 1]}')
    assert (order, degraded) == ([3, 1, 2, 4], ())


def test_numbers_it_invents_or_repeats_are_ignored(ranked):
    order, degraded, _ = ranked('{"order": [9, 2, 0, -1, 2, "4", null, 1.5, true]}')
    assert (order, degraded) == ([2, 1, 3, 4], ())


@pytest.mark.parametrize(
    "reply",
    ["", "3, 1", "[3]", '{"order": 3}', '{"order"', "[" * 5_000, ModelTimeout("Late.")],
)
def test_its_failure_keeps_the_order_and_is_told(ranked, reply):
    order, degraded, _ = ranked(reply)
    assert order == [1, 2, 3, 4]
    assert [each.part for each in degraded] == ["rerank"]


def test_it_reads_the_best_twenty_and_the_words_as_data(ranked):
    order, _, model = ranked('{"order": [20]}', count=25)
    assert order[0] == MOST_READ
    assert len(order) == 25
    told = json.loads(model.requests[0].messages[-1].content)
    assert len(told["passages"]) == MOST_READ


def test_one_hit_needs_no_reader():
    only = replace(hit(1))
    assert rerank(REQUEST, [only]) == ((only,), ())


def test_each_reading_is_paid_for_even_when_it_cannot_be_read(ranked):
    ranked("I would say the third.")
    row = Usage.objects.get(source="memory_rerank")
    assert (row.model, row.at) == ("anthropic/claude-haiku-4.5", NOW)


def test_a_spent_budget_leaves_the_reader_out(ranked, as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=1)
    Usage.objects.create(user_id=as_alice.id, source="chat", model="m", cost_usd=1, at=NOW)
    order, (degraded,), model = ranked('{"order": [3]}')
    assert (order, model.requests) == ([1, 2, 3, 4], [])
    assert "budget is spent" in degraded.words


@pytest.mark.parametrize("scores", [{"pointer": 1.0}, {"pinned": 1.0}, {"relation": 0.8}])
def test_what_must_stay_in_sight_stays_among_the_first(as_alice, scores):
    settings = RecallSettings(top_k=3)
    request = replace(REQUEST, user_id=as_alice.id, settings=settings)
    hits = [hit(n) for n in range(1, 9)]
    hits[1] = replace(hits[1], scores=scores)
    with current.using(chat=FakeChat(['{"order": [8, 7, 6, 5]}'])):
        order = [each.drawer_id.int for each in rerank(request, hits)[0]]
    assert order == [8, 7, 2, 6, 5, 1, 3, 4]


def test_a_vague_relation_gives_way_to_what_the_reader_chose(as_alice):
    request = replace(REQUEST, user_id=as_alice.id, settings=RecallSettings(top_k=1))
    hits = [replace(hit(1), scores={"relation": 0.5}), hit(2)]
    with current.using(chat=FakeChat(['{"order": [2]}'])):
        assert [each.drawer_id.int for each in rerank(request, hits)[0]] == [2, 1]


@pytest.fixture
def over_the_wire(as_alice, monkeypatch):
    """Ranks four hits by what an endpoint answers; a model has a third of a second."""
    monkeypatch.setattr(reranking, "TIMEOUT_S", 0.3)
    request = replace(REQUEST, user_id=as_alice.id)

    def rank(behaviour):
        with OpenAIServer(behaviour) as server:
            configuration = LlmConfiguration(base_url=server.base_url, api_key="k")
            with current.using(chat=OpenAIGateway(configuration)):
                hits, degraded = rerank(request, [hit(n) for n in range(1, 5)])
        return [each.drawer_id.int for each in hits], degraded, server

    return rank


def test_an_endpoint_is_asked_for_json_of_the_schema_and_its_order_holds(over_the_wire):
    order, degraded, server = over_the_wire(Behaviour(json_reply={"order": [4, 2, 77]}))
    assert (order, degraded) == ([4, 2, 1, 3], ())
    (asked,) = server.received("chat")
    assert asked.body["model"] == "anthropic/claude-haiku-4.5"
    assert asked.body["response_format"]["json_schema"]["schema"] == reranking.SCHEMA
    row = Usage.objects.get(source="memory_rerank")
    assert row.input_tokens > 0
    assert row.calls == 1


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(status=400),
        Behaviour(raw="<html>"),
        Behaviour(text="The third one."),
        Behaviour(stall_s=60.0),
    ],
    ids=["refused", "no json", "prose", "slow"],
)
def test_an_endpoint_that_fails_keeps_the_order_in_good_time_and_is_told(over_the_wire, behaviour):
    started = monotonic()
    order, (lost,), _ = over_the_wire(behaviour)
    assert order == [1, 2, 3, 4]
    assert lost.part == "rerank"
    assert monotonic() - started < 40
