"""Find the installed model of the reader, and load its network once per process."""

import hashlib
import threading
from functools import cache
from pathlib import Path

import numpy as np

from llm.weights import WeightsUnusable, find_checked
from memory.mining.reader.calibration import Calibration
from memory.mining.reader.network import MODEL, VOCABULARY, Network

TRAINED = Path(__file__).with_name("weights.npz")

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
