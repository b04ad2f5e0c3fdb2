import threading

import pytest

from llm.errors import ModelUnavailable
from memory.search.embedding_prefetch import MAX_GUESSES, EmbeddingPrefetch
from tests.fake_gateway import FakeEmbedder


class RecordingEmbedder(FakeEmbedder):
    """Records whether texts were embedded in the main thread."""

    def __init__(self, name="watched"):
        super().__init__(name=name)
        self.documents: list[tuple[tuple[str, ...], bool]] = []
        self.questions: list[tuple[str, bool]] = []

    def embed_documents(self, texts):
        in_main_thread = threading.current_thread() is threading.main_thread()
        self.documents.append((tuple(texts), in_main_thread))
        return super().embed_documents(texts)

    def embed_query(self, text):
        in_main_thread = threading.current_thread() is threading.main_thread()
        self.questions.append((text, in_main_thread))
        return super().embed_query(text)


def test_expected_texts_are_embedded_once_in_another_thread():
    embedder, plain = RecordingEmbedder(), FakeEmbedder()
    with EmbeddingPrefetch() as prefetch:
        prefetch.expect_question(embedder, "Which cat?")
        embedded = prefetch.take_question(embedder, "Which cat?")
        prefetch.take_question(embedder, "Which dog?")
        assert (embedded.vectors == plain.embed_query("Which cat?").vectors).all()
        for texts in (["a cat", "a dog"], ["a heron"]):
            prefetch.expect(embedder, texts)
        embedded = prefetch.take(embedder, ["a cat", "a dog"])
        assert (embedded.vectors == plain.embed_documents(["a cat", "a dog"]).vectors).all()
        embedded = prefetch.take(embedder, ["a heron"])
        assert (embedded.vectors == plain.embed_documents(["a heron"]).vectors).all()
    assert embedder.questions == [("Which cat?", False), ("Which dog?", True)]
    expected = [(("a cat", "a dog"), False), (("a heron",), False)]
    assert [each for each in embedder.documents if each[0] in dict(expected)] == expected


def test_guesses_beyond_the_limit_are_dropped():
    embedder = RecordingEmbedder()
    with EmbeddingPrefetch() as prefetch:
        for number in range(MAX_GUESSES + 1):
            prefetch.expect(embedder, [f"guess {number}"])
        prefetch.take(embedder, ["guess 0"])
    assert (("guess 0",), True) in embedder.documents


def test_prefetched_vectors_are_kept_apart_by_kind_and_model():
    old, new = RecordingEmbedder("old"), RecordingEmbedder("new")
    with EmbeddingPrefetch() as prefetch:
        prefetch.expect_question(new, "a cat")
        prefetch.expect(old, ["a cat"])
        prefetch.take(new, ["a cat"])
    assert (("a cat",), True) in new.documents


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
    assert remote.documents == []
