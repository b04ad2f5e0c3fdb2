import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.mining.validation import locate, mentions, sentence_around, shares_words

TEXT = "I said: “It’s  warm”\n\tin Zürich. 我住在北京。"


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("in Zürich", "in Zürich"),
        ("It's warm", "It’s  warm"),
        ('"It\'s warm" in', "“It’s  warm”\n\tin"),
        ("  warm\u201d in  Zür ", "warm”\n\tin Zür"),
        ("北京", "北京"),
    ],
)
def test_a_quote_is_found_with_its_true_words(quote: str, words: str) -> None:
    span = locate(quote, TEXT)
    assert span is not None
    assert TEXT[slice(*span)] == words


@pytest.mark.parametrize("quote", ["in Bern", "IN ZÜRICH", "warmin", "a", "我", "...", "", "x" * 3_000])
def test_what_was_not_said_is_not_found(quote: str) -> None:
    assert locate(quote, TEXT) is None


@pytest.mark.parametrize(
    ("content", "words", "around"),
    [
        ("One. Keep two in mind! Three.", "two", "Keep two in mind!"),
        ("one\n  two, please\nthree", "two", "two, please"),
        ("一。请记住二。三", "二", "请记住二。"),
        ("Version 2.5 is two.", "two.", "Version 2.5 is two."),
        ("two", "two", "two"),
        ("Yes? two", "two", "two"),
        (f"{'x' * 900} two {'y' * 900}", "two", f"{'x' * 399} two {'y' * 399}"),
    ],
)
def test_the_sentence_around_a_quote(content: str, words: str, around: str) -> None:
    start = content.index(words)
    assert content[slice(*sentence_around((start, start + len(words)), content))] == around


def _bare(text: str) -> str:
    """Without blanks, with straight marks."""
    return "".join(text.split()).replace("’", "'").replace("“", '"')


@given(st.text(alphabet="ab c\n\t“'’", max_size=40), st.integers(0, 40), st.integers(3, 40))
def test_any_stretch_is_found_again_with_other_blanks(text: str, start: int, length: int) -> None:
    stretch = text[start : start + length]
    span = locate("  ".join(stretch.split()), text)
    if sum(char.isalpha() for char in stretch) >= 3:
        assert span is not None
        assert _bare(text[slice(*span)]) == _bare(stretch)


def test_a_quote_that_nearly_fits_a_megabyte_of_places_is_looked_up_once() -> None:
    assert locate("x  " * 600 + "y", "x " * 500_000) is None


def test_names_are_mentioned_whatever_their_case_and_blanks() -> None:
    assert mentions("Wang  MIN", ["my wife wang min"])
    assert not mentions(" ", ["my wife"])


def test_words_are_shared_in_any_script() -> None:
    assert shares_words("Zürich, Switzerland", "I live in ZÜRICH")
    assert shares_words("北京市", "我住在北京")
    assert not shares_words("Rome", "I live in Romania")
