import pytest

from memory.mining.rules.values import brief


@pytest.mark.parametrize(
    ("thing", "known_by"),
    [
        ("new black Converse Chuck Taylor sneakers", "black Converse"),
        ("new black Converse", "black Converse"),
        ("Canon EOS 80D", "Canon"),
        ("old hiking boots", "hiking boots"),
        ("the gym", "gym"),
        ("", ""),
    ],
)
def test_a_thing_is_known_by_the_words_up_to_the_first_name(thing, known_by):
    assert brief(thing) == known_by
