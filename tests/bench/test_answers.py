import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from bench import answers
from bench.cases import BenchmarkImpossible
from bench.retrieval import Plan
from llm import current
from llm.errors import ModelRefused
from tests.bench.samples import HERE, lines
from tests.fake_gateway import FakeChat


def retrieved(benchmark: str, out: Path, blocks: dict[str, str]) -> Plan:
    """The plan of a folder with retrieved contexts of these questions."""
    rows = [{"question_id": name, "block": block} for name, block in blocks.items()]
    (out / "contexts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Plan(benchmark, HERE / f"{benchmark}.json", out)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    blocks = {"q1": "<memory_context>Petrel</memory_context>", "q2": "tomatoes", "q3_abs": ""}
    return retrieved("longmemeval", tmp_path, blocks)


def silent(words: str) -> None:
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
