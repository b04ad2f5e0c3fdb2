"""Traces as their owner reads them."""

from datetime import date

import pytest

from accounts.owned import NotFound
from memory.forgetting import trash
from memory.models import RecallTrace
from memory.pages.search.traces import trace_of, trace_view
from memory.recall.pipeline import recall
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import RecallRequest, RecallSettings
from tests.memory.palaces import MONDAY, file

BREAD = [f"My rye starter number {number} is sour." for number in range(8)]


pytestmark = pytest.mark.usefixtures("embedder")


def searched(user, message="How sour is my rye starter?", **settings):
    chosen = RecallSettings(time_limit_ms=5_000, **settings)
    found = recall(RecallRequest(user.id, message, MONDAY, settings=chosen))
    return trace_view(user.id, trace_as_json(found.trace), [hit_as_json(hit) for hit in found.hits])


def test_everything_found_is_used_or_has_a_reason(as_alice):
    file(as_alice.id, BREAD)
    trace = searched(as_alice, 'What did I say about my sour "rye starter" in April 2024?', top_k=3)
    assert [each.recalled for each in trace.considered].count(True) == 3
    left = [each for each in trace.considered if not each.recalled]
    assert {str(each.stage) for each in left} == {"Over the limit"}
    assert trace.left_out == {left[0].left_out: tuple(left)}
    assert all(each.bars for each in trace.considered)
    assert (trace.query["first"], trace.query["last"]) == (date(2024, 4, 1), date(2024, 4, 30))
    assert str(trace.retrievers[0].name) == "Embedding your message"

    for message, settings, stage in (
        ("How sour is my rye starter?", {"token_budget": 15}, "Over the token budget"),
        ("What of quantum chromodynamics?", {}, "Nothing similar enough"),
    ):
        found = searched(as_alice, message, **settings)
        assert stage in {str(each.stage) for each in found.considered}
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(8, 50)])
    trace = searched(as_alice)
    assert (len(trace.considered), trace.more) == (40, 10)


def test_a_trace_shows_no_forgotten_words_and_nothing_to_others(as_alice, bob):
    first, *_ = file(as_alice.id, BREAD[:2])
    found = recall(RecallRequest(as_alice.id, "How sour is my rye starter?", MONDAY))
    row = RecallTrace.objects.create(user_id=as_alice.id, trace=trace_as_json(found.trace))
    with pytest.raises(NotFound):
        trace_of(RecallTrace.objects.filter(user_id=bob.id), row.id)
    trash.delete(as_alice.id, "drawer", first.id, MONDAY)
    trace = trace_of(RecallTrace.objects.filter(user_id=as_alice.id), row.id)
    gone = next(each for each in trace.considered if each.drawer_id == first.id)
    assert (gone.pointer, gone.words) == ("", "")
