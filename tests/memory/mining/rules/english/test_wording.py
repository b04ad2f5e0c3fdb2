import pytest

from memory.mining.rules.english.wording import plain, with_fillers


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("im allergic to kiwi", "I'm allergic to kiwi"),
        ("I’m  in **Rome** 😀", "I'm in Rome "),
        ("i dont eat fish tbh", "I don't eat fish"),
        ("I really, honestly love jazz", "I love jazz"),
        ("I love tea, especially oolong", "I love tea, oolong"),
        ("nuts and, weirdly, kiwi", "nuts and kiwi"),
        ("my fav band", "my favourite band"),
        ("my kind of music", "my kind of music"),
    ],
)
def test_sentences_are_put_into_one_form(said, read):
    assert plain(said).text == read


def test_a_name_is_no_filler():
    assert plain("I play Just Dance").text == "I play Just Dance"


def test_words_that_tell_of_counting_can_be_kept():
    assert with_fillers("ive  tried two so far").text == "I've tried two so far"
    assert plain("ive  tried two so far").text == "I've tried two"
