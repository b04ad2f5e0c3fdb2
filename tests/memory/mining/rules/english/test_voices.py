"""A message in somebody else's voice, or about a case, is known; one about others in one's own voice is not."""

import pytest

from memory.mining.rules.english.voices import another_voice
from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of
from memory.mining.screening import screen
from tests.memory.mining.chats import turn


@pytest.mark.parametrize(
    "words",
    [
        "asking for a friend: I'm 17, can I be paid less?",
        "worst case: the rent doubles and I live with my parents",
        "thought experiment. I have a twin called Paul.",
        "My boss: I'm flying to Denver on Tuesday, book me a car.",
        "so I'm a nurse, says my sister, can you explain it to her",
        "according to him I'm a plumber",
        "typing for my mum, her words: I'm 81",
        "for this exercise I'm the landlord, you negotiate",
        "let's practise the interview: I work at Deloitte",
        "I own a Tesla, said no one in this household ever",
        "test test, I live in Testville",
        "for this exercise I\u2019m the landlord, you negotiate",
        "my neighbour over the fence this morning: my wife is leaving me",
    ],
)
def test_another_voice_is_known(words):
    assert another_voice(words)


@pytest.mark.parametrize(
    "words",
    [
        "Quick question: I live in Graz, which bus goes to the airport?",
        "My boss says I should rest. I live in Graz.",
        "I practise the cello every day. I live in Graz.",
        "In that case I stay at home. I have a cat.",
        "My doctor told me I can't eat gluten.",
        "She says hello. I'm fine.",
        "The case: it broke. I own two.",
        "My use case: I run a small shop in Graz.",
        "Put this in the calendar: I have the dentist on Friday.",
        "Explain it like I'm five. I work at a bank.",
        "I'm asking for a raise, I've been at Acme for three years.",
        "I live in Graz, my sister says it is cold here.",
        "My doctor says I have diabetes and should walk.",
        "A question for my doctor: I take statins.",
        "I have a mock exam, I live far away.",
        "For the game on Saturday I need boots, I play as a keeper.",
        "I liked her words, I keep a diary too.",
    ],
)
def test_ones_own_voice_is_not_taken_for_another(words):
    assert not another_voice(words)


def test_what_is_said_in_another_voice_waits_for_review():
    (found,) = facts_of(turn("Asking for a friend: I'm allergic to latex."), LANGUAGES)
    assert screen(found.fact).review
    (own,) = facts_of(turn("Asking for myself. I'm allergic to latex."), LANGUAGES)
    assert not screen(own.fact).review
