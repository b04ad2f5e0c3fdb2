import threading

import pytest

from llm.errors import ModelUnavailable
from llm.types import Embeddings
from memory.search.embedding_prefetch import MAX_GUESSES, EmbeddingPrefetch
from tests.fake_gateway import FakeEmbedder


class Watched(FakeEmbedder):
    """Remembers in which thread each list of texts was embedded."""

    def __init__(self, name: str = "watched") -> None:
        super().__init__(name=name)
        self.asked: list[tuple[tuple[str, ...], bool]] = []
        self.questions: list[tuple[str, bool]] = []

    def embed_documents(self, texts) -> Embeddings:
        here = threading.current_thread() is threading.main_thread()
        self.asked.append((tuple(texts), here))
        return super().embed_documents(texts)

    def embed_query(self, text) -> Embeddings:
        here = threading.current_thread() is threading.main_thread()
        self.questions.append((text, here))
        return super().embed_query(text)


def test_expected_texts_are_embedded_once_in_another_thread():
    embedder, plain = Watched(), FakeEmbedder()
    with EmbeddingPrefetch() as ahead:
        served = ahead.serving(embedder)
        ahead.expect_question(embedder, "Which cat?")
        given = served.embed_query("Which cat?")
        served.embed_query("Which dog?")
        assert (given.vectors == plain.embed_query("Which cat?").vectors).all()
        for texts in (["a cat", "a dog"], ["a heron"]):
            ahead.expect(embedder, texts)
        given = ahead.take(embedder, ["a cat", "a dog"])
        assert (given.vectors == plain.embed_documents(["a cat", "a dog"]).vectors).all()
        given = served.embed_documents(["a heron"])
        assert (given.vectors == plain.embed_documents(["a heron"]).vectors).all()
        assert (served.model, served.probe()) == (embedder.model, embedder.probe())
    assert embedder.questions == [("Which cat?", False), ("Which dog?", True)]
    expected = [(("a cat", "a dog"), False), (("a heron",), False)]
    assert [each for each in embedder.asked if each[0] in dict(expected)] == expected


def test_wrong_guesses_are_dropped():
    embedder = Watched()
    with EmbeddingPrefetch() as ahead:
        for number in range(MAX_GUESSES + 1):
            ahead.expect(embedder, [f"guess {number}"])
        ahead.take(embedder, ["guess 0"])
    assert (("guess 0",), True) in embedder.asked


def test_a_question_is_no_document_and_models_share_nothing():
    old, new = Watched("old"), Watched("new")
    with EmbeddingPrefetch() as ahead:
        ahead.expect_question(new, "a cat")
        ahead.expect(old, ["a cat"])
        ahead.take(new, ["a cat"])
    assert (("a cat",), True) in new.asked


def test_a_failure_is_raised_only_where_the_texts_are_asked_for():
    embedder = Watched()
    embedder.fail_with(ModelUnavailable("Away."))
    with EmbeddingPrefetch() as ahead:
        ahead.expect(embedder, ["a cat"])
        with pytest.raises(ModelUnavailable):
            ahead.take(embedder, ["a cat"])
        embedder.fail_with(None)
        assert len(ahead.take(embedder, ["a cat"]).vectors) == 1
        embedder.fail_with(ModelUnavailable("Away."))
        ahead.expect(embedder, ["never asked for"])


def test_a_paid_model_is_never_asked_on_a_guess():
    remote = Watched()
    object.__setattr__(remote.model, "local", False)
    with EmbeddingPrefetch() as ahead:
        ahead.expect(remote, ["a cat"])
        ahead.expect(remote, [])
    assert remote.asked == []
