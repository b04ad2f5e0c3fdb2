"""Recall in other languages than English, with the local models."""

from datetime import timedelta

import pytest

from llm.embedding_models import BGE_SMALL, E5_SMALL
from memory.preferences import change_preferences
from memory.search.active_embedding import active_space_of
from tests.cases import cases
from tests.drills.ledger import NOW, remember
from tests.memory.recall.asking import ask, texts

CASES = cases(__file__, "languages.txt")
A_MONTH = timedelta(days=30)


def split(heading):
    return [line.split(" | ") for line in CASES[heading]]


@pytest.fixture
def changed(as_alice):
    """Tells Alice's palace an old and a new value, a month apart, and asks."""
    change_preferences(as_alice.id, {"embedding_model": E5_SMALL.name}, NOW)

    def told_and_asked(old, new, question):
        for at, said in ((NOW - 2 * A_MONTH, old), (NOW - A_MONTH, new)):
            remember(as_alice.id, said, at=at)
        return texts(ask(as_alice, question, settings={"embedding_model": E5_SMALL.name}))

    return told_and_asked


@pytest.mark.parametrize(("old", "new", "question"), split("changed"))
def test_what_replaced_an_earlier_value_comes_first(changed, old, new, question):
    assert changed(old, new, question) == [new, old]


def test_an_earlier_value_comes_first_if_the_question_names_its_time(changed):
    old, new, question = split("changed")[0]
    dated = question.replace("?", " am 4. Januar 2031?")
    assert changed(old, new, dated) == [old, new]


@pytest.mark.parametrize(("said", "nonsense"), split("nonsense"))
def test_nonsense_in_a_language_the_model_does_not_read_finds_nothing(as_alice, said, nonsense):
    remember(as_alice.id, said)
    assert active_space_of(as_alice.id).space.name == BGE_SMALL.name
    assert texts(ask(as_alice, nonsense)) == []
