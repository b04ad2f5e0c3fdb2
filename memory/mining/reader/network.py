"""Load the reader's network, and run it: from texts to probabilities for their tokens and sentences."""

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before the import, which would write a device id

from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]

from llm.multilingual.base import BEGIN, END, PADDING, Floats
from llm.multilingual.tokens import Pieces, Span
from llm.weights import WeightsUnusable, find_checked
from memory.text.sentences import sentence_numbers, sentences

MODEL, VOCABULARY = "reader.onnx", "vocabulary.json"
TRAINED = Path(__file__).with_name("weights.npz")
WINDOW = 254
MAX_TOKENS = 2_000
BATCH = 16
TAGS = 3
DEPTH = 4
_CALIBRATION = ("prior", "features", "thresholds", "leaves")


@dataclass(frozen=True, slots=True)
class Calibration:
    """How likely N findings with F features agree with the labels, by T gradient-boosted trees of D levels.

    The trees are complete and stored level by level: the feature that each inner node compares with its
    threshold (T, 2^D - 1), and the log odds of each leaf (T, 2^D), which are added to the `prior`.
    """

    prior: NDArray[np.float32]
    features: NDArray[np.uint8]
    thresholds: NDArray[np.float32]
    leaves: NDArray[np.float32]

    @classmethod
    def load(cls, stored: Mapping[str, NDArray[Any]]) -> Self:
        """The trees in a file of weights. Raises KeyError."""
        return cls(*(stored[f"calibration.{name}"] for name in _CALIBRATION))

    def stored(self) -> dict[str, Any]:
        """The trees as `load` reads them."""
        return {f"calibration.{name}": getattr(self, name) for name in _CALIBRATION}

    def agreements(self, given: Sequence[Sequence[float]]) -> list[float]:
        """How likely each finding is to agree with the labels (N), given its features (N, F)."""
        if not given:
            return []
        x, rows, trees = (
            np.array(given, np.float32),
            np.arange(len(given))[:, None],
            np.arange(len(self.leaves)),
        )
        nodes = np.zeros((len(given), len(self.leaves)), np.intp)
        for _ in range(DEPTH):
            is_right = x[rows, self.features[trees, nodes]] > self.thresholds[trees, nodes]
            nodes = 2 * nodes + 1 + is_right
        log_odds = self.prior + self.leaves[trees, nodes - (2**DEPTH - 1)].sum(axis=1, dtype=np.float64)
        return [float(one) for one in 1 / (1 + np.exp(-log_odds))]


@dataclass(frozen=True, slots=True)
class Prediction:
    """Probabilities for consecutive sentences of a text. For its N tokens: their `spans` in the text, the
    `sentence` each belongs to, and the probabilities of `tags` (N, 3: outside, begins or inside a value), of
    `predicates` (N, P) and of being `ended` (N). For its S sentences: those of `kinds` (S, K) and of stating
    `any` fact (S)."""

    spans: list[Span]
    sentence: list[int]
    tags: Floats
    predicates: Floats
    ended: Floats
    kinds: Floats
    any: Floats


@dataclass(frozen=True, slots=True)
class _Window:
    text: int
    ids: list[int]
    spans: list[Span]
    sentence: list[int]


