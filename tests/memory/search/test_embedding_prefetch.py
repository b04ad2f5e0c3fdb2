import threading

import pytest

from llm.errors import ModelUnavailable
from llm.fake_gateway import FakeEmbedder
from llm.types import Embeddings
from memory.search.embedding_prefetch import MOST_GUESSES, EmbeddingAhead


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


def test_a_question_that_was_expected_is_embedded_once_and_elsewhere():
    embedder = Watched()
    with EmbeddingAhead() as ahead:
        ahead.expect_question(embedder, "Which cat?")
        given = ahead.serving(embedder).embed_query("Which cat?")
        ahead.serving(embedder).embed_query("Which dog?")
    assert embedder.questions == [("Which cat?", False), ("Which dog?", True)]
    assert (given.vectors == FakeEmbedder().embed_query("Which cat?").vectors).all()


def test_what_was_expected_is_embedded_once_and_elsewhere():
    embedder = Watched()
    with EmbeddingAhead() as ahead:
        ahead.expect(embedder, ["a cat", "a dog"])
        given = ahead.take(embedder, ["a cat", "a dog"])
    assert embedder.asked == [(("a cat", "a dog"), False)]
    assert (given.vectors == FakeEmbedder().embed_documents(["a cat", "a dog"]).vectors).all()


def test_the_next_may_be_expected_before_the_present_is_asked_for():
    embedder = Watched()
    with EmbeddingAhead() as ahead:
        for texts in (["one"], ["two"]):
            ahead.expect(embedder, texts)
        ahead.take(embedder, ["one"])
        ahead.take(embedder, ["two"])
    assert embedder.asked == [(("one",), False), (("two",), False)]


def test_a_wrong_guess_does_not_stay_for_ever():
    embedder = Watched()
    with EmbeddingAhead() as ahead:
        for number in range(MOST_GUESSES + 1):
            ahead.expect(embedder, [f"guess {number}"])
        ahead.take(embedder, ["guess 0"])
    assert (("guess 0",), True) in embedder.asked


def test_a_question_is_no_document_and_models_share_nothing():
    old, new = Watched("old"), Watched("new")
    with EmbeddingAhead() as ahead:
        ahead.expect_question(new, "a cat")
        ahead.expect(old, ["a cat"])
        ahead.take(new, ["a cat"])
    assert (("a cat",), True) in new.asked


def test_a_failure_is_told_to_who_asks_and_to_nobody_else():
    embedder = Watched()
    embedder.fail_with(ModelUnavailable("Away."))
    with EmbeddingAhead() as ahead:
        ahead.expect(embedder, ["a cat"])
        with pytest.raises(ModelUnavailable):
            ahead.take(embedder, ["a cat"])
        embedder.fail_with(None)
        assert len(ahead.take(embedder, ["a cat"]).vectors) == 1
        embedder.fail_with(ModelUnavailable("Away."))
        ahead.expect(embedder, ["never asked for"])


def test_a_model_that_costs_money_is_not_asked_on_a_guess():
    remote = Watched()
    object.__setattr__(remote.model, "local", False)
    with EmbeddingAhead() as ahead:
        ahead.expect(remote, ["a cat"])
        ahead.expect(remote, [])
    assert remote.asked == []


def test_an_embedder_served_ahead_is_the_same_embedder():
    embedder = Watched()
    with EmbeddingAhead() as ahead:
        served = ahead.serving(embedder)
        ahead.expect(embedder, ["a cat"])
        given = served.embed_documents(["a cat"])
        assert (given.vectors == FakeEmbedder().embed_documents(["a cat"]).vectors).all()
        assert embedder.asked == [(("a cat",), False)]
        question = served.embed_query("a cat")
        assert (question.vectors == FakeEmbedder().embed_query("a cat").vectors).all()
        assert (served.model, served.probe()) == (embedder.model, embedder.probe())
