"""The embedder of a benchmark: required, cached between runs, or omitted on request."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from bench.cases import BenchmarkImpossible
from llm import current
from llm.embedding_models import BGE_SMALL
from llm.errors import EmbedderUnavailable
from llm.gateway import Embedder, Probe
from llm.types import Embeddings, Usage, Vectors

LOCK_TIMEOUT_S = 60
TABLES = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = OFF",
    "CREATE TABLE IF NOT EXISTS e (hash TEXT PRIMARY KEY, vec BLOB)",
    "CREATE TABLE IF NOT EXISTS model (key TEXT)",
)


def require_embedder(alternative: str = "") -> None:
    """Raise BenchmarkImpossible, with advice, unless the embedder works."""
    probe = current.embedder().probe()
    if probe.state == "down":
        raise BenchmarkImpossible(f"{probe.words} {alternative}".rstrip())


class UnavailableEmbedder:
    """An embedder that always fails, for runs that were asked to do without."""

    model = replace(BGE_SMALL, name="none")

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        raise EmbedderUnavailable("This run uses no embedder.", permanent=True)

    def embed_query(self, text: str) -> Embeddings:
        return self.embed_documents([text])

    def probe(self) -> Probe:
        return Probe("down", "This run uses no embedder.")


class EmbedderProxy:
    """Passes everything on to the embedder behind it; subclasses override what they change."""

    def __init__(self, behind: Embedder) -> None:
        self.behind = behind

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


class CachingEmbedder(EmbedderProxy):
    """Keeps document vectors in a file by the digest of their text; haystacks of a data set share
    most of their sessions.

    Runs may share a file, which belongs to one model: another raises BenchmarkImpossible.
    Questions are always embedded anew, because their time counts.
    """

    def __init__(self, behind: Embedder, path: Path) -> None:
        super().__init__(behind)
        self._lock = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(
            path, timeout=LOCK_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        for statement in TABLES:
            self._store.execute(statement)
        key = behind.model.key
        row = self._store.execute("SELECT key FROM model").fetchone()
        if row is None:
            self._store.execute("INSERT INTO model VALUES (?)", [key])
        elif row[0] != key:
            raise BenchmarkImpossible(f"{path} holds vectors of {row[0]}; choose another file for {key}.")

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
                row = self._store.execute("SELECT vec FROM e WHERE hash = ?", [_digest(text)]).fetchone()
                if row:
                    found[text] = np.frombuffer(row[0], dtype="<f4")
        return found

    def _keep(self, vectors: dict[str, Vectors]) -> None:
        rows = [(_digest(text), vector.astype("<f4").tobytes()) for text, vector in vectors.items()]
        with self._lock:
            self._store.execute("BEGIN IMMEDIATE")
            self._store.executemany("INSERT OR IGNORE INTO e VALUES (?, ?)", rows)
            self._store.execute("COMMIT")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