class Network:
    """The model in a folder, on one thread."""

    def __init__(self, folder: Path, calibration: Calibration) -> None:
        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # Spinning threads of this model would take CPU time from the embedder.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = InferenceSession(str(folder / MODEL), options, providers=["CPUExecutionProvider"])
        stored = json.loads((folder / VOCABULARY).read_text(encoding="utf-8"))
        self._pieces = Pieces(stored["pieces"], stored["scores"], stored["replacements"])
        self.calibration = calibration

    def predict(self, texts: Sequence[str]) -> list[list[Prediction]]:
        """The predictions for each text, window by window. They do not depend on the other texts."""
        cut = [window for number, text in enumerate(texts) for window in self._windows(number, text)]
        cut.sort(key=lambda window: len(window.ids))
        found: list[list[tuple[int, Prediction]]] = [[] for _ in texts]
        for start in range(0, len(cut), BATCH):
            batch = cut[start : start + BATCH]
            for window, predicted in zip(batch, self._run(batch), strict=True):
                found[window.text].append((window.spans[0][0], predicted))
        return [[predicted for _, predicted in sorted(each, key=lambda one: one[0])] for each in found]

    def _windows(self, number: int, text: str) -> Iterator[_Window]:
        ids, spans = self._pieces.cut(text)
        ids, spans = ids[:MAX_TOKENS], spans[:MAX_TOKENS]
        sentence = sentence_numbers(spans, sentences(text))
        lengths: list[int] = np.bincount(sentence).tolist() if sentence else []
        starts = [0, *accumulate(lengths)]
        for first, last in windows(lengths, WINDOW):
            for start in range(starts[first], starts[last], WINDOW):
                part = slice(start, min(start + WINDOW, starts[last]))
                yield _Window(number, ids[part], spans[part], [n - first for n in sentence[part]])

    def _run(self, batch: Sequence[_Window]) -> Iterator[Prediction]:
        length = max(len(window.ids) for window in batch) + 2
        ids = np.full((len(batch), length), PADDING, np.int64)
        shares = np.zeros((len(batch), max(window.sentence[-1] for window in batch) + 1, length), np.float32)
        for b, window in enumerate(batch):
            ids[b, : len(window.ids) + 2] = [BEGIN, *window.ids, END]
            shares[b, window.sentence, range(1, len(window.ids) + 1)] = 1
        shares /= np.maximum(shares.sum(-1, keepdims=True), 1)
        tokens, found = self._session.run(None, {"ids": ids, "shares": shares})
        for b, window in enumerate(batch):
            logits = tokens[b, 1 : len(window.ids) + 1], found[b, : window.sentence[-1] + 1]
            yield prediction(window.spans, window.sentence, *logits)


def windows(lengths: Sequence[int], longest: int) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive sentences with at most `longest` tokens in total; a longer sentence is a range of
    its own."""
    start = total = 0
    for at, length in enumerate(lengths):
        if at > start and total + length > longest:
            yield start, at
            start, total = at, 0
        total += length
    if start < len(lengths):
        yield start, len(lengths)


def prediction(spans: list[Span], sentence: list[int], tokens: Floats, found: Floats) -> Prediction:
    """Probabilities from the logits of tokens (N, 3 + P + 1) and of sentences (S, K + 1)."""
    return Prediction(
        spans=spans,
        sentence=sentence,
        tags=_softmax(tokens[:, :TAGS]),
        predicates=_softmax(tokens[:, TAGS:-1]),
        ended=_sigmoid(tokens[:, -1]),
        kinds=_sigmoid(found[:, :-1]),
        any=_sigmoid(found[:, -1]),
    )


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), dtype=np.float32)


def _sigmoid(logits: NDArray[np.float32]) -> Floats:
    return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float32)


_lock = threading.Lock()
_loaded: dict[Path, Network] = {}


def network(models_home: Path) -> Network:
    """The reader's network, loaded once per process. Raises WeightsUnusable."""
    with _lock:
        folder = find(models_home)
        if folder not in _loaded:
            with np.load(TRAINED, allow_pickle=False) as trained:
                _loaded[folder] = Network(folder, Calibration.load(trained))
        return _loaded[folder]


def find(models_home: Path) -> Path:
    """The folder of the model built from the current weights. Raises WeightsUnusable."""
    return find_checked(models_home, name(), _check)


def _check(folder: Path) -> None:
    if not ((folder / MODEL).is_file() and (folder / VOCABULARY).is_file()):
        raise WeightsUnusable("The reader of facts is not installed; run `make install` to fetch it.")


@cache
def name() -> str:
    """The name of the model's folder, which changes with the trained weights."""
    with TRAINED.open("rb") as content:
        return f"reader-{hashlib.file_digest(content, 'sha256').hexdigest()[:12]}"
