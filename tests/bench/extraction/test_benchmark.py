import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from bench.extraction import benchmark
from bench.extraction.sentences import SETS
from llm import current
from llm.configuration import LlmConfiguration
from llm.fake_gateway import FakeChat
from llm.openai_gateway import OpenAIGateway
from tests.bench.extraction.marked import HOME, TEA, sentence
from tests.memory.mining.answers import answer, stated
from tests.openai_server import Behaviour, OpenAIServer

HALVES = {
    "dev": (sentence("I live in Zürich", HOME), sentence("The tea leaves are wet", TEA)),
    "held": (sentence("I live in Zürich, the city of lakes", HOME, TEA),),
    "held2": (sentence("I live in Zürich, by the river", HOME, TEA),),
    "dev2": (sentence("I live in Zürich, uphill", HOME, TEA),),
    "dev3": (sentence("I live in Zürich, downhill", HOME, TEA),),
    "dev4": (sentence("I live in Zürich, upstairs", HOME, TEA),),
    "dev5": (sentence("I live in Zürich, downstairs", HOME, TEA),),
    "dev6": (sentence("I live in Zürich, next door", HOME, TEA),),
    "held3": (sentence("I live in Zürich, by the rails", HOME, TEA),),
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(benchmark, "read_half", HALVES.__getitem__)


def run(out: Path, **options: Any) -> tuple[dict[str, Any], str]:
    printed, errors = StringIO(), StringIO()
    call_command("bench", "extraction", out=out, stdout=printed, stderr=errors, **options)
    return json.loads(printed.getvalue()), errors.getvalue()


def test_the_rules_are_scored_on_every_set(tmp_path):
    scores, _ = run(tmp_path, half="both")
    assert scores == json.loads((tmp_path / "scores.json").read_text())
    assert scores["extractor"] == "rules"
    assert [scores[name]["recall"] for name in SETS] == [0.5] * len(SETS)
    assert "answers" not in scores["dev"]


def test_one_half_is_read_alone(tmp_path):
    assert "held" not in run(tmp_path, half="dev")[0]
    assert run(tmp_path, half="held2")[0].keys() == {"benchmark", "extractor", "held2"}


def test_errors_are_shown_for_dev_and_never_for_held(tmp_path):
    _, quiet = run(tmp_path, half="both")
    assert "tea leaves" not in quiet
    _, shown = run(tmp_path, half="both", show_errors=True)
    assert "The tea leaves are wet" in shown
    assert "missed  preference | behaviour: tea" in shown
    assert "city of lakes" not in shown
    assert "by the river" not in shown
    assert "by the rails" not in shown


@pytest.mark.parametrize("name", ["held", "held2"])
def test_errors_of_a_held_set_alone_are_refused(tmp_path, name):
    with pytest.raises(CommandError, match="not shown"):
        run(tmp_path, half=name, show_errors=True)


def test_a_model_is_asked_through_the_configured_gateway(tmp_path):
    scored = answer(facts=[stated()])
    with OpenAIServer(Behaviour(text="{ broken"), *[Behaviour(text=scored)] * 2) as server:
        gateway = OpenAIGateway(LlmConfiguration(base_url=server.base_url, api_key="k"))
        with current.using(chat=gateway):
            scores, _ = run(tmp_path, half="dev", by_model=True)
    assert scores["extractor"] == current.configuration().extraction_model
    assert scores["dev"]["answers"]["asked"] == 2
    assert scores["dev"]["answers"]["valid_json_first"] == 0.5
    assert scores["dev"]["answers"]["valid_json_after_repair"] == 1.0
    assert scores["dev"]["hit"] == 1


def test_a_model_needs_an_endpoint(tmp_path):
    with pytest.raises(CommandError, match="OPENAI_BASE_URL"):
        run(tmp_path, half="dev", by_model=True)


def test_what_the_model_says_is_scored_and_not_the_rules(tmp_path):
    with current.using(chat=FakeChat(answer=lambda request: answer())):
        scores, _ = run(tmp_path, half="dev", by_model=True)
    assert (scores["dev"]["hit"], scores["dev"]["missed"]) == (0, 2)
