import json
from dataclasses import replace
from uuid import UUID

import pytest

from llm import current
from llm.errors import ModelTimeout
from llm.fake_gateway import FakeChat
from memory.models import MemoryPreferences, Usage
from memory.recall.reranking import MOST_READ, rerank
from memory.recall.types import RecallRequest
from tests.drills.ledger import NOW
from tests.memory.recall.test_budget import hit

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
    order, degraded, _ = ranked('{"order": [9, 2, 0, -1, 2, "4", null, 1.5]}')
    assert (order, degraded) == ([2, 1, 3, 4], ())


@pytest.mark.parametrize(
    "reply", ["", "3, 1", "[3]", '{"order": 3}', '{"order"', ModelTimeout("Late.")]
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
