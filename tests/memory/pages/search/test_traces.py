"""Traces as they are shown to their owner."""

from datetime import date

import pytest

from accounts.owned import NotFound
from memory.forgetting import trash
from memory.models import Fact, RecallTrace
from memory.pages.search.traces import bars, explain_hits, legend, match_of, trace_of, trace_view
from tests.memory.palaces import MONDAY, file, learn, relate
from tests.memory.recall.asking import traced

BREAD = [f"My rye starter number {number} is sour." for number in range(8)]


pytestmark = pytest.mark.usefixtures("embedder")


def searched(user, message="How sour is my rye starter?", **settings):
    _, row = traced(user, message, now=MONDAY, settings=settings)
    return trace_view(user.id, row.trace, row.hits)


def test_every_drawer_found_is_included_or_has_a_reason(as_alice):
    file(as_alice.id, BREAD)
    trace = searched(as_alice, 'What did I say about my sour "rye starter" in April 2024?', top_k=3)
    assert [each["recalled"] for each in trace["considered"]].count(True) == 3
    assert [bool(each["used"]) for each in trace["considered"]].count(True) == 3, "each with its reason"
    left = [each for each in trace["considered"] if not each["recalled"]]
    assert {str(each["stage"]) for each in left} == {"Over the limit"}
    assert trace["left_out"] == {left[0]["left_out"]: left}
    assert all(each["bars"] for each in trace["considered"])
    assert (trace["query"]["first"], trace["query"]["last"]) == (date(2024, 4, 1), date(2024, 4, 30))
    assert str(trace["retrievers"][0]["name"]) == "Embedding your message"

    for message, settings, stage in (
        ("How sour is my rye starter?", {"token_budget": 15}, "Over the token budget"),
        ("What of quantum chromodynamics?", {}, "Nothing similar enough"),
    ):
        found = searched(as_alice, message, **settings)
        assert stage in {str(each["stage"]) for each in found["considered"]}
        for each in found["considered"]:
            assert (each["minimum"] is not None) == (str(each["stage"]) == "Nothing similar enough")
            assert each["minimum"] is None or each["similarity"] < each["minimum"]
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(8, 50)])
    trace = searched(as_alice)
    assert (len(trace["considered"]), trace["more"]) == (40, 10)


def test_a_trace_shows_no_deleted_text_and_nothing_to_other_users(as_alice, bob):
    first, *_ = file(as_alice.id, BREAD[:2])
    _, row = traced(as_alice, "How sour is my rye starter?", now=MONDAY)
    with pytest.raises(NotFound):
        trace_of(RecallTrace.objects.filter(user_id=bob.id), row.id)
    trash.delete(as_alice.id, "drawer", first.id, MONDAY)
    trace = trace_of(RecallTrace.objects.filter(user_id=as_alice.id), row.id)
    deleted = next(each for each in trace["considered"] if each["drawer_id"] == first.id)
    assert (deleted["pointer"], deleted["words"]) == ("", "")


def row(reason="It fits.", **given):
    return {"reason": reason, "scores": {}, **given}


def test_bars_are_ordered_by_share_and_the_legend_lists_each_signal_once():
    found = bars(row(shares={"meaning": 0.999, "wording": 0.001, "speaker": -0.09}))
    shown = [(bar.key, bar.percent, bar.against) for bar in found]
    assert shown == [("meaning", 100, False), ("speaker", 9, True)]
    assert bars(row()) == ()
    both = [bars(row(shares={"meaning": 1.0})), bars(row(shares={"meaning": 0.5, "odd": 0.5}))]
    assert [str(signal.name) for signal in legend(both)] == ["Meaning", "Odd"]


def test_facts_and_entities_of_a_hit_are_shown_in_their_current_state_to_the_owner(as_alice, bob):
    (drawer,) = file(as_alice.id, ["I love rye bread. Anna is my sister."])
    fact = learn(drawer, "rye bread", "Loves rye bread.")
    relation = relate(drawer, "Anna", "sister_of", "Berta")
    hit = row(retrievers={"facts": [str(fact.id)], "graph": [str(relation.subject_id)]})

    def known_items(user=as_alice):
        plain, ground = explain_hits(user.id, [row("One."), hit])
        assert plain.reason == "One."
        return [(each.words, each.is_fact, each.state, each.until) for each in ground.understood]

    anna = ("Anna", False, "", None)
    assert known_items() == [("Loves rye bread.", True, "", None), anna]
    assert known_items(bob) == []
    Fact.objects.filter(id=fact.id).update(status=Fact.Status.SUPERSEDED, valid_to=MONDAY)
    assert known_items() == [("Loves rye bread.", True, "Past", MONDAY), anna]
    fact.delete()
    assert known_items() == [anna]


@pytest.mark.parametrize(
    ("scores", "match"),
    [
        ({"similarity": 0.75, "coverage": 0.4}, "strong"),
        ({"pointer": 1.0}, "strong"),
        ({"similarity": 0.3, "known": 0.95}, "good"),
        ({"similarity": 0.45, "coverage": 0.1}, "weak"),
        ({}, "weak"),
    ],
)
def test_a_match_is_strong_good_or_weak(scores, match):
    assert match_of(scores) == match
