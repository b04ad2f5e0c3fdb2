"""Embeddings from any OpenAI-compatible endpoint, behind a circuit breaker."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from llm.configuration import LlmConfiguration
from llm.errors import EmbedderUnavailable, ModelError, ModelRateLimited, ModelReplyInvalid
from llm.gateway import Probe
from llm.metering import elapsed_ms
from llm.openai_client import MAX_DATA_BYTES, read_body, sync_client, timeout_of
from llm.openai_format import EmbeddingAnswer, read_answer
from llm.tokens import estimate_tokens, well_formed
from llm.types import EmbeddingModel, Embeddings, Usage, Vectors

_BATCH_TEXTS = 96
_BATCH_CHARS = 200_000
_RETRY_DELAYS_S = (0.5, 2.0)
_MAX_RETRY_DELAY_S = 10.0
_BREAKER_OPEN = (
    "The embedding endpoint failed several times in a row; Palace is pausing before it tries again."
)


_FAILURES, _REST_S = 3, 30.0


class Breaker:
    """Opens after three failures in a row and stays open for 30 seconds; then admits one trial.

    `clock` returns monotonic seconds. A trial that never reports counts as failed, so that another one
    follows after another rest. Thread-safe.
    """

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failed = 0
        self._open_until: float | None = None
        self._lock = threading.Lock()

    @property
    def is_closed(self) -> bool:
        """Whether every call is admitted."""
        return self._open_until is None

    def admits(self) -> bool:
        """Whether to call now; if so, report `succeeded` or `failed`."""
        with self._lock:
            if self._open_until is None:
                return True
            if self._clock() < self._open_until:
                return False
            self._open_until = self._clock() + _REST_S
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failed = 0
            self._open_until = None

    def failed(self) -> None:
        """Count a failure, and open the breaker at the limit."""
        with self._lock:
            self._failed += 1
            if self._failed >= _FAILURES:
                self._open_until = self._clock() + _REST_S


class OpenAIEmbedder:
    """An `Embedder` over HTTP.

    Documents are tried three times with `pause` seconds between; a question once and briefly, because a
    reply waits for it.
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
        return self._model

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One unit vector per text, in order; a blank text gets the vector of a full stop."""
        no_rows = np.empty((0, self._model.dimensions), dtype=np.float32)
        with self._metered() as meter:
            parts = [self._embed_with_retries(batch, meter) for batch in batches(texts)]
        return Embeddings(np.concatenate([no_rows, *parts]), self._usage(meter))

    def embed_query(self, text: str) -> Embeddings:
        """One unit vector for a question."""
        timeout_s = self._configuration.query_embedding_timeout_s
        with self._metered() as meter:
            vectors = self._embed([_sendable(text)], timeout_s, meter)
        return Embeddings(vectors, self._usage(meter))

    def probe(self) -> Probe:
        """Whether the breaker admits calls; makes none itself."""
        if self._breaker.is_closed:
            return Probe("up", "The embedding endpoint has not failed.")
        return Probe("degraded", _BREAKER_OPEN)

    @contextmanager
    def _metered(self) -> Iterator["_Meter"]:
        """Attach to a failure what was paid for before it."""
        meter = _Meter()
        try:
            yield meter
        except ModelError as failure:
            failure.spent = self._usage(meter) if meter.tokens else None
            raise

    def _embed_with_retries(self, batch: Sequence[str], meter: "_Meter") -> Vectors:
        timeout_s = self._configuration.reply_timeout_s
        for planned in _RETRY_DELAYS_S:
            try:
                return self._embed(batch, timeout_s, meter)
            except ModelError as failure:
                if failure.permanent or isinstance(failure, EmbedderUnavailable):
                    raise
                asked = failure.retry_after if isinstance(failure, ModelRateLimited) else None
                self._pause(min(max(planned, asked or 0.0), _MAX_RETRY_DELAY_S))
        return self._embed(batch, timeout_s, meter)

    def _embed(self, batch: Sequence[str], timeout_s: float, meter: "_Meter") -> Vectors:
        if not self._breaker.admits():
            raise EmbedderUnavailable(_BREAKER_OPEN)
        try:
            answer = self._answer(batch, timeout_s)
            meter.add(answer, batch)
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
            timeout=timeout_of(self._configuration, timeout_s),
        )
        return read_answer(read_body(opening, timeout_s, MAX_DATA_BYTES), EmbeddingAnswer)

    def _usage(self, meter: "_Meter") -> Usage:
        return Usage(
            model=self._model.name,
            input_tokens=meter.tokens,
            output_tokens=0,
            latency_ms=elapsed_ms(meter.started),
            cost_usd=self._configuration.prices.cost_usd(self._wire_name, meter.tokens, 0),
            estimated=meter.estimated,
        )


@dataclass(slots=True)
class _Meter:
    """What the requests of one call took, including those whose answer could not be used."""

    started: float = field(default_factory=time.monotonic)
    tokens: int = 0
    estimated: bool = False

    def add(self, answer: EmbeddingAnswer, batch: Sequence[str]) -> None:
        """Add the tokens the endpoint counted, or else an estimate."""
        counted = answer.usage.prompt_tokens if answer.usage else 0
        self.estimated = self.estimated or not counted
        self.tokens += counted or sum(estimate_tokens(text) for text in batch)


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, cleaned, in lists that an endpoint accepts at once."""
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
    return well_formed(text) if text.strip() else "."  # endpoints refuse a whole batch for a blank text


def _unit_rows(answer: EmbeddingAnswer, count: int, dimensions: int) -> Vectors:
    rows = sorted(answer.data, key=lambda row: row.index)
    if [row.index for row in rows] != list(range(count)):
        raise ModelReplyInvalid("The embedding endpoint did not send one vector per text.")
    if any(len(row.embedding) != dimensions for row in rows):
        raise ModelReplyInvalid(
            f"The embedding model does not produce vectors of {dimensions} dimensions.", permanent=True
        )
    vectors = np.array([row.embedding for row in rows], dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or not np.all(lengths > 0):
        raise ModelReplyInvalid("The embedding endpoint sent a zero or infinite vector.")
    return np.asarray(vectors / lengths, dtype=np.float32)
