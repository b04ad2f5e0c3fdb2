"""Traces as their owner reads them, including those that earlier versions stored."""

from datetime import date

import pytest

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
    assert (trace.query.first, trace.query.last) == (date(2024, 4, 1), date(2024, 4, 30))
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


OLD = {
    "decision": {"search": True, "reason": "Your memory may contain something about this."},
    "query": {"text": "rye?", "words": ["rye"], "span": None},
    "arms": {"embedding": {"found": 1, "milliseconds": 3.0}, "odd arm": {"found": 2, "milliseconds": 1}},
    "degraded": [{"part": "words", "words": "Search by words failed."}],
    "timings": {},
}  # fmt: skip


def test_a_trace_of_an_earlier_version_is_still_shown(as_alice):
    first, second = file(as_alice.id, BREAD[:2])
    considered = [
        {
            "drawer_id": str(drawer.id),
            "score": 0.67,
            "scores": {"likeness": 0.6, "meaning": 0.6, "speaker": 0.07},
        }
        for drawer in (first, second)
    ]  # fmt: skip
    cut = [{"drawer_id": str(second.id), "why": "There were already enough better matches."}]
    hits = [{"drawer_id": str(first.id), "reason": "It is close.", "scores": {}}]
    row = RecallTrace.objects.create(
        user_id=as_alice.id, trace=OLD | {"considered": considered, "cut": cut}, hits=hits
    )
    trace = trace_of(as_alice.id, row.id)
    assert [bar.percent for bar in trace.considered[0].bars] == [90, 10]
    assert (trace.considered[0].recalled, trace.considered[1].left_out) == (True, cut[0]["why"])
    assert trace.considered[1].stage == ""
    assert [str(each.name) for each in trace.retrievers] == ["Embedding your message", "Odd arm"]
    assert (trace.failures, trace.more) == (("Search by words failed.",), 0)


def test_a_trace_shows_no_forgotten_words_and_nothing_to_others(as_alice, bob):
    first, *_ = file(as_alice.id, BREAD[:2])
    found = recall(RecallRequest(as_alice.id, "How sour is my rye starter?", MONDAY))
    row = RecallTrace.objects.create(user_id=as_alice.id, trace=trace_as_json(found.trace))
    assert trace_of(bob.id, row.id) is None
    trash.delete(as_alice.id, "drawer", first.id, MONDAY)
    trace = trace_of(as_alice.id, row.id)
    gone = next(each for each in trace.considered if each.drawer_id == first.id)
    assert (gone.pointer, gone.words) == ("", "")
