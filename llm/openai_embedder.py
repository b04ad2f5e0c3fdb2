"""Embeddings from any OpenAI-compatible endpoint."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from llm.breaker import Breaker
from llm.configuration import LlmConfiguration
from llm.errors import EmbedderUnavailable, ModelError, ModelRateLimited, ModelReplyInvalid
from llm.gateway import Probe
from llm.openai_replies import EmbeddingAnswer, read_answer
from llm.openai_wire import answer_body, sync_client, time_limit
from llm.tokens import estimate_tokens, well_formed
from llm.types import EmbeddingModel, Embeddings, Usage, Vectors

_BATCH_TEXTS = 96
_BATCH_CHARS = 200_000
_PAUSES_S = (0.5, 2.0)
_LONGEST_PAUSE_S = 10.0


class OpenAIEmbedder:
    """An `Embedder` over HTTP, with a breaker over all its calls.

    Documents are tried three times; a question only once and briefly, because a reply waits for
    it. `pause` waits for a number of seconds.
    """

    def __init__(
        self,
        configuration: LlmConfiguration,
        model: EmbeddingModel,
        *,
        breaker: Breaker | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._configuration = configuration
        self._model = model
        self._breaker = breaker or Breaker(clock=time.monotonic)
        self._pause = pause
        self._client = sync_client(configuration, self)
        self._wire_name = configuration.name_at_endpoint(model.name.partition("@")[0])

    @property
    def model(self) -> EmbeddingModel:
        """The model at the endpoint."""
        return self._model

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One unit vector a text, in order; a blank text gets the vector of a full stop."""
        no_rows = np.empty((0, self._model.dimensions), dtype=np.float32)
        with self._billed() as bill:
            parts = [self._embedded_patiently(batch, bill) for batch in batches(texts)]
        return Embeddings(np.concatenate([no_rows, *parts]), self._usage(bill))

    def embed_query(self, text: str) -> Embeddings:
        """One unit vector for a question."""
        limit = self._configuration.query_embedding_timeout_s
        with self._billed() as bill:
            vectors = self._embedded([_sendable(text)], limit, bill)
        return Embeddings(vectors, self._usage(bill))

    def probe(self) -> Probe:
        """Whether the breaker lets calls through; does not spend a call on it."""
        if self._breaker.state == "closed":
            return Probe("up", "The embedding endpoint has not failed.")
        return Probe("degraded", _RESTING)

    @contextmanager
    def _billed(self) -> Iterator["_Bill"]:
        """Lets a failure tell what was paid for before it."""
        bill = _Bill()
        try:
            yield bill
        except ModelError as failure:
            failure.spent = self._usage(bill) if bill.tokens else None
            raise

    def _embedded_patiently(self, batch: Sequence[str], bill: "_Bill") -> Vectors:
        limit = self._configuration.reply_timeout_s
        for planned in _PAUSES_S:
            try:
                return self._embedded(batch, limit, bill)
            except EmbedderUnavailable:
                raise
            except ModelError as failure:
                if failure.permanent:
                    raise
                self._pause(_wait(failure, planned))
        return self._embedded(batch, limit, bill)

    def _embedded(self, batch: Sequence[str], timeout_s: float, bill: "_Bill") -> Vectors:
        if not self._breaker.admits():
            raise EmbedderUnavailable(_RESTING)
        try:
            answer = self._answer(batch, timeout_s)
            bill.add(answer, batch)
            vectors = _unit_rows(answer, len(batch), self._model.dimensions)
        except ModelError as failure:
            if not failure.permanent:
                self._breaker.failed()
            raise
        self._breaker.succeeded()
        return vectors

    def _answer(self, batch: Sequence[str], timeout_s: float) -> EmbeddingAnswer:
        opening = self._client.embeddings.with_streaming_response.create(
            model=self._wire_name,
            input=list(batch),
            encoding_format="float",
            timeout=time_limit(self._configuration, timeout_s),
        )
        return read_answer(answer_body(opening, timeout_s), EmbeddingAnswer)

    def _usage(self, bill: "_Bill") -> Usage:
        return Usage(
            model=self._model.name,
            input_tokens=bill.tokens,
            output_tokens=0,
            latency_ms=round((time.monotonic() - bill.started) * 1000),
            cost_usd=self._configuration.prices.cost_usd(self._wire_name, bill.tokens, 0),
            estimated=bill.estimated,
        )


@dataclass(slots=True)
class _Bill:
    """What the requests of one call took, the unreadable answers among them included."""

    started: float = field(default_factory=time.monotonic)
    tokens: int = 0
    estimated: bool = False

    def add(self, answer: EmbeddingAnswer, batch: Sequence[str]) -> None:
        """Count an answer as the endpoint counts it, else by an estimate."""
        counted = answer.usage.prompt_tokens if answer.usage else 0
        self.estimated = self.estimated or not counted
        self.tokens += counted or sum(estimate_tokens(text) for text in batch)


_RESTING = "The embedding endpoint failed several times in a row and is given a rest."


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, in lists an endpoint takes at once, ready to be sent."""
    batch: list[str] = []
    size = 0
    for text in map(_sendable, texts):
        if batch and (len(batch) == _BATCH_TEXTS or size + len(text) > _BATCH_CHARS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _sendable(text: str) -> str:
    # Endpoints refuse a whole batch for one blank text.
    return well_formed(text) if text.strip() else "."


def _wait(failure: ModelError, planned: float) -> float:
    asked = failure.retry_after if isinstance(failure, ModelRateLimited) else None
    return planned if asked is None else min(max(planned, asked), _LONGEST_PAUSE_S)


def _unit_rows(answer: EmbeddingAnswer, count: int, dimensions: int) -> Vectors:
    rows = sorted(answer.data, key=lambda row: row.index)
    if [row.index for row in rows] != list(range(count)):
        raise ModelReplyInvalid("The embedding endpoint did not send one vector for each text.")
    if any(len(row.embedding) != dimensions for row in rows):
        raise ModelReplyInvalid(
            f"The embedding model does not give vectors of {dimensions} numbers.", permanent=True
        )
    vectors = np.array([row.embedding for row in rows], dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or not np.all(lengths > 0):
        raise ModelReplyInvalid("The embedding endpoint sent a vector without a direction.")
    return np.asarray(vectors / lengths, dtype=np.float32)
