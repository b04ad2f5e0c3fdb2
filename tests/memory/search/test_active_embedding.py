"""Which model is asked while another takes over, and what a question is compared with."""

import pytest

from llm import current
from llm.configuration import LlmConfiguration
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from memory.models import MemoryPreferences, Usage
from memory.recall.pipeline import recall
from memory.recall.retrieval import HALF_THE_MEANING
from memory.recall.types import RecallRequest, RecallSettings
from memory.search.active_embedding import answering_of, first_answer, readers
from memory.search.embedding_backfill import backfill
from memory.usage.records import Purpose
from tests.drills.ledger import NOW, converse, mine

SAID = ("I met a heron.", "Where?", "By the lake.", "And then?", "It flew away.", "A pity.")


@pytest.fixture
def small():
    fake = FakeEmbedder()
    with current.using(embedder=fake):
        yield fake


@pytest.fixture
def wide(small):
    fake = FakeEmbedder(name="wide", dimensions=1536)
    with current.using(other_embedders=[fake]):
        yield fake


@pytest.fixture
def switching(as_alice, small, wide):
    """Alice, whose new model has read two of six drawers."""
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    MemoryPreferences.objects.create(user_id=as_alice.id, embedding_model="wide")
    backfill(as_alice.id, 2, NOW)
    return as_alice


def asked(user, chosen):
    purpose = Purpose(user.id, Usage.Source.EMBED, NOW)
    return [(each.embedder.model.name, each.answers) for each in readers(chosen, purpose)]


def ask(user):
    settings = RecallSettings(embedding_model="wide", time_limit_ms=5_000, similarity_floor=0.0)
    return recall(RecallRequest(user.id, "Which bird did I meet?", NOW, settings=settings))


def test_before_there_is_any_vector_the_chosen_model_answers(as_alice, small, wide):
    assert answering_of(as_alice.id).space is None
    assert asked(as_alice, "") == [(small.model.name, True)]
    assert asked(as_alice, "wide") == [("wide", True)]


def test_the_model_before_answers_until_the_chosen_one_has_read_everything(switching, small, wide):
    assert asked(switching, "wide") == [(small.model.name, True), ("wide", False)]
    answer = ask(switching)
    assert answer.trace.retrievers["vectors"].found == 6
    assert not answer.trace.degraded

    backfill(switching.id, 100, NOW)
    assert asked(switching, "wide") == [("wide", True)]
    assert ask(switching).trace.retrievers["vectors"].found == 6


def test_a_chosen_model_that_is_not_offered_any_more_changes_nothing(switching, small):
    assert asked(switching, "gone") == [(small.model.name, True)]


def test_when_the_model_that_answers_is_away_the_new_one_answers_with_what_it_has_read(switching, small):
    small.fail_with(EmbedderUnavailable("Away."))
    answer = ask(switching)
    assert answer.trace.retrievers["vectors"].found == 2
    assert [each.words for each in answer.trace.degraded] == [HALF_THE_MEANING]


def test_when_no_model_can_be_had_words_answer_and_the_reason_is_told(switching, small, wide):
    small.fail_with(EmbedderUnavailable("The endpoint is given a rest."))
    wide.fail_with(EmbedderUnavailable("Away."))
    answer = ask(switching)
    assert "vectors" not in answer.trace.retrievers
    (degradation,) = answer.trace.degraded
    assert "given a rest" in degradation.words


def test_the_first_model_that_can_answers(switching, small):
    purpose = Purpose(switching.id, Usage.Source.EMBED, NOW)
    names = [each.embedder.model.name for each in readers("wide", purpose)]

    def ask_one(reader):
        tried.append(reader.embedder.model.name)
        raise EmbedderUnavailable(f"{reader.embedder.model.name} is away.")

    tried: list[str] = []
    with pytest.raises(EmbedderUnavailable, match=names[0]):
        first_answer(readers("wide", purpose), ask_one)
    assert tried == names
    with pytest.raises(EmbedderUnavailable):
        first_answer([], ask_one)


def test_an_earlier_model_of_the_endpoint_is_asked_though_it_is_not_offered():
    before = current.configuration()
    try:
        current.configure(
            LlmConfiguration(
                base_url="http://127.0.0.1:9/v1",
                embedding_model="nomic-embed-text",
                other_embedding_models=("bge-m3",),
            )
        )
        offered = [model.name for model in current.available_embedding_models()]
        assert offered == ["nomic-embed-text", "bge-small-en-v1.5-int8", "bge-m3"]
        assert current.earlier_embedder("mxbai-embed-large", "1").model.dimensions == 1024
        with pytest.raises(EmbedderUnavailable):
            current.embedder("mxbai-embed-large")
        with pytest.raises(EmbedderUnavailable):
            current.earlier_embedder("mxbai-embed-large", "2")
        with pytest.raises(EmbedderUnavailable):
            current.earlier_embedder("a-model-nobody-knows", "1")
    finally:
        current.configure(before)
