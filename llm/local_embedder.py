"""The embedding model that runs inside the process: bge-small, quantised, on one thread a text."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

import numpy as np
from tokenizers import Encoding, Tokenizer

from llm import weights
from llm.embedding_models import BGE_SMALL
from llm.errors import EmbedderUnavailable
from llm.gateway import Probe
from llm.onnx import InferenceSession, SessionOptions
from llm.tokens import well_formed
from llm.types import EmbeddingModel, Embeddings, TokenEmbeddings, Tokens, Usage, Vectors

QUERY_INSTRUCTION = "Represent this sentence for searching relevant passages: "
AnswerT = TypeVar("AnswerT")

_MOST_WINDOWS = 8
_MOST_WIDTH = 4


class LocalEmbedder:
    """An `Embedder` without a network. Loads on first use, once for all threads.

    `width` is how many texts of a list are embedded at the same time. A text longer than the
    window gets the mean of up to eight windows. Raises EmbedderUnavailable when the model files
    are missing or not the published ones.
    """

    def __init__(self, models_home: Path, *, width: int | None = None) -> None:
        self._folder = models_home / weights.FOLDER
        self._width = width or min(_MOST_WIDTH, os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._network: _Network | None = None

    @property
    def model(self) -> EmbeddingModel:
        """The model whose weights these are."""
        return BGE_SMALL

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One unit vector a text, in order, the same alone and among others."""
        return self._embedded(texts)

    def embed_query(self, text: str) -> Embeddings:
        """One unit vector for a question, with the instruction the model was trained with."""
        return self._embedded([QUERY_INSTRUCTION + text])

    def embed_tokens(self, texts: Sequence[str]) -> TokenEmbeddings:
        """The vectors of the tokens of each text, up to one window of it."""
        started = time.monotonic()
        network = self._loaded()
        found = tuple(_each(network.tokens, texts, self._width))
        count = sum(len(tokens.words) for tokens in found)
        return TokenEmbeddings(found, _usage(count, started))

    def probe(self) -> Probe:
        """Up when the model is loaded or its files are the right ones."""
        if self._network is None:
            try:
                weights.check(self._folder)
            except weights.WeightsUnusable as problem:
                return Probe("down", str(problem))
        return Probe("up", "The local embedding model is ready.")

    def _embedded(self, texts: Sequence[str]) -> Embeddings:
        started = time.monotonic()
        network = self._loaded()
        rows = _each(network.embed, texts, self._width)
        vectors = np.array([vector for vector, _ in rows], dtype=np.float32)
        return Embeddings(
            vectors=vectors.reshape(len(rows), BGE_SMALL.dimensions),
            usage=_usage(sum(tokens for _, tokens in rows), started),
        )

    def _loaded(self) -> "_Network":
        with self._lock:
            if self._network is None:
                try:
                    weights.check(self._folder)
                except weights.WeightsUnusable as problem:
                    raise EmbedderUnavailable(str(problem), permanent=True) from problem
                self._network = _Network(self._folder)
            return self._network


class _Network:
    """The tokenizer and the network, loaded."""

    def __init__(self, folder: Path) -> None:
        options = SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = InferenceSession(
            str(folder / "model_quantized.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(BGE_SMALL.window_tokens)

    def embed(self, text: str) -> tuple[Vectors, int]:
        """The unit vector of a text, and how many tokens were read."""
        encoding = self._tokenizer.encode(well_formed(text))
        windows = [encoding, *encoding.overflowing][:_MOST_WINDOWS]
        mean = np.mean([self._vector(window) for window in windows], axis=0)
        return _unit(mean), sum(len(window.ids) for window in windows)

    def tokens(self, text: str) -> Tokens:
        """The tokens of the first window of a text."""
        encoding = self._tokenizer.encode(well_formed(text))
        hidden = self._hidden(encoding)
        places = [encoding.token_to_word(place) for place in range(len(encoding.ids))]
        words = [None if word is None else encoding.word_to_chars(word) for word in places]
        kept = [place for place, word in enumerate(words) if word is not None]
        return Tokens(_rows_of_unit(hidden[kept]), tuple(word for word in words if word))

    def _vector(self, window: Encoding) -> Vectors:
        return _unit(self._hidden(window)[0])

    def _hidden(self, window: Encoding) -> Vectors:
        # One text each time: the quantised network scales by batch, so company changes a vector.
        ids = np.array([window.ids], dtype=np.int64)
        feeds = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        (hidden,) = self._session.run(["last_hidden_state"], feeds)
        rows: Vectors = hidden[0]
        return rows


def _each(read: Callable[[str], AnswerT], texts: Sequence[str], width: int) -> list[AnswerT]:
    if len(texts) < 2 or width < 2:
        return [read(text) for text in texts]
    with ThreadPoolExecutor(width, thread_name_prefix="embedding") as pool:
        return list(pool.map(read, texts))


def _usage(tokens: int, started: float) -> Usage:
    return Usage(
        model=BGE_SMALL.name,
        input_tokens=tokens,
        output_tokens=0,
        latency_ms=round((time.monotonic() - started) * 1000),
        cost_usd=Decimal(0),
    )


def _rows_of_unit(rows: Vectors) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _unit(vector: Vectors) -> Vectors:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
