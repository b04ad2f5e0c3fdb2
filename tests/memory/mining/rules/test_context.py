"""What is told in passing while something is asked, and what is said of a thing just named."""

import pytest

from memory.mining.extraction import extract
from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of
from tests.memory.mining.chats import chat, turn


def told(said: str) -> list[str]:
    return [found.fact.statement for found in facts_of(turn(said), LANGUAGES)]


def test_a_value_told_within_a_question_is_found_and_quoted():
    said = "When should I run, considering I like to get up at 7:30 am on Sundays?"
    (found,) = facts_of(turn(said), LANGUAGES)
    assert found.fact.quote == "I like to get up at 7:30 am on Sundays"
    assert said[slice(*found.fact.span)] == found.fact.quote
    assert found.fact.single_valued


def test_a_thing_named_in_the_sentence_before_is_what_is_counted():
    said = "I adore Emma's recipes on her channel. I've tried two of them already!"
    assert "The user has tried two Emma's recipes so far." in told(said)


def test_both_of_two_sentences_are_read():
    said = 'I just finished "Cold Rooms". I also recently finished "Warm Rooms".'
    assert told(said) == [
        "The user has finished “Cold Rooms”.",
        "The user has finished “Warm Rooms”.",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "How often should I go to yoga? Would it help if I go to yoga three times a week?",
        "Any good Thai restaurants? My sister said I've tried four different ones.",
        "Imagine this. I own three bikes and I store my skis in the garage.",
        "Do I keep my skis in the garage?",
        "Once I reached level 100 in Apex Legends would I get a prize?",
        "They say I've tried Emma's recipes. She has tried two of them.",
        "I hope I have 25 postcards now.",
    ],
)
def test_what_is_asked_supposed_or_said_by_others_is_not(said):
    assert told(said) == []


def test_where_a_role_is_played_a_value_waits_for_review():
    said = "Let's role-play. I own three bikes and I keep my old sneakers under my bed."
    facts = extract(chat(said), chat=None).extraction.facts
    assert facts
    assert all(fact.confidence < 0.5 for fact in facts)
