import pytest

from bench.rankings import Ranking
from bench.scoring import score


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


def test_recall_all_needs_every_gold_session_and_recall_any_only_one():
    scores = score([ranking("abcdefgh", "ah"), ranking("abcdefgh", "bc")])
    names = ("recall_any@5", "recall_all@5", "recall_all@10", "recall_any@1", "R@1")
    assert [scores[name] for name in names] == [1.0, 0.5, 1.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("sessions", "gold", "cut", "ndcg"),
    [
        ("ab", "ab", 5, 1.0),
        ("xyab", "ab", 5, 0.5706),
        ("a", "ab", 5, 0.6131),
        ("ab", "ab", 1, 0.6131),  # the ideal holds all the evidence, also beyond the cut
        ("", "a", 5, 0.0),
    ],
)
def test_ndcg(sessions, gold, cut, ndcg):
    assert score([ranking(sessions, gold)])[f"ndcg@{cut}"] == ndcg


def test_types_are_scored_separately_and_unsearched_questions_are_misses():
    scores = score([ranking("a", "a"), ranking("", "a", type="two", searched=False)])
    assert scores["by_type"]["one"]["recall_all@1"] == 1.0
    assert scores["by_type"]["two"]["recall_all@10"] == 0.0
    assert (scores["not_searched"], scores["recall_any@5"]) == (1, 0.5)


def test_uncounted_questions_are_scored_separately_and_latency_is_measured():
    scores = score([ranking("a", "a"), ranking("b", "a", type="odd", counted=False)])
    assert (scores["questions"], scores["questions_apart"], scores["recall_any@1"]) == (1, 1, 1.0)
    assert scores["apart"]["odd"]["recall_any@1"] == 0.0
    assert "odd" not in scores["by_type"]
    timed = score([ranking("a", "a", milliseconds=float(number)) for number in range(100)])
    assert (timed["latency_ms_p50"], timed["latency_ms_p95"]) == (50.0, 95.0)
    assert score([])["latency_ms_p95"] == 0.0


def test_turns_are_scored_if_they_are_known():
    found = ranking("a", "a", turns=(("a", 0), ("a", 1)), gold_turns=(("a", 1), ("b", 1)))
    scores = score([found])
    assert (scores["turn_recall@1"], scores["turn_recall@3"], scores["turn_all@3"]) == (0.0, 0.5, 0.0)
    assert "turn_recall@1" not in score([ranking("a", "a")])


def test_turns_can_be_the_unit_of_scores():
    found = ranking(
        "ab", "ac", turns=(("a", 0), ("b", 3)), gold_turns=(("b", 3), ("c", 1)), injected=(("a", 0),)
    )
    scores = score([found], "turn")
    assert (scores["unit"], scores["R@1"], scores["recall_any@3"], scores["recall_all@3"]) == (
        "turn",
        0,
        1,
        0,
    )
    assert (scores["session_recall@1"], scores["turn_recall@1"]) == (0.5, 0.0)
    assert (scores["injected_sessions"], scores["injected_turns"]) == (0.5, 0.0)
