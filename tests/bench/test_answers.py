"""Answers are judged, and retrieval is scored."""

import json

import pytest
from django.core.management import CommandError, call_command

from bench import answers
from bench.cases import BenchmarkImpossible
from bench.rankings import Ranking
from bench.retrieval import Plan
from bench.scoring import score
from llm import current
from llm.errors import ModelRefused
from tests.bench.samples import HERE, lines
from tests.fake_gateway import FakeChat


def retrieved(benchmark, out, blocks):
    """The plan of a folder with retrieved contexts of these questions."""
    rows = [{"question_id": name, "block": block} for name, block in blocks.items()]
    (out / "contexts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Plan(benchmark, HERE / f"{benchmark}.json", out)


@pytest.fixture
def plan(tmp_path):
    blocks = {"q1": "<memory_context>Petrel</memory_context>", "q2": "tomatoes", "q3_abs": ""}
    return retrieved("longmemeval", tmp_path, blocks)


def silent(words):
    pass


def test_answers_use_contexts_and_are_judged_by_the_prompt_of_their_type(plan, capsys):
    chat = FakeChat(["Petrel.", "In spring.", "I do not know.", "yes", "no", "Yes."])
    with current.using(chat=chat):
        for stage in ("qa", "score-qa"):
            call_command("bench", "longmemeval", data=plan.data, out=plan.out, stage=stage)
    scores = json.loads(capsys.readouterr().out.partition("\n}\n")[2])
    prompt = chat.requests[0].messages[1].content
    assert "Petrel" in prompt
    assert "Monday, 01 May 2023" in prompt
    assert "unanswerable question" in chat.requests[5].messages[0].content
    assert (scores["qa_accuracy"], scores["qa_accuracy_answerable"]) == (0.6667, 0.5)
    assert json.loads((plan.out / "qa_scores.json").read_text()) == scores
    row = lines(plan.out / "answers.jsonl")[0]
    assert (row["question_id"], row["hypothesis"]) == ("q1", "Petrel.")


def test_both_stages_continue_where_they_stopped(plan):
    stops = FakeChat(["Petrel.", ModelRefused("The endpoint declined.")])
    with current.using(chat=stops), pytest.raises(BenchmarkImpossible, match="start again"):
        answers.answer(plan, silent)
    chat = FakeChat(["In spring.", "I do not know.", "yes", "yes", ModelRefused("Declined.")])
    with current.using(chat=chat):
        answers.answer(plan, silent)
        with pytest.raises(BenchmarkImpossible):
            answers.judge(plan, silent)
    with current.using(chat=FakeChat(["no"])):
        assert answers.judge(plan, silent)["qa_accuracy"] == 0.6667
    assert len(lines(plan.out / "verdicts.jsonl")) == 3


def test_rubric_is_judged_point_by_point(tmp_path):
    names = ("information_extraction", "knowledge_update", "abstention")
    plan = retrieved("beam", tmp_path, {f"beam-1:{name}:0": "x" for name in names})
    chat = FakeChat(["March 29", "April 2", "unknown", "yes", "no", "yes"])
    with current.using(chat=chat):
        answers.answer(plan, silent)
        scores = answers.judge(plan, silent)
    judged = [request.messages[0].content for request in chat.requests[3:]]
    assert "Point: states March 29" in judged[0]
    assert "Reference: April 2" in judged[1]
    assert "does not know" in judged[2]
    assert scores["qa_accuracy"] == 0.6667


def test_missing_endpoint_or_stage_is_reported(plan):
    for stage in ("qa", "score-qa"):
        with pytest.raises(CommandError, match="No model endpoint is configured"):
            call_command("bench", "longmemeval", data=plan.data, out=plan.out, stage=stage)
    (plan.out / "contexts.jsonl").unlink()
    with current.using(chat=FakeChat()):
        with pytest.raises(BenchmarkImpossible, match="Nothing was retrieved"):
            answers.answer(plan, silent)
        with pytest.raises(BenchmarkImpossible, match="Nothing was answered"):
            answers.judge(plan, silent)


def ranking(sessions, gold, kind="one", **more):
    """A ranking of sessions with names of one letter."""
    given = {"milliseconds": 10.0, "tokens": 100, "searched": True, "turns": (), "gold_turns": ()} | more
    return Ranking(question_id=sessions, type=kind, sessions=tuple(sessions), gold=tuple(gold), **given)


TWO = [ranking("abcdefgh", "ah"), ranking("abcdefgh", "bc")]
UNSEARCHED = [ranking("a", "a"), ranking("", "a", "two", searched=False)]
APART = [ranking("a", "a"), ranking("b", "a", "odd", counted=False)]
TIMED = [ranking("a", "a", milliseconds=float(number)) for number in range(100)]
TURNS = [ranking("a", "a", turns=(("a", 0), ("a", 1)), gold_turns=(("a", 1), ("b", 1)))]
SHOWN = {"injected": (("a", 0),)}
BOTH = [ranking("ab", "ac", turns=(("a", 0), ("b", 3)), gold_turns=(("b", 3), ("c", 1)), **SHOWN)]


@pytest.mark.parametrize(
    ("rankings", "expected"),
    [
        (
            TWO,
            {"recall_any@5": 1.0, "recall_all@5": 0.5, "recall_all@10": 1.0, "recall_any@1": 0.5, "R@1": 0.5},
        ),
        ([ranking("ab", "ab")], {"ndcg@5": 1.0, "ndcg@1": 0.6131}),  # the ideal ranking contains all evidence
        ([ranking("xyab", "ab")], {"ndcg@5": 0.5706}),
        ([ranking("a", "ab")], {"ndcg@5": 0.6131}),
        ([ranking("", "a")], {"ndcg@5": 0.0}),
        (UNSEARCHED, {"not_searched": 1, "recall_any@5": 0.5}),
        (APART, {"questions": 1, "questions_apart": 1, "recall_any@1": 1.0}),
        (TIMED, {"latency_ms_p50": 50.0, "latency_ms_p95": 95.0}),
        ([], {"latency_ms_p95": 0.0}),
        (TURNS, {"turn_recall@1": 0.0, "turn_recall@3": 0.5, "turn_all@3": 0.0}),
        ([ranking("a", "a")], {"turn_recall@1": None}),
    ],
)
def test_scores(rankings, expected):
    scores = score(rankings)
    assert {name: scores.get(name) for name in expected} == expected


def test_types_are_scored_separately_and_turns_can_be_the_unit():
    by_type = score(UNSEARCHED)["by_type"]
    assert (by_type["one"]["recall_all@1"], by_type["two"]["recall_all@10"]) == (1.0, 0.0)
    scores = score(APART)
    assert (scores["apart"]["odd"]["recall_any@1"], [*scores["by_type"]]) == (0.0, ["one"])
    scores = score(BOTH, "turn")
    assert (scores["unit"], scores["R@1"], scores["recall_any@3"], scores["recall_all@3"]) == (
        "turn",
        0,
        1,
        0,
    )
    assert (scores["session_recall@1"], scores["turn_recall@1"]) == (0.5, 0.0)
    assert (scores["injected_sessions"], scores["injected_turns"]) == (0.5, 0.0)
