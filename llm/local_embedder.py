"""The embedding models that run inside this process, quantised, one thread per text."""

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Generic, Protocol, TypeVar

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before the import, which would write a device id

import numpy as np
from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]
from tokenizers import Encoding, Tokenizer

from llm import weights
from llm.embedding_models import BGE_SMALL, E5_SMALL
from llm.errors import EmbedderUnavailable
from llm.gateway import Probe
from llm.metering import elapsed_ms
from llm.multilingual.installed import MultilingualMissing, find as find_multilingual
from llm.multilingual.network import Network as MultilingualNetwork
from llm.tokens import well_formed
from llm.types import EmbeddingModel, Embeddings, TokenEmbeddings, Tokens, Usage, Vectors

QUERY_INSTRUCTION = "Represent this sentence for searching relevant passages: "
AnswerT = TypeVar("AnswerT")

_MAX_WINDOWS = 8
_MAX_WIDTH = 4


class Network(Protocol):
    """A loaded model."""

    def embed(self, text: str, *, question: bool) -> tuple[Vectors, int]:
        """The unit vector of a text, and the number of tokens read."""


NetworkT = TypeVar("NetworkT", bound=Network)


class InProcessEmbedder(ABC, Generic[NetworkT]):
    """An `Embedder` without a network, loaded on first use, once for all threads.

    Embeds `width` texts of a list at a time. Raises EmbedderUnavailable if the model files are missing or
    damaged.
    """

    model: EmbeddingModel

    def __init__(self, models_home: Path, *, width: int | None = None) -> None:
        self._models_home = models_home
        self._width = width or min(_MAX_WIDTH, os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._network: NetworkT | None = None

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One unit vector per text, in order; a text has the same vector alone and in a list."""
        return self._embed(texts, question=False)

    def embed_query(self, text: str) -> Embeddings:
        """One unit vector for a question, with the instruction the model was trained with."""
        return self._embed([text], question=True)

    def probe(self) -> Probe:
        """Up if the model is loaded or its files are intact."""
        if self._network is None:
            try:
                self._find()
            except (weights.WeightsUnusable, MultilingualMissing) as problem:
                return Probe("down", str(problem))
        return Probe("up", "The local embedding model is ready.")

    @abstractmethod
    def _find(self) -> Path:
        """The folder of the model. Raises WeightsUnusable or MultilingualMissing."""

    @abstractmethod
    def _load(self, folder: Path) -> NetworkT:
        """The loaded model in a folder."""

    def _embed(self, texts: Sequence[str], *, question: bool) -> Embeddings:
        started = time.monotonic()
        rows = _each(partial(self._loaded().embed, question=question), texts, self._width)
        vectors = np.array([vector for vector, _ in rows], dtype=np.float32)
        usage = self._usage(sum(tokens for _, tokens in rows), started)
        return Embeddings(vectors.reshape(len(rows), self.model.dimensions), usage)

    def _loaded(self) -> NetworkT:
        with self._lock:
            if self._network is None:
                try:
                    self._network = self._load(self._find())
                except (weights.WeightsUnusable, MultilingualMissing) as problem:
                    raise EmbedderUnavailable(str(problem), permanent=True) from problem
            return self._network

    def _unit_rows(rows: Vectors) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _unit(vector: Vectors) -> Vectors:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
