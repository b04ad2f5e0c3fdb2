"""The embedder of a benchmark: required, and cached for a run that continues."""

import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from bench.cases import BenchmarkImpossible
from llm import current
from llm.gateway import Embedder
from llm.types import Embeddings, Usage, Vectors

LOCK_TIMEOUT_S = 60
SCHEMA = (
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
    "CREATE TABLE IF NOT EXISTS e (hash TEXT PRIMARY KEY, vec BLOB)"
)


def require_embedder() -> None:
    """Raise BenchmarkImpossible, with advice, unless the embedder works."""
    probe = current.embedder().probe()
    if probe.state == "down":
        raise BenchmarkImpossible(probe.words)


class CachingEmbedder:
    """Keeps document vectors in a file by the digest of their text; haystacks of a data set share
    most of their sessions.

    Questions are always embedded anew, because their time counts.
    """

    def __init__(self, behind: Embedder, path: Path) -> None:
        self.behind = behind
        self._lock = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(
            path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        self._store.executescript(SCHEMA)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """One vector per text; only texts that are not in the file are embedded."""
        known = self._known(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        usage = Usage(self.behind.model.name, 0, 0, 0)
        if missing:
            answer = self.behind.embed_documents(missing)
            usage = answer.usage
            made = dict(zip(missing, answer.vectors, strict=True))
            self._keep(made)
            known |= made
        return Embeddings(np.vstack([known[text] for text in texts]), usage)

    def _known(self, texts: Sequence[str]) -> dict[str, Vectors]:
        found = {}
        with self._lock:
            for text in texts:
                row = self._store.execute("SELECT vec FROM e WHERE hash = ?", [self._digest(text)]).fetchone()
                if row:
                    found[text] = np.frombuffer(row[0], dtype="<f4")
        return found

    def _keep(self, vectors: dict[str, Vectors]) -> None:
        rows = [(self._digest(text), vector.astype("<f4").tobytes()) for text, vector in vectors.items()]
        with self._lock:
            self._store.executemany("INSERT OR IGNORE INTO e VALUES (?, ?)", rows)

    def _digest(self, text: str) -> str:
        return sha256(f"{self.behind.model.key}\n{text}".encode()).hexdigest()
