"""Recall with the real local model, where likeness in meaning matters."""

from datetime import timedelta

import pytest

from llm import current
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest, RecallSettings
from tests.drills.ledger import NOW, converse, mine

ABOUT_ME = (
    "I adopted a greyhound called Bruno from the shelter.",
    "My cardiologist told me to cut down on salt.",
    "We are repainting the kitchen in sage green.",
    "My train to Vienna leaves at seven on Friday.",
)


@pytest.fixture
def remembered(as_alice):
    for number, words in enumerate(ABOUT_ME):
        converse(as_alice.id, words, at=NOW - timedelta(days=30 + number))
    mine(as_alice.id)
    return as_alice


def ask(user, message):
    settings = RecallSettings(time_limit_ms=5_000)
    return recall(RecallRequest(user.id, message, NOW, settings=settings))


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Which dog do I have at home?", 0),
        ("What did my heart doctor advise me about food?", 1),
        ("Which colour did we choose for the walls of our kitchen?", 2),
        ("When do I travel to Austria by rail?", 3),
    ],
)
def test_other_words_for_the_same_thing_find_it(remembered, message, wanted):
    assert ask(remembered, message).hits[0].text == ABOUT_ME[wanted]


@pytest.mark.parametrize(
    "message",
    ["What did I say about the Byzantine tax reform?", "Do I own any cryptocurrency?"],
)
def test_what_was_never_said_is_not_recalled(remembered, message):
    assert ask(remembered, message).hits == ()


def test_the_model_of_this_machine_is_the_one_in_use(remembered):
    assert current.embedder().model.name == "bge-small-en-v1.5-int8"
    assert ask(remembered, "What kind of pet do I have?").trace.arms["vectors"].found == 4
