import pytest

from memory.mining.extraction import extract
from tests.memory.mining.chats import chat


def statements(words: str) -> list[str]:
    return [fact.statement for fact in extract(chat(words), chat=None).extraction.facts]


@pytest.mark.parametrize(
    "words",
    [
        "I adopted her two years ago.",
        "I'm hoping to finish it by the end of the month.",
        "I grew up with them when I lived in Houston, so I miss the farm.",
        "I love going to this park near my house.",
        "I used to have these rabbits.",
        "I want to learn that one before my birthday.",
    ],
)
def test_what_points_at_something_said_before_is_no_fact(words):
    assert not [each for each in statements(words) if "Houston" not in each]


@pytest.mark.parametrize(
    "words",
    [
        "I attended an awesome event recently.",
        "I joined a new platform last year.",
        "I'm keen on two projects in particular.",
        "I love trying new things.",
        "I'm determined to make a difference.",
        "I'm determined to keep going.",
        "We met in a pottery class in 2015.",
        "I'm organizing some data on spreadsheets right now.",
        "I bought a Canon EOS R6 for my brother.",
        "I bought a Canon EOS R6 as a gift.",
        "I love working on it to relax.",
        "I'm passionate about creating a safe, inviting place for people.",
        "I'm determined to overcome any obstacles and achieve my goals.",
        "I recently attended a workshop.",
        "I attended about 7 events.",
        "We walked there from the station in 2015.",
        "I also have a kettle that I bought on 1 March.",
        "I'm going to reschedule some other appointments on Friday.",
    ],
)
def test_what_names_nothing_or_is_another_s_is_no_fact(words):
    assert statements(words) == []


@pytest.mark.parametrize(
    ("words", "statement"),
    [
        ("I prefer e-books for their weight.", "The user prefers e-books for their weight."),
        (
            "I want to adopt a dog and train it by next summer.",
            "The user wants to adopt a dog and train it by next summer.",
        ),
        ("I bought a Canon EOS R6 for my new job.", "The user owns this: Canon EOS R6."),
    ],
)
def test_pronouns_that_stand_for_something_in_the_fact_are_kept(words, statement):
    assert statement in statements(words)
