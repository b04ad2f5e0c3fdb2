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
        ("I live in Rome. Just kidding", []),
        ("I live in Rome, scratch that", []),
        ("I'm 34, no wait, 35", []),
        ("I live in Rome. Wait, is it raining", ["Rome"]),
        ("im living in Rome btw. just kidding", []),
        ("My name is Tom. i live in Rome. Just kidding", ["Tom"]),
        ("Just kidding, that was a joke. Now: I live in Rome.", ["Rome"]),
        ("I live in Rome, my friends help me emotionally", ["Rome"]),
        ("I live in Rome, not far from the river", ["Rome"]),
    ],
)
def test_only_the_right_value_is_kept(words, expected):
    assert [found.fact.object for found in facts_of(turn(words), LANGUAGES)] == expected
