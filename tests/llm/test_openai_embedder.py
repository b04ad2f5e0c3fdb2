"""The remote embedder and its breaker, through the real client against a real HTTP server."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from llm.embedding_models import remote_model
from llm.errors import EmbedderUnavailable, ModelRefused, ModelReplyInvalid, ModelTimeout, ModelUnavailable
from llm.openai_embedder import Breaker, OpenAIEmbedder, batches
from tests.openai_server import Behaviour

SMALL = remote_model("text-embedding-3-small")
ZERO = {"index": 0, "embedding": [0.0] * 1536}


@pytest.fixture
def clock():
    return SimpleNamespace(now=1000.0)


@pytest.fixture
def embedder(configuration, clock):
    """An embedder that records its pauses instead of sleeping."""
    pauses = []
    breaker = Breaker(clock=lambda: clock.now)
    made = OpenAIEmbedder(configuration, SMALL, breaker=breaker, pause=pauses.append)
    made.pauses = pauses
    return made


def test_vectors_keep_the_order_and_have_unit_length(server, embedder):
    texts = [f"word{number} and more" for number in range(196)] + ["fine", "", " \n", "half \ud83d"]
    embeddings = embedder.embed_documents(texts)
    assert (embeddings.vectors.shape, embeddings.vectors.dtype) == ((200, 1536), np.float32)
    np.testing.assert_allclose(np.linalg.norm(embeddings.vectors, axis=1), 1.0, atol=1e-5)
    alone = embedder.embed_query(texts[150]).vectors[0]
    np.testing.assert_allclose(embeddings.vectors[150], alone, atol=1e-6)
    assert [len(request.body["input"]) for request in server.requests] == [96, 96, 8, 1]
    assert server.requests[2].body["input"][-4:] == ["fine", ".", ".", "half ?"]
    assert embeddings.usage.input_tokens >= 600
    assert embeddings.usage.cost_usd > 0


def test_batches_are_bounded_and_complete():
    texts = ["x" * 90_000] * 5 + ["short"] * 100 + ["y" * 300_000]
    parts = list(batches(texts))
    assert [text for part in parts for text in part] == texts
    assert [part for part in parts if len(part) > 96] == []
    assert [part for part in parts if sum(map(len, part)) > 200_000 and len(part) > 1] == []


@pytest.mark.parametrize(
    ("behaviours", "expected"),
    [
        ([Behaviour(status=503), Behaviour(status=429, retry_after="4")], [0.5, 4.0]),
        ([Behaviour(status=429, retry_after="3600")], [10.0]),
    ],
)
def test_documents_are_retried_with_bounded_pauses(server, embedder, behaviours, expected):
    server.script(*behaviours)
    assert embedder.embed_documents(["a"]).vectors.shape == (1, 1536)
    assert embedder.pauses == expected


@pytest.mark.parametrize(
    ("method", "behaviour", "error"),
    [
        ("embed_documents", Behaviour(status=401), ModelRefused),
        ("embed_query", Behaviour(stall_s=30), ModelTimeout),
        ("embed_query", Behaviour(status=500), ModelUnavailable),
    ],
)
def test_refusals_and_questions_are_not_retried(server, configuration, method, behaviour, error):
    pauses = []
    impatient = replace(configuration, query_embedding_timeout_s=0.3)
    server.script(behaviour)
    with pytest.raises(error):
        getattr(OpenAIEmbedder(impatient, SMALL, pause=pauses.append), method)("a")
    assert (pauses, len(server.requests)) == ([], 1)


@pytest.mark.parametrize(
    ("behaviour", "permanent"),
    [
        (Behaviour(dimensions=384), True),
        (Behaviour(drops_vectors=1), False),
        (Behaviour(raw="not json"), False),
        (Behaviour(body={"data": [ZERO, ZERO]}), False),
        (Behaviour(body={"data": [ZERO, {**ZERO, "index": 1}]}), False),
    ],
)
def test_unusable_answers_are_refused(server, embedder, behaviour, permanent):
    server.script(*[behaviour] * 3)
    with pytest.raises(ModelReplyInvalid) as failure:
        embedder.embed_documents(["a", "b"])
    assert failure.value.permanent is permanent


def test_breaker_pauses_calls_and_recovers(server, embedder, clock):
    server.script(*[Behaviour(status=500)] * 3)
    with pytest.raises(ModelUnavailable):
        embedder.embed_documents(["a"])
    with pytest.raises(EmbedderUnavailable, match="pausing before it tries again") as refusal:
        embedder.embed_query("a")
    assert not refusal.value.permanent
    assert len(server.requests) == 3
    assert embedder.probe().state == "degraded"
    clock.now += 30
    assert embedder.embed_query("a").vectors.shape == (1, 1536)
    assert embedder.probe().state == "up"


@pytest.mark.parametrize("report", [Breaker.succeeded, Breaker.failed, lambda breaker: None])
def test_breaker_opens_for_a_pause_and_then_admits_one_trial(clock, report):
    breaker = Breaker(clock=lambda: clock.now)
    for call in (*[Breaker.failed, Breaker.succeeded] * 5, *[Breaker.failed] * 3):
        assert breaker.admits()
        call(breaker)
    clock.now += 29.9
    assert (breaker.is_closed, breaker.admits()) == (False, False)
    clock.now += 0.1
    assert (breaker.admits(), breaker.admits()) == (True, False)
    report(breaker)
    succeeded = report is Breaker.succeeded
    assert (breaker.is_closed, breaker.admits()) == (succeeded, succeeded)
    clock.now += 29
    assert breaker.admits() is succeeded
    clock.now += 1
    assert breaker.admits()
