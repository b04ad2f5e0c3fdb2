import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from bench import answers
from bench.errors import BenchmarkImpossible
from bench.plan import Plan
from llm import current
from llm.configuration import LlmConfiguration
from llm.errors import ModelRefused, ModelUnavailable
from llm.fake_gateway import FakeChat
from llm.openai_gateway import OpenAIGateway
from tests.bench import made_up
from tests.openai_server import Behaviour, OpenAIServer


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """A folder in which the three questions of LongMemEval were retrieved."""
    out = tmp_path / "out"
    out.mkdir()
    blocks = {"q1": "<memory_context>Petrel</memory_context>", "q2": "tomatoes", "q3_abs": ""}
    rows = [{"question_id": name, "block": block} for name, block in blocks.items()]
    (out / "contexts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    data = made_up.packed(tmp_path / "data.json.gz", made_up.longmemeval())
    return Plan("longmemeval", data, out)


def silent(words: str) -> None:
    pass


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_answers_come_from_the_memories_and_are_judged_by_the_prompt_of_their_type(plan):
    chat = FakeChat(["Petrel.", "In spring.", "I do not know.", "yes", "no", "Yes."])
    with current.using(chat=chat):
        assert answers.answer(plan, silent) == {"answered": 3}
        scores = answers.judge(plan, silent)
    assert "Petrel" in chat.requests[0].messages[1].content
    assert "Monday, 01 May 2023" in chat.requests[0].messages[1].content
    assert "unanswerable question" in chat.requests[5].messages[0].content
    assert scores["qa_accuracy"] == 0.6667
    assert scores["qa_accuracy_answerable"] == 0.5
    assert json.loads((plan.out / "qa_scores.json").read_text()) == scores
    said = lines(plan.out / "answers.jsonl")[0]
    assert (said["question_id"], said["hypothesis"]) == ("q1", "Petrel.")


def test_what_was_answered_and_judged_is_not_asked_again(plan):
    stops = FakeChat(["Petrel.", ModelRefused("The endpoint declined.")])
    with current.using(chat=stops), pytest.raises(BenchmarkImpossible, match="start again"):
        answers.answer(plan, silent)
    chat = FakeChat(["In spring.", "I do not know.", "yes", "yes", ModelRefused("Declined.")])
    with current.using(chat=chat):
        answers.answer(plan, silent)
        with pytest.raises(BenchmarkImpossible):
            answers.judge(plan, silent)
    with current.using(chat=FakeChat(["no"])):
        scores = answers.judge(plan, silent)
    assert scores["qa_accuracy"] == 0.6667
    assert len(lines(plan.out / "verdicts.jsonl")) == 3


def test_an_endpoint_that_is_away_for_a_moment_is_asked_again(plan):
    slept: list[float] = []
    away = ModelUnavailable("The endpoint could not be reached.")
    with current.using(chat=FakeChat([away, away, "a", "b", "c"])):
        answers.answer(plan, silent, slept.append)
    assert slept == list(answers.PAUSES_S[:2])
    with current.using(chat=FakeChat([away] * 4)), pytest.raises(BenchmarkImpossible):
        answers.judge(plan, silent, slept.append)


def test_a_rubric_is_judged_point_by_point(plan, tmp_path):
    data = made_up.packed(tmp_path / "beam.json.gz", made_up.beam())
    names = ("information_extraction", "knowledge_update", "abstention")
    rows = [{"question_id": f"beam-1:{name}:0", "block": "x"} for name in names]
    (plan.out / "contexts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    beam = Plan("beam", data, plan.out)
    chat = FakeChat(["March 29", "April 2", "unknown", "yes", "no", "yes"])
    with current.using(chat=chat):
        answers.answer(beam, silent)
        scores = answers.judge(beam, silent)
    assert "Point: states March 29" in chat.requests[3].messages[0].content
    assert "Reference: April 2" in chat.requests[4].messages[0].content
    assert "does not know" in chat.requests[5].messages[0].content
    assert scores["qa_accuracy"] == 0.6667


def test_stages_go_over_the_wire_to_any_endpoint(plan, capsys):
    with OpenAIServer(
        *(Behaviour(text=text) for text in ("a", "b", "c", "yes", "yes", "no"))
    ) as at:
        gateway = OpenAIGateway(LlmConfiguration(base_url=at.base_url, api_key="k"))
        with current.using(chat=gateway):
            for stage in ("qa", "score-qa"):
                call_command("bench", "longmemeval", data=plan.data, out=plan.out, stage=stage)
        assert at.received("chat")[-1].body["temperature"] == 0.0
    assert '"qa_accuracy": 0.6667' in capsys.readouterr().out


def test_without_an_endpoint_or_anything_retrieved_it_is_said_in_a_sentence(plan):
    for stage in ("qa", "score-qa"):
        with pytest.raises(CommandError, match="No model endpoint is configured"):
            call_command("bench", "longmemeval", data=plan.data, out=plan.out, stage=stage)
    (plan.out / "contexts.jsonl").unlink()
    with current.using(chat=FakeChat()):
        with pytest.raises(BenchmarkImpossible, match="Nothing was retrieved"):
            answers.answer(plan, silent)
        with pytest.raises(BenchmarkImpossible, match="Nothing was answered"):
            answers.judge(plan, silent)
