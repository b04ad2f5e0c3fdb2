"""Chunks and sentences of drawers, their vectors, and vectors computed ahead."""

import threading
from itertools import pairwise
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.errors import ModelUnavailable
from memory.search.embedding import CHUNK_LIMIT, DrawerText, embed_drawers
from memory.search.embedding_prefetch import MAX_GUESSES, EmbeddingPrefetch
from memory.search.sentence_vectors import MAX_CHARACTERS, MAX_ITEMS, nearest_sentence, pack, spoken_sentences
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
    found = spoken_sentences(TEXT)
    assert [each.text for each in found] == [
        "Can you help me to plan the meals of the coming week?",
        "By the way, I replaced the old kitchen tap with a new one on Sunday. Something quick would be best.",
    ]
    assert [each for each in found if TEXT[each.start : each.end].strip() != each.text] == []
    chinese = ["我昨天在厨房里换了一个新的水龙头。", "下个星期我要去上海看我的姐姐王敏。"]
    assert [each.text for each in spoken_sentences("".join(chinese))] == chinese
    endless = "One sentence that goes on for quite a while without ever coming to an end"
    for text in ("", "Yes. No. Perhaps.", endless, "My cat is called Miso. " * 2_000):
        assert spoken_sentences(text) == ()
    found = spoken_sentences(
        " ".join(f"This is the sentence with the number {n} of this text." for n in range(60))
    )
    assert len(found) == MAX_ITEMS, "of a long text, those at both ends"
    assert "number 0 " in found[0].text
    assert "number 59 " in found[-1].text


@given(st.text(max_size=MAX_CHARACTERS + 10))
def test_any_text_gives_well_formed_sentences_in_order(text):
    found = spoken_sentences(text)
    assert len(found) != 1
    assert [each for each in found if not 0 <= each.start < each.end <= len(text)] == []
    assert [(a, b) for a, b in pairwise(found) if a.end > b.start] == []


def test_the_nearest_sentence_is_found_in_packed_vectors():
    found, vectors = spoken_sentences(TEXT), units(2)
    kept = pack(found, list(vectors))
    cosine, start, length = nearest_sentence(kept, vectors[1])
    assert cosine == pytest.approx(1.0, abs=0.01)
    assert (start, start + length) == (found[1].start, found[1].end)
    for question in units(50, seed=4):
        exact = float((vectors @ question).max())
        assert nearest_sentence(kept, question)[0] == pytest.approx(exact, abs=0.005)
    assert nearest_sentence(b"", units(1)[0]) is None


def rows(*texts):
    fake = FakeEmbedder()
    embedded = embed_drawers(fake, [DrawerText(UUID(int=n), text) for n, text in enumerate(texts)])
    return fake.embedded, embedded.rows


def test_long_drawers_are_embedded_in_overlapping_chunks():
    text = "The heron waits by the lighthouse. " * 60
    _, made = rows(text)
    ranges = [(row.start, row.start + row.length) for row in made]
    assert len(ranges) > 1
    assert (ranges[0][0], ranges[-1][1]) == (0, len(text))
    assert [(start, end) for (_, end), (start, _) in pairwise(ranges) if not 0 < end - start <= 150] == []
    assert [row for row in made if abs(float(row.vector @ row.vector) - 1) >= 0.001] == []


def test_equal_texts_are_embedded_once_and_blank_ones_never():
    embedded, made = rows("Hm.", "Hm.", "Oh.")
    assert embedded == ["Hm.", "Oh."]
    assert [row.drawer_id.int for row in made] == [0, 1, 2]
    assert rows() == rows("") == rows(" \n") == ([], ())


def test_only_both_ends_of_a_very_long_text_are_embedded():
    text = "".join(f"Sentence number {n} ends here. " for n in range(40_000))
    _, made = rows(text)
    assert len(made) == CHUNK_LIMIT, "of a very long text, those at both ends"
    assert made[0].start == 0
    assert made[-1].start + made[-1].length == len(text)


class RecordingEmbedder(FakeEmbedder):
    """Records whether texts were embedded in the main thread."""

    def __init__(self, name="watched"):
        super().__init__(name=name)
        self.asked: list[tuple[tuple[str, ...], bool]] = []

    def embed_documents(self, texts):
        self.asked.append((tuple(texts), threading.current_thread() is threading.main_thread()))
        return super().embed_documents(texts)


def test_expected_texts_are_embedded_once_in_another_thread():
    embedder, plain = RecordingEmbedder(), FakeEmbedder()
    with EmbeddingPrefetch() as prefetch:
        prefetch.expect(embedder, "Which cat?")
        embedded = prefetch.take(embedder, "Which cat?")
        prefetch.take(embedder, "Which dog?")
        assert (embedded.vectors == plain.embed_query("Which cat?").vectors).all()
        groups = (["a cat", "a dog"], ["a heron"])
        for texts in groups:
            prefetch.expect(embedder, texts)
        for texts in groups:
            embedded = prefetch.take(embedder, texts)
            assert (embedded.vectors == plain.embed_documents(texts).vectors).all()
    assert embedder.asked == [
        (("Which cat?",), False),
        (("Which dog?",), True),
        (("a cat", "a dog"), False),
        (("a heron",), False),
    ]


def test_prefetched_vectors_are_limited_in_number():
    embedder = RecordingEmbedder()
    with EmbeddingPrefetch() as prefetch:
        for number in range(MAX_GUESSES + 1):
            prefetch.expect(embedder, [f"guess {number}"])
        prefetch.take(embedder, ["guess 0"])
    assert (("guess 0",), True) in embedder.asked


def test_prefetched_vectors_are_kept_apart_by_kind_and_model():
    old, new = RecordingEmbedder("old"), RecordingEmbedder("new")
    with EmbeddingPrefetch() as prefetch:
        prefetch.expect(new, "a cat")
        prefetch.expect(old, ["a cat"])
        prefetch.take(new, ["a cat"])
    assert (("a cat",), True) in new.asked


def test_a_failure_is_raised_only_when_the_texts_are_taken():
    embedder = RecordingEmbedder()
    embedder.fail_with(ModelUnavailable("Away."))
    with EmbeddingPrefetch() as prefetch:
        prefetch.expect(embedder, ["a cat"])
        with pytest.raises(ModelUnavailable):
            prefetch.take(embedder, ["a cat"])
        embedder.fail_with(None)
        assert len(prefetch.take(embedder, ["a cat"]).vectors) == 1
        embedder.fail_with(ModelUnavailable("Away."))
        prefetch.expect(embedder, ["never asked for"])


def test_paid_models_are_never_prefetched():
    remote = RecordingEmbedder()
    object.__setattr__(remote.model, "local", False)
    with EmbeddingPrefetch() as prefetch:
        prefetch.expect(remote, ["a cat"])
        prefetch.expect(remote, [])
    assert remote.asked == []
