from itertools import pairwise
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.embedding import CHUNK_LIMIT, DrawerText, embed_drawers
from memory.search.sentence_vectors import MAX_CHARACTERS, MAX_ITEMS, nearest_sentence, pack, sentences
from tests.fake_gateway import FakeEmbedder

TEXT = (
    "Can you help me to plan the meals of the coming week? "
    "By the way, I replaced the old kitchen tap with a new one on Sunday. "
    "Something quick would be best."
)


def units(count, dimensions=384, seed=3):
    rows = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_sentences_of_any_script_keep_their_offsets():
    found = sentences(TEXT)
    assert [each.text for each in found] == [
        "Can you help me to plan the meals of the coming week?",
        "By the way, I replaced the old kitchen tap with a new one on Sunday. Something quick would be best.",
    ]
    assert all(TEXT[each.start : each.end].strip() == each.text for each in found)
    chinese = ["我昨天在厨房里换了一个新的水龙头。", "下个星期我要去上海看我的姐姐王敏。"]
    assert [each.text for each in sentences("".join(chinese))] == chinese
    endless = "One sentence that goes on for quite a while without ever coming to an end"
    for text in ("", "Yes. No. Perhaps.", endless, "My cat is called Miso. " * 2_000):
        assert sentences(text) == ()


def test_sentences_of_a_long_text_are_selected_from_both_ends():
    text = " ".join(f"This is the sentence with the number {n} of this text." for n in range(60))
    found = sentences(text)
    assert len(found) == MAX_ITEMS
    assert "number 0 " in found[0].text
    assert "number 59 " in found[-1].text


@given(st.text(max_size=MAX_CHARACTERS + 10))
def test_any_text_gives_well_formed_sentences_in_order(text):
    found = sentences(text)
    assert len(found) != 1
    assert all(0 <= each.start < each.end <= len(text) for each in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_the_nearest_sentence_is_found_in_packed_vectors():
    found, vectors = sentences(TEXT), units(2)
    kept = pack(found, list(vectors))
    cosine, start, length = nearest_sentence(kept, vectors[1])
    assert cosine == pytest.approx(1.0, abs=0.01)
    assert (start, start + length) == (found[1].start, found[1].end)
    for question in units(50, seed=4):
        exact = float((vectors @ question).max())
        assert nearest_sentence(kept, question)[0] == pytest.approx(exact, abs=0.005)
    assert nearest_sentence(b"", units(1)[0]) is None


def rows(texts):
    fake = FakeEmbedder()
    embedded = embed_drawers(fake, [DrawerText(UUID(int=n), text) for n, text in enumerate(texts)])
    return fake, embedded


def test_chunks_have_their_offsets_in_the_text():
    text = "The heron waits by the lighthouse. " * 60
    _, embedded = rows([text])
    ranges = [(row.start, row.start + row.length) for row in embedded.rows]
    assert len(ranges) > 1
    assert (ranges[0][0], ranges[-1][1]) == (0, len(text))
    assert all(0 < end - start <= 150 for (_, end), (start, _) in pairwise(ranges))
    assert all(abs(float(row.vector @ row.vector) - 1) < 1e-3 for row in embedded.rows)


def test_equal_texts_are_embedded_once_and_blank_ones_never():
    fake, embedded = rows(["Hm.", "Hm.", "Oh."])
    assert fake.embedded == ["Hm.", "Oh."]
    assert [row.drawer_id.int for row in embedded.rows] == [0, 1, 2]
    for texts in ([], [""], [" \n"]):
        fake, embedded = rows(texts)
        assert (fake.embedded, embedded.rows) == ([], ())


def test_chunks_of_a_very_long_text_are_selected_from_both_ends():
    text = "".join(f"Sentence number {n} ends here. " for n in range(40_000))
    _, embedded = rows([text])
    assert len(embedded.rows) == CHUNK_LIMIT
    assert embedded.rows[0].start == 0
    assert embedded.rows[-1].start + embedded.rows[-1].length == len(text)
