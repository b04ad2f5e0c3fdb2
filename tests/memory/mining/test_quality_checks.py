import pytest

from memory.mining.extraction import extract
from memory.mining.quality_checks import DOUBTFUL
from memory.mining.types import ExtractedFact
from tests.memory.mining.chats import chat


def facts_of(words: str) -> tuple[ExtractedFact, ...]:
    return extract(chat(words), chat=None).extraction.facts


@pytest.mark.parametrize(
    "words",
    [
        "recuerda que en Excel las fórmulas empiezan con el signo igual",
        "запомни: жи-ши пиши с буквой и",
        "Remember that the theorem holds for primes only",
        "Remember that slaves are trained to never question their masters",
        "My exam is today!",
        "I've got a tight deadline on 10 May.",
        "Hi Jones,\nIt was great to meet you. Our final interview is on Friday.",
    ],
)
def test_lessons_and_what_is_over_by_this_evening_wait_for_review(words):
    (fact,) = facts_of(words)
    assert fact.confidence <= DOUBTFUL


def test_ways_to_eat_that_are_spoken_of_are_nobodys_diet():
    assert not facts_of("Vegan, vegetarisch, flexitarisch – so groß ist der Unterschied")
    assert not facts_of("Vegetarian or vegan, what suits a beginner?")
    assert facts_of("I'm vegan and live in Leeds.")


@pytest.mark.parametrize(
    "words", ["Remember that the spare key is under the blue pot", "My exam is on Friday"]
)
def test_what_is_told_of_oneself_stands(words):
    (fact,) = facts_of(words)
    assert fact.confidence > DOUBTFUL
