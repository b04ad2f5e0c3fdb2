"""What somebody had said before and puts right is not said again."""

import pytest

from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of
from tests.memory.mining.chats import turn


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("I told you I live in Rome. That was wrong, I live in Milan.", ["Milan"]),
        ("I said I live in Rome, actually I live in Milan.", ["Milan"]),
        ("I wrote that I live in Rome. It's actually Milan.", []),
        ("Like I said, I live in Rome.", ["Rome"]),
        ("Actually I live in Rome.", ["Rome"]),
    ],
)
def test_only_the_right_value_is_kept(words, expected):
    assert [found.fact.object for found in facts_of(turn(words), LANGUAGES)] == expected
