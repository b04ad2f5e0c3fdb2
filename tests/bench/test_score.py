import pytest

from bench.retrieve import Ranking
from bench.score import score


def ranking(sessions: str, gold: str, **more: object) -> Ranking:
    values: dict[str, object] = {
        "question_id": sessions,
        "type": "one",
        "sessions": tuple(sessions),
        "turns": (),
        "gold": tuple(gold),
        "gold_turns": (),
        "milliseconds": 10.0,
        "tokens": 100,
        "searched": True,
    }
    return Ranking(**{**values, **more})  # type: ignore[arg-type]


def test_all_wants_every_gold_session_and_any_only_one():
    scores = score([ranking("abcdefgh", "ah"), ranking("abcdefgh", "bc")])
    assert scores["recall_any@5"] == 1.0
    assert scores["recall_all@5"] == 0.5
    assert scores["recall_all@10"] == 1.0
    assert scores["recall_any@1"] == 0.5


def test_ndcg_is_measured_against_all_the_evidence_there_is():
    perfect = score([ranking("ab", "ab")])
    late = score([ranking("xyab", "ab")])
    half = score([ranking("a", "ab")])
    assert perfect["ndcg@5"] == 1.0
    assert 0 < late["ndcg@5"] < 1
    assert half["ndcg@5"] < 1


def test_types_are_told_apart_and_questions_that_were_not_searched_count_as_misses():
    scores = score([ranking("a", "a"), ranking("", "a", type="two", searched=False)])
    assert scores["by_type"]["one"]["recall_all@1"] == 1.0
    assert scores["by_type"]["two"]["recall_all@10"] == 0.0
    assert scores["not_searched"] == 1
    assert scores["recall_any@5"] == 0.5


def test_turns_are_scored_by_their_share_where_they_are_known():
    found = ranking("a", "a", turns=(("a", 0), ("a", 1)), gold_turns=(("a", 1), ("b", 1)))
    assert score([found])["turn_recall@1"] == 0.0
    assert score([found])["turn_recall@3"] == 0.5
    assert "turn_recall@1" not in score([ranking("a", "a")])


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_latency_is_a_value_that_was_measured(share):
    many = [ranking("a", "a", milliseconds=float(number)) for number in range(100)]
    key = {0.5: "latency_ms_p50", 0.95: "latency_ms_p95"}[share]
    assert score(many)[key] == 100 * share


def test_the_unit_may_be_the_turn_and_shares_are_told_for_both():
    found = ranking(
        "ab",
        "ac",
        turns=(("a", 0), ("b", 3)),
        gold_turns=(("b", 3), ("c", 1)),
        injected=(("a", 0),),
    )
    scores = score([found], "turn")
    assert scores["unit"] == "turn"
    assert (scores["R@1"], scores["recall_any@3"], scores["recall_all@3"]) == (0.0, 1.0, 0.0)
    assert (scores["session_recall@1"], scores["turn_recall@1"]) == (0.5, 0.0)
    assert (scores["injected_sessions"], scores["injected_turns"]) == (0.5, 0.0)


def test_questions_that_do_not_count_stand_apart():
    scores = score([ranking("a", "a"), ranking("b", "a", type="odd", counted=False)])
    assert (scores["questions"], scores["questions_apart"]) == (1, 1)
    assert scores["recall_any@1"] == 1.0
    assert scores["apart"]["odd"]["recall_any@1"] == 0.0
    assert "odd" not in scores["by_type"]


def test_the_range_of_a_mean_is_the_same_for_the_same_seed():
    several = [ranking("ab", gold) for gold in "abababbb"]
    first, again, other = (score(several, seed=seed)["confidence_95"] for seed in (1, 1, 2))
    low, high = first["recall_any@1"]
    assert low < score(several)["recall_any@1"] < high
    assert first == again
    assert first != other


def test_nothing_asked_is_nothing_scored():
    scores = score([])
    assert scores["questions"] == 0
    assert "recall_any@5" not in scores
