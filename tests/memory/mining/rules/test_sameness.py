"""What is told twice in one message is one thing; what only sounds alike is two."""

import pytest

from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of
from tests.memory.mining.chats import turn


def objects(said):
    return [item.fact.object for item in facts_of(turn(said), LANGUAGES)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I'm allergic to peanuts. Yes, I have a peanut allergy.", ["peanuts"]),
        ("no meat for me, I'm vegetarian", ["vegetarian"]),
        ("I avoid dairy, I just can't have dairy any more", ["dairy"]),
        ("My editor is Neovim, I use Neovim for everything", ["Neovim"]),
        ("I love cheese. I really do love cheese.", ["cheese"]),
        ("I fly to Tokyo on June 2nd, my flight to Tokyo leaves at noon", ["Tokyo"]),
    ],
)
def test_a_second_wording_gives_no_second_fact(said, expected):
    assert objects(said) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I live in Bath and I'm from Bath, Maine.", {"Bath", "Bath, Maine"}),
        ("I love tea. I hate green tea.", {"tea", "green tea"}),
        ("I'm vegetarian and I don't drink alcohol.", {"vegetarian", "alcohol"}),
        ("My dentist appointment is on 4 June and my exam is on 4 July.", None),
    ],
)
def test_what_only_sounds_alike_stays_apart(said, expected):
    found = objects(said)
    assert len(found) == 2
    assert expected is None or set(found) == expected
