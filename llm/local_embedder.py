"""The embedding models that run inside this process, quantised, one thread per text."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Protocol

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before the import, which would write a device id

import numpy as np
from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]
from tokenizers import Encoding, Tokenizer

from llm import weights
from llm.embedding_models import BGE_SMALL, E5_SMALL
from llm.errors import EmbedderUnavailable
from llm.gateway import Probe
from llm.metering import elapsed_ms
from llm.multilingual.network import Network as MultilingualNetwork
from llm.multilingual.network import find as find_multilingual
from llm.tokens import well_formed
from llm.types import Embeddings, Usage, Vectors

QUERY_INSTRUCTION = "Represent this sentence for searching relevant passages: "
_MAX_WINDOWS = 8
_MAX_WIDTH = 4


class Network(Protocol):
    """A loaded model."""

    def embed(self, text: str, *, question: bool) -> tuple[Vectors, int]:
        """The unit vector of a text, and the number of tokens read."""
        ...


class _BgeNetwork:
    """The loaded tokenizer and network."""

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

    def embed(self, text: str, *, question: bool) -> tuple[Vectors, int]:
        """The unit vector of a text, and the number of tokens read."""
        text = QUERY_INSTRUCTION + text if question else text
        encoding = self._tokenizer.encode(well_formed(text))
        windows = [encoding, *encoding.overflowing][:_MAX_WINDOWS]
        mean = np.mean([_unit(self._hidden(window)[0]) for window in windows], axis=0)
        return _unit(mean), sum(len(window.ids) for window in windows)

    def _hidden(self, window: Encoding) -> Vectors:
        # One text at a time: the quantised network scales by batch, so batching would change vectors.
        ids = np.array([window.ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._session.run(["last_hidden_state"], feeds)
        rows: Vectors = hidden[0]
        return rows


class LocalEmbedder:
    """bge-small, an `Embedder` without an endpoint, loaded on first use, once for all threads.

    A text longer than the window gets the mean of up to eight windows. Embeds `width` texts of a list at a
    time. Raises EmbedderUnavailable if the model files are missing or damaged.
    """

    model = BGE_SMALL
    find = staticmethod(weights.find)
    load: Callable[[Path], Network] = _BgeNetwork

    def __init__(self, models_home: Path, *, width: int | None = None) -> None:
        self._models_home = models_home
        self._width = width or min(_MAX_WIDTH, os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._network: Network | None = None

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
                self.find(self._models_home)
            except weights.WeightsUnusable as problem:
                return Probe("down", str(problem))
        return Probe("up", "The local embedding model is ready.")

    def _embed(self, texts: Sequence[str], *, question: bool) -> Embeddings:
        started = time.monotonic()
        read, width = partial(self._loaded().embed, question=question), min(len(texts), self._width)
        if width < 2:
            rows = [read(text) for text in texts]
        else:
            with ThreadPoolExecutor(width, thread_name_prefix="embedding") as pool:
                rows = list(pool.map(read, texts))
        vectors = np.array([vector for vector, _ in rows], dtype=np.float32)
        tokens = sum(tokens for _, tokens in rows)
        usage = Usage(self.model.name, tokens, 0, elapsed_ms(started), Decimal(0))
        return Embeddings(vectors.reshape(len(rows), self.model.dimensions), usage)

    def _loaded(self) -> Network:
        with self._lock:
            if self._network is None:
                try:
                    self._network = self.load(self.find(self._models_home))
                except weights.WeightsUnusable as problem:
                    raise EmbedderUnavailable(str(problem), permanent=True) from problem
            return self._network


class MultilingualEmbedder(LocalEmbedder):
    """multilingual-e5-small, which compares texts across languages."""

    model = E5_SMALL
    find = staticmethod(find_multilingual)
    load = MultilingualNetwork


LOCAL_EMBEDDERS = {each.model.name: each for each in (LocalEmbedder, MultilingualEmbedder)}
"""The local embedders by the name of their model."""


def _unit(vector: Vectors) -> Vectors:
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
