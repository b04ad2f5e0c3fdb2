from hypothesis import given
from hypothesis import strategies as st

from memory.pages.highlighting import PASSAGE, Mark, found_words, passage, pieces

MARKS = st.lists(st.builds(Mark, st.integers(-5, 60), st.integers(-5, 60), st.integers(0, 9)))


@given(st.text(max_size=50), MARKS)
def test_pieces_lose_nothing_and_mark_exactly_what_was_asked(text: str, marks: list[Mark]):
    found = pieces(text, marks)
    flags = [piece.marked for piece in found for _ in piece.text]
    assert "".join(piece.text for piece in found) == text
    assert flags == [any(mark.start <= at < mark.end for mark in marks) for at in range(len(text))]
    ends = {number for piece in found for number in piece.ends}
    assert ends == {m.number for m in marks if m.number and max(0, m.start) < min(len(text), m.end)}


@given(st.text(max_size=3000), st.integers(0, 3000), st.lists(st.text(max_size=9), max_size=3))
def test_a_passage_is_a_verbatim_part(text: str, start: int, words: list[str]):
    found = passage(text, (start, start + 10), words)
    shown = "".join(piece.text for piece in found.pieces)

    assert shown in text
    assert len(shown) <= PASSAGE
    assert found.before or text.startswith(shown)
    assert found.after or text.endswith(shown)


def test_words_are_found_in_any_form_and_script():
    def marked(text: str, *words: str) -> list[str]:
        return [text[start:end] for start, end in found_words(text, words)]

    assert marked("She bakes; baking is baked in.", "bake") == ["bakes", "baking", "baked"]
    assert marked("我每天早上喂酵母", "酵", "母") != []
    assert marked("Привет, МОСКВА!", "москва") == ["МОСКВА"] or marked("Привет, МОСКВА!", "москв") == [
        "МОСКВА"
    ]
    assert marked("the of and", "the") == []
