import pytest

from bench.errors import BenchmarkImpossible
from bench.extraction.reading import IN_A_ROW, TRIES, read_by_model, read_by_rules
from llm.configuration import LlmConfiguration
from llm.errors import ModelRefused, ModelUnavailable
from llm.fake_gateway import FakeChat
from llm.openai_gateway import OpenAIGateway
from tests.bench.extraction.marked import HOME, sentence
from tests.memory.mining.answers import answer, stated
from tests.openai_server import Behaviour, OpenAIServer

SENTENCE = sentence("I live in Zürich", HOME)
GOOD = answer(facts=[stated()])


def test_rules_read_a_sentence_without_any_model():
    (reading,) = read_by_rules([SENTENCE])
    assert [fact.value for fact in reading.facts] == ["Zürich"]
    assert reading.outcome == "rules"


def test_a_sentence_is_read_at_the_moment_it_was_said():
    said = sentence("I have a dentist appointment tomorrow at 3pm", HOME)
    (reading,) = read_by_rules([said])
    assert [f.event_time.date().isoformat() for f in reading.facts if f.event_time] == [
        "2024-05-16"
    ]


@pytest.mark.parametrize(
    ("texts", "outcome", "calls"),
    [
        ([GOOD], "valid", 1),
        (["{ broken", GOOD], "repaired", 2),
        (["{ broken", "worse"], "unreadable", 2),
    ],
)
def test_answers_over_the_wire_are_told_apart(texts, outcome, calls):
    with OpenAIServer(*(Behaviour(text=text) for text in texts)) as server:
        gateway = OpenAIGateway(LlmConfiguration(base_url=server.base_url, api_key="k"))
        (reading,) = read_by_model([SENTENCE], gateway, "small")
    assert reading.outcome == outcome
    assert len(server.received("chat")) == calls
    assert {request.body["model"] for request in server.received("chat")} == {"small"}
    assert [fact.value for fact in reading.facts] == ["Zürich"]


def test_a_passing_failure_is_tried_again():
    model = FakeChat([ModelUnavailable("away"), GOOD])
    (reading,) = read_by_model([SENTENCE], model, "small")
    assert reading.outcome == "valid"


def test_one_sentence_without_an_answer_does_not_stop_the_rest():
    def reply(request):
        away = "away" in request.messages[-1].content
        return ModelUnavailable("away") if away else answer()

    model = FakeChat(answer=reply)
    readings = list(read_by_model([sentence("They went away"), SENTENCE], model, "small"))
    assert [reading.outcome for reading in readings] == ["unanswered", "valid"]
    assert readings[0].facts == ()
    assert len(model.requests) == TRIES + 1


@pytest.mark.parametrize("error", [ModelUnavailable("away"), ModelRefused("wrong key")])
def test_an_endpoint_that_never_answers_stops_the_benchmark(error):
    model = FakeChat()
    model.fail_with(error)
    sentences = [sentence(f"I live in Zürich {n}", HOME) for n in range(IN_A_ROW * 20)]
    with pytest.raises(BenchmarkImpossible, match="did not answer"):
        list(read_by_model(sentences, model, "small"))
    assert len(model.requests) < len(sentences) * TRIES


def test_readings_keep_the_order_of_the_sentences():
    sentences = [sentence(f"I live in Zürich {n}", HOME) for n in range(12)]
    model = FakeChat(answer=lambda request: answer())
    readings = read_by_model(sentences, model, "small")
    assert [reading.sentence for reading in readings] == sentences
