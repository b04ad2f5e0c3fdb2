import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.chunking import LIMIT, OVERLAP, SIZE, chunks

SENTENCE = "The quick brown fox jumps over the lazy dog. "


@pytest.mark.parametrize("text", ["", " ", "\n\n\t \u3000"])
def test_nothing_for_blank_text(text):
    assert chunks(text) == ()


def test_a_short_text_is_one_whole_piece():
    (only,) = chunks("Hello there.")
    assert (only.start, only.end, only.text) == (0, 12, "Hello there.")


def test_pieces_end_with_sentences_and_repeat_the_end_of_the_one_before():
    text = SENTENCE * 100
    found = chunks(text)
    assert all(piece.text.endswith(". ") for piece in found)
    for one, following in pairwise(found):
        assert 0 < one.end - following.start <= OVERLAP
        assert text[following.start - 1] == " "


def test_a_paragraph_is_the_favourite_place_to_break():
    first = "One sentence. " * 70
    found = chunks(first + "\n\n" + "Another one. " * 70)
    assert found[0].text == first + "\n\n"


def test_a_word_without_any_break_is_cut_at_the_size():
    found = chunks("x" * 3000)
    assert [len(piece.text) for piece in found] == [SIZE, SIZE, 3000 - 2 * (SIZE - OVERLAP)]


@pytest.mark.parametrize("script", ["你好世界", "привет ", "안녕하세요 ", "ภาษาไทย"])
def test_pieces_are_shorter_where_a_token_is_one_character(script):
    assert max(len(piece.text) for piece in chunks(script * 1000)) <= SIZE // 3 + SIZE // 12


def test_letters_keep_their_marks_and_families_stay_together():
    family = "👨‍👩‍👧"
    for piece in chunks(family * 500):
        assert piece.text[0] == "👨"
        assert piece.text[-1] == "👧"


def test_of_a_very_long_text_the_beginning_and_the_end_are_kept():
    text = SENTENCE * 10_000
    found = chunks(text)
    assert len(found) == LIMIT == 64
    assert found[0].start == 0
    assert found[-1].end == len(text)
    jumps = [one for one, following in pairwise(found) if one.end < following.start]
    assert jumps == [found[47]]


def test_a_megabyte_takes_no_noticeable_time():
    started = time.process_time()
    for text in (SENTENCE * 23_000, "x" * 1_000_000, "\n" * 1_000_000, "你" * 1_000_000):
        chunks(text)
    assert time.process_time() - started < 10


@given(st.text(max_size=400), st.integers(5, 60), st.integers(0, 30))
def test_everything_is_covered_verbatim_in_order(text, size, overlap):
    found = chunks(text, size=size, overlap=overlap, limit=10_000)
    covered: set[int] = set()
    for piece in found:
        assert piece.text == text[piece.start : piece.end]
        assert 0 < len(piece.text) <= size
        covered.update(range(piece.start, piece.end))
    assert all(char.isspace() for i, char in enumerate(text) if i not in covered)
    assert [piece.start for piece in found] == sorted({piece.start for piece in found})
