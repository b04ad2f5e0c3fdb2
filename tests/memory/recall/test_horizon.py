"""What recall finds inside a message, and what it does not see from a day in the past."""

from datetime import timedelta

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from tests.drills.ledger import NOW, converse, mine

DOG = "My dog Bruno is a greyhound and hates thunder."
MEALS = (
    "Can you help me to plan the meals of the coming week, with many vegetables and little meat? "
    "By the way, I replaced the old kitchen tap on Sunday. "
    "Something quick for the evenings would be best, since both of us come home late from work."
)


@pytest.fixture
def mined(as_alice):
    with current.using(embedder=FakeEmbedder()):
        converse(as_alice.id, DOG, "Splendid beasts.")
        mine(as_alice.id)
        yield as_alice


def texts(found):
    return [hit.text for hit in found.hits]


def test_a_single_sentence_of_a_message_about_something_else_is_found(as_alice):
    with current.using(embedder=FakeEmbedder(sentences=True)):
        converse(as_alice.id, MEALS)
        mine(as_alice.id)
        (candidate,) = recall(
            RecallRequest(as_alice.id, "When did I replace the kitchen tap?", NOW)
        ).trace.considered
    start, end = candidate.span
    assert candidate.scores["sentence"] == 1.0
    assert MEALS[start:end].strip() == "By the way, I replaced the old kitchen tap on Sunday."


def test_from_a_day_in_the_past_nothing_is_seen_that_was_said_later(mined):
    question = "What is my dog called?"
    before = RecallRequest(mined.id, question, NOW - timedelta(days=400), called_at=NOW)
    after = RecallRequest(mined.id, question, NOW - timedelta(hours=1), called_at=NOW)
    assert recall(before).hits == ()
    assert DOG in texts(recall(after))


def test_today_nothing_is_hidden_whatever_the_clock_of_an_import_said(mined):
    earlier = NOW - timedelta(days=400)
    found = recall(RecallRequest(mined.id, "What is my dog called?", earlier, called_at=earlier))
    assert DOG in texts(found)
