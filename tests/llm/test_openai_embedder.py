"""The remote embedder and its breaker, through the real client against a real HTTP server."""

from dataclasses import replace

import numpy as np
import pytest

from llm.embedding_models import remote_model
from llm.errors import EmbedderUnavailable, ModelRefused, ModelReplyInvalid, ModelTimeout, ModelUnavailable
from llm.openai_embedder import Breaker, OpenAIEmbedder, batches
from tests.openai_server import Behaviour

SMALL = remote_model("text-embedding-3-small")
assert SMALL is not None
ZERO = {"index": 0, "embedding": [0.0] * 1536}


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def embedder(configuration, pauses, clock):
    return OpenAIEmbedder(configuration, SMALL, breaker=Breaker(clock=clock), pause=pauses.append)


def test_vectors_keep_the_order_and_have_unit_length(server, embedder):
    texts = [f"word{number} and more" for number in range(200)]
    embeddings = embedder.embed_documents(texts)
    assert embeddings.vectors.shape == (200, 1536)
    assert embeddings.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(embeddings.vectors, axis=1), 1.0, atol=1e-5)
    alone = embedder.embed_query(texts[150]).vectors[0]
    np.testing.assert_allclose(embeddings.vectors[150], alone, atol=1e-6)
    assert [len(request.body["input"]) for request in server.requests] == [96, 96, 8, 1]
    assert embeddings.usage.input_tokens >= 600
    assert embeddings.usage.cost_usd > 0


def test_batches_are_bounded_and_complete():
    texts = ["x" * 90_000] * 5 + ["short"] * 100 + ["y" * 300_000]
    parts = list(batches(texts))
    assert [text for part in parts for text in part] == texts
    assert all(len(part) <= 96 for part in parts)
    assert all(sum(map(len, part)) <= 200_000 or len(part) == 1 for part in parts)


def test_blank_and_malformed_texts_do_not_fail_the_batch(server, embedder):
    embedder.embed_documents(["fine", "", " \n", "half \ud83d"])
    assert server.requests[0].body["input"] == ["fine", ".", ".", "half ?"]


@pytest.mark.parametrize(
    ("behaviours", "expected"),
    [
        ([Behaviour(status=503), Behaviour(status=429, retry_after="4")], [0.5, 4.0]),
        ([Behaviour(status=429, retry_after="3600")], [10.0]),
    ],
)
def test_documents_are_retried_with_bounded_pauses(server, embedder, pauses, behaviours, expected):
    server.script(*behaviours)
    assert embedder.embed_documents(["a"]).vectors.shape == (1, 1536)
    assert pauses == expected


def test_refusals_are_not_retried(server, embedder, pauses):
    server.script(Behaviour(status=401))
    with pytest.raises(ModelRefused):
        embedder.embed_documents(["a"])
    assert (pauses, len(server.requests)) == ([], 1)


@pytest.mark.parametrize(
    ("behaviour", "error"), [(Behaviour(stall_s=30), ModelTimeout), (Behaviour(status=500), ModelUnavailable)]
)
def test_questions_are_not_retried_and_time_out_early(server, configuration, pauses, behaviour, error):
    impatient = OpenAIEmbedder(
        replace(configuration, query_embedding_timeout_s=0.3), SMALL, pause=pauses.append
    )
    server.script(behaviour)
    with pytest.raises(error):
        impatient.embed_query("where?")
    assert (pauses, len(server.requests)) == ([], 1)


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


class TestBreaker:
    @pytest.fixture
    def opened(self, clock):
        breaker = Breaker(clock=clock, failures=3, rest_s=30)
        for _ in range(3):
            assert breaker.admits()
            breaker.failed()
        return breaker

    def test_stays_closed_while_calls_succeed_in_between(self, clock):
        breaker = Breaker(clock=clock, failures=2)
        for _ in range(5):
            breaker.failed()
            breaker.succeeded()
        assert breaker.admits()

    def test_opens_for_the_pause_and_then_admits_one_trial(self, clock, opened):
        clock.now += 29.9
        assert (opened.is_closed, opened.admits()) == (False, False)
        clock.now += 0.1
        assert (opened.admits(), opened.admits()) == (True, False)
        opened.succeeded()
        assert opened.is_closed
        assert opened.admits()
        assert opened.admits()

    @pytest.mark.parametrize("report", [Breaker.failed, lambda breaker: None])
    def test_failed_or_unreported_trial_starts_another_pause(self, clock, opened, report):
        clock.now += 30
        assert opened.admits()
        report(opened)
        clock.now += 29
        assert not opened.admits()
        clock.now += 1
        assert opened.admits()
