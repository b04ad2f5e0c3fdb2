"""Run multilingual-e5-small: text to a unit vector that says what is meant, not in which language."""

import json
import os
from pathlib import Path

import numpy as np

from llm.embedding_models import E5_SMALL
from llm.weights import WeightsUnusable, find_checked

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before the import, which would write a device id

from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]

from llm.multilingual.base import BEGIN, END, Floats
from llm.multilingual.tokens import Pieces
from llm.tokens import well_formed

MODEL, VOCABULARY, LANGUAGES = "encoder.onnx", "vocabulary.json", "languages.npz"
QUERY, PASSAGE = "query: ", "passage: "
WINDOW = 500
MAX_WINDOWS = 8


class Encoder:
    """The encoder in a folder, on one thread."""

    def __init__(self, folder: Path) -> None:
        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = InferenceSession(str(folder / MODEL), options, providers=["CPUExecutionProvider"])
        stored = json.loads((folder / VOCABULARY).read_text(encoding="utf-8"))
        self._pieces = Pieces(stored["pieces"], stored["scores"], stored["replacements"])
        self._prefixes = {prefix: self._pieces.cut(prefix)[0] for prefix in (QUERY, PASSAGE)}

    def mean(self, prefix: str, text: str) -> tuple[Floats, int]:
        """The mean of the unit vectors of a text's windows, (H,), and the number of pieces read.

        Each of the up to eight windows follows the prefix the model was trained with.
        """
        ids = self._pieces.cut(well_formed(text))[0][: WINDOW * MAX_WINDOWS]
        starts = range(0, max(1, len(ids)), WINDOW)
        before = [BEGIN, *self._prefixes[prefix]]
        windows = [self._window([*before, *ids[start : start + WINDOW], END]) for start in starts]
        return np.mean(windows, axis=0), len(ids)

    def _window(self, ids: list[int]) -> Floats:
        (hidden,) = self._session.run(["hidden"], {"ids": np.array([ids], np.int64)})
        mean = hidden[0].mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


class Network:
    """An encoder without what only tells languages apart: the mean of all of them, and the directions
    along which they differ. A question then lies near its answer in any language, and one threshold serves
    all."""

    def __init__(self, folder: Path) -> None:
        self._encoder = Encoder(folder)
        with np.load(folder / LANGUAGES, allow_pickle=False) as stored:
            self._centres = {QUERY: stored["question"], PASSAGE: stored["passage"]}
            self._directions = stored["directions"]

    def embed(self, text: str, *, question: bool) -> tuple[Floats, int]:
        """The unit vector of a text, (H,), and the number of pieces read."""
        prefix = QUERY if question else PASSAGE
        mean, pieces = self._encoder.mean(prefix, text)
        vector = mean - self._centres[prefix]
        vector -= self._directions.T @ (self._directions @ vector)
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32), pieces


FOLDER = f"{E5_SMALL.name}-{E5_SMALL.version}"


def find(models_home: Path) -> Path:
    """The folder of the model. Raises WeightsUnusable."""
    return find_checked(models_home, FOLDER, _check)


def _check(folder: Path) -> None:
    if not all((folder / name).is_file() for name in (MODEL, VOCABULARY, LANGUAGES)):
        raise WeightsUnusable(
            "The multilingual embedding model is not installed; run `make install` to fetch it."
        )
