"""How pastes around questions are measured, and that ranking comes through them."""

import json
from datetime import timedelta

import pytest

from bench.pollution.benchmark import Plan, is_same, run
from bench.pollution.polluters import LENGTH, PLACES, polluters
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.recall.pipeline import ranking
from memory.recall.types import Query, RecallRequest, RecallSettings
from tests.drills.ledger import NOW
from tests.memory.palaces import Spot, file

SAID = (
    "My dog Bruno is a greyhound and hates thunder.",
    "The tax office wants form 17 from me.",
    "We are painting the kitchen sage green.",
    "My dentist Dr Osei has moved to Mill Lane.",
)
ASKED = ("What breed is my dog Bruno?", "Which form does the tax office want from me?")


@pytest.fixture(autouse=True)
def embedder():
    fake = FakeEmbedder()
    with current.using(embedder=fake):
        yield fake


def test_the_pastes_are_long_and_of_many_kinds():
    found = polluters()
    assert len(found) >= 12
    assert len({paste.name for paste in found}) == len(found)
    assert all(LENGTH <= len(paste.text) <= LENGTH * 1.6 for paste in found)


def test_the_question_stands_before_after_or_within_a_paste():
    paste = polluters(500)[0]
    for place in PLACES:
        assert paste.around("Where do I live?", place).count("Where do I live?") == 1
    assert paste.around("Q", "before").startswith("Q\n\n")
    assert paste.around("Q", "after").endswith("\n\nQ")


def test_the_same_is_looked_for_when_words_and_vector_are_the_same(embedder):
    clean = Query("my dog", words=("my", "dog"))
    assert is_same(clean, clean, embedder)
    assert is_same(clean, Query("My dog!", words=("dog", "my")), embedder)
    assert not is_same(clean, Query("my cat", words=("my", "cat")), embedder)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("paste", polluters(), ids=lambda paste: paste.name)
def test_the_order_of_recall_comes_through_every_paste(as_alice, paste, place):
    for number, words in enumerate(SAID):
        file(
            as_alice.id,
            [words],
            Spot(room=f"Chat {number}", start=NOW - timedelta(days=number + 1)),
        )
    for question in ASKED:
        first, *_ = ranked(as_alice, question)
        assert ranked(as_alice, paste.around(question, place))[0] == first


def ranked(user, message):
    settings = RecallSettings(time_limit_ms=5_000)
    found = ranking(RecallRequest(user.id, message, NOW, settings=settings))
    return [candidate.drawer_id for candidate in found]


def test_a_data_set_is_measured_by_paste_and_by_place(tmp_path):
    data = tmp_path / "questions.json"
    turn = {"role": "user", "content": "I live in Porto.", "has_answer": True}
    entry = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Where do I live?",
        "answer": "Porto",
        "question_date": "2023/05/20 (Sat) 02:21",
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2023/05/10 (Wed) 02:21"],
        "haystack_sessions": [[turn]],
        "answer_session_ids": ["s1"],
    }
    data.write_text(json.dumps([entry]))
    said: list[str] = []
    found = run(Plan("longmemeval", data), said.append)
    assert (found["questions"], said) == (1, ["1 of 1 questions"])
    assert set(found["by_place"]) == set(PLACES)
    assert found["same"] == 1.0
