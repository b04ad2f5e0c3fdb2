import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory.text.chunking import LIMIT, OVERLAP, SIZE, chunks

SENTENCE = "The quick brown fox jumps over the lazy dog. "


def test_chunks_of_blank_short_and_unbreakable_texts():
    for text in ("", " ", "\n\n\t \u3000"):
        assert chunks(text) == ()
    (only,) = chunks("Hello there.")
    assert (only.start, only.end, only.text) == (0, 12, "Hello there.")
    sizes = [len(piece.text) for piece in chunks("x" * 3000)]
    assert sizes == [SIZE, SIZE, 3000 - 2 * (SIZE - OVERLAP)]


def test_chunks_break_at_paragraphs_are_shorter_in_dense_scripts_and_never_split_a_character():
    first = "One sentence. " * 70
    assert chunks(first + "\n\n" + "Another one. " * 70)[0].text == first + "\n\n"
    for script in ("你好世界", "привет ", "안녕하세요 ", "ภาษาไทย"):
        assert max(len(piece.text) for piece in chunks(script * 1000)) <= SIZE // 3 + SIZE // 12
    for piece in chunks("👨‍👩‍👧" * 500):
        assert (piece.text[0], piece.text[-1]) == ("👨", "👧")


def test_chunks_end_with_sentences_and_overlap_the_previous_chunk():
    text = SENTENCE * 100
    found = chunks(text)
    assert all(piece.text.endswith(". ") for piece in found)
    for one, following in pairwise(found):
        assert 0 < one.end - following.start <= OVERLAP
        assert text[following.start - 1] == " "


def test_a_very_long_text_keeps_its_beginning_and_end():
    text = SENTENCE * 10_000
    found = chunks(text)
    assert len(found) == LIMIT == 64
    assert found[0].start == 0
    assert found[-1].end == len(text)
    jumps = [one for one, following in pairwise(found) if one.end < following.start]
    assert jumps == [found[47]]


def test_a_megabyte_is_chunked_quickly():
    started = time.process_time()
    for text in (SENTENCE * 23_000, "x" * 1_000_000, "\n" * 1_000_000, "你" * 1_000_000):
        chunks(text)
    assert time.process_time() - started < 10


@given(st.text(max_size=400), st.integers(5, 60), st.integers(0, 30))
def test_chunks_cover_the_text_verbatim_in_order(text, size, overlap):
    found = chunks(text, size=size, overlap=overlap, limit=10_000)
    covered: set[int] = set()
    for piece in found:
        assert piece.text == text[piece.start : piece.end]
        assert 0 < len(piece.text) <= size
        covered.update(range(piece.start, piece.end))
    assert all(char.isspace() for i, char in enumerate(text) if i not in covered)
    assert [piece.start for piece in found] == sorted({piece.start for piece in found})
