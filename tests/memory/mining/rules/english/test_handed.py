"""Letters and lists that are handed over with a message are nobody's own words."""

import pytest

from memory.mining.rules.masking import spoken

LIST = "\n- Mia, my sister, 12\n- Tom, my brother, 15"


@pytest.mark.parametrize(
    "task",
    [
        "Could you turn this list into a table",
        "sort these by age please:",
        "please alphabetise the names below",
    ],
)
def test_what_is_to_be_sorted_is_blanked(task):
    left = spoken(task + LIST)
    assert left == task + "\n" * len(LIST)


@pytest.mark.parametrize(
    "words",
    [
        "About me\nI live in Kassel and love horses.\n\nCan you polish the bio of our intern?",
        "CV no. 3:\nI love trail running",
        "PERFIL: Resido en Martorell y me gusta el mar.",
        "Draft an out-of-office: I live in Kassel until March.",
    ],
)
def test_a_profile_of_somebody_else_is_blanked(words):
    left = spoken(words)
    assert not any(told in left for told in ("Kassel", "trail", "Martorell"))


def test_a_profile_of_ones_own_stays():
    words = "About me\nI live in Kassel and love horses.\nWhat should I visit?"
    assert spoken(words) == words


@pytest.mark.parametrize(
    "own",
    ["Put these in my calendar:", "In order to pick this:", "We sort our socks.", "Who are these?"],
)
def test_a_list_of_ones_own_stays(own):
    assert spoken(own + LIST) == own + LIST


def test_a_letter_to_nobody_is_blanked_to_its_end():
    letter = "To whom it may concern: my name is Arthur Pym. I sail.\n(found in a drawer)"
    assert spoken(letter).strip() == "To whom it may concern"
    assert len(spoken(letter)) == len(letter)
