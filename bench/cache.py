"""An embedder that remembers: the haystacks of a data set share most of their sessions."""

import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from llm.gateway import Embedder, Probe
from llm.types import EmbeddingModel, Embeddings, Usage, Vectors


class CachingEmbedder:
    """The same vectors as the embedder behind it, kept in a file by the digest of the text."""

    def __init__(self, behind: Embedder, path: Path) -> None:
        self._behind = behind
        self._store = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._store.execute("PRAGMA journal_mode = WAL")
        self._store.execute("CREATE TABLE IF NOT EXISTS e (hash TEXT PRIMARY KEY, vec BLOB)")

    @property
    def model(self) -> EmbeddingModel:
        """The model of the embedder behind."""
        return self._behind.model

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """Vectors of these texts; only those never seen before are computed."""
        known = {text: self._known(text) for text in texts}
        missing = [text for text, vector in known.items() if vector is None]
        usage = Usage(self.model.name, 0, 0, 0)
        if missing:
            answer = self._behind.embed_documents(missing)
            usage = answer.usage
            for text, vector in zip(missing, answer.vectors, strict=True):
                known[text] = vector
                self._keep(text, vector)
        rows = [vector for text in texts if (vector := known[text]) is not None]
        return Embeddings(np.vstack(rows), usage)

    def embed_query(self, text: str) -> Embeddings:
        """The vector of a question, never from the file: its time counts."""
        return self._behind.embed_query(text)

    def probe(self) -> Probe:
        """How the embedder behind is."""
        return self._behind.probe()

    def _known(self, text: str) -> Vectors | None:
        query = "SELECT vec FROM e WHERE hash = ?"
        row = self._store.execute(query, [_digest(text)]).fetchone()
        return np.frombuffer(row[0], dtype="<f4") if row else None

    def _keep(self, text: str, vector: Vectors) -> None:
        blob = vector.astype("<f4").tobytes()
        self._store.execute("INSERT OR IGNORE INTO e VALUES (?, ?)", [_digest(text), blob])


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
