"""The remote embedder through the real client against a real HTTP server."""

from dataclasses import replace

import numpy as np
import pytest

from llm.breaker import Breaker
from llm.configuration import LlmConfiguration
from llm.embedding_models import remote_model
from llm.errors import (
    EmbedderUnavailable,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
)
from llm.openai_embedder import OpenAIEmbedder, batches
from llm.types import EmbeddingModel
from tests.openai_server import Behaviour


def known(name: str) -> EmbeddingModel:
    model = remote_model(name)
    assert model is not None
    return model


SMALL = known("text-embedding-3-small")


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def embedder(
    configuration: LlmConfiguration, pauses: list[float], clock: list[float]
) -> OpenAIEmbedder:
    breaker = Breaker(clock=lambda: clock[0])
    return OpenAIEmbedder(configuration, SMALL, breaker=breaker, pause=pauses.append)


def test_vectors_come_in_the_order_of_the_texts_and_unit_length(server, embedder):
    texts = [f"word{number} and more" for number in range(200)]
    embeddings = embedder.embed_documents(texts)
    assert embeddings.vectors.shape == (200, 1536)
    assert embeddings.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(embeddings.vectors, axis=1), 1.0, atol=1e-5)
    np.testing.assert_allclose(
        embeddings.vectors[150], embedder.embed_query(texts[150]).vectors[0], atol=1e-6
    )
    assert [len(request.body["input"]) for request in server.requests] == [96, 96, 8, 1]


def test_the_usage_counts_all_batches_and_has_a_price(server, embedder):
    texts = ["four words are here"] * 100
    usage = embedder.embed_documents(texts).usage
    assert usage.input_tokens >= 400
    assert usage.cost_usd is not None
    assert usage.cost_usd > 0


def test_no_texts_is_no_request(server, embedder):
    assert embedder.embed_documents([]).vectors.shape == (0, 1536)
    assert server.requests == []


def test_batches_are_bounded_by_size_and_nothing_is_lost():
    texts = ["x" * 90_000] * 5 + ["short"] * 100 + ["y" * 300_000]
    parts = list(batches(texts))
    assert [text for part in parts for text in part] == texts
    assert all(len(part) <= 96 for part in parts)
    assert all(sum(map(len, part)) <= 200_000 or len(part) == 1 for part in parts)


def test_blank_and_broken_texts_do_not_spoil_the_batch(server, embedder):
    embedder.embed_documents(["fine", "", " \n", "half \ud83d"])
    assert server.requests[0].body["input"] == ["fine", ".", ".", "half ?"]


def test_documents_are_tried_three_times_with_growing_pauses(server, embedder, pauses):
    server.script(Behaviour(status=503), Behaviour(status=429, retry_after="4"))
    assert embedder.embed_documents(["a"]).vectors.shape == (1, 1536)
    assert pauses == [0.5, 4.0]
    assert len(server.requests) == 3


def test_a_long_wait_that_is_asked_for_is_bounded(server, embedder, pauses):
    server.script(Behaviour(status=429, retry_after="3600"))
    embedder.embed_documents(["a"])
    assert pauses == [10.0]


def test_a_refusal_is_not_tried_again(server, embedder, pauses):
    server.script(Behaviour(status=401))
    with pytest.raises(ModelRefused):
        embedder.embed_documents(["a"])
    assert pauses == []
    assert len(server.requests) == 1


def test_a_question_is_asked_once_and_briefly(server, configuration, pauses):
    hasty = OpenAIEmbedder(
        replace(configuration, query_embedding_timeout_s=0.3), SMALL, pause=pauses.append
    )
    server.script(Behaviour(stall_s=30), Behaviour(status=500))
    with pytest.raises(ModelTimeout):
        hasty.embed_query("where?")
    with pytest.raises(ModelUnavailable):
        hasty.embed_query("where?")
    assert pauses == []
    assert len(server.requests) == 2


def test_the_breaker_opens_rests_and_closes_after_a_good_trial(server, embedder, clock):
    server.script(*[Behaviour(status=500)] * 3)
    with pytest.raises(ModelUnavailable):
        embedder.embed_documents(["a"])
    with pytest.raises(EmbedderUnavailable, match="rest") as refusal:
        embedder.embed_query("a")
    assert not refusal.value.permanent
    assert len(server.requests) == 3
    assert embedder.probe().state == "degraded"
    clock[0] += 30
    assert embedder.embed_query("a").vectors.shape == (1, 1536)
    assert embedder.probe().state == "up"


def test_a_model_of_another_length_is_refused_for_good(server, embedder):
    server.script(Behaviour(dimensions=384))
    with pytest.raises(ModelReplyInvalid, match="1536") as refusal:
        embedder.embed_documents(["a"])
    assert refusal.value.permanent


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(drops_vectors=1),
        Behaviour(raw="not json"),
        Behaviour(body={"data": [{"index": 0, "embedding": [0.0] * 1536}] * 2}),
        Behaviour(
            body={"data": [{"index": place, "embedding": [0.0] * 1536} for place in range(2)]}
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(server, embedder, behaviour):
    server.script(*[behaviour] * 3)
    with pytest.raises(ModelReplyInvalid):
        embedder.embed_documents(["a", "b"])


def test_the_length_after_the_name_is_not_sent(server, configuration):
    model = known("mine@64")
    server.dimensions = 64
    embedder = OpenAIEmbedder(configuration, model)
    assert embedder.embed_query("a").vectors.shape == (1, 64)
    assert server.requests[0].body["model"] == "mine"
