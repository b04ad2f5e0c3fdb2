"""An embedder that remembers: the haystacks of a data set share most of their sessions."""

import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock

import numpy as np

from bench.errors import BenchmarkImpossible
from llm.errors import EmbedderUnavailable
from llm.gateway import Embedder, Probe, TokenEmbedder
from llm.types import EmbeddingModel, Embeddings, TokenEmbeddings, Usage, Vectors

PATIENCE_S = 60
TABLES = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = OFF",
    "CREATE TABLE IF NOT EXISTS e (hash TEXT PRIMARY KEY, vec BLOB)",
    "CREATE TABLE IF NOT EXISTS model (key TEXT)",
)


class CachingEmbedder:
    """The same vectors as the embedder behind it, kept in a file by the digest of the text.

    Several runs may share a file; it belongs to one model, and another one raises
    BenchmarkImpossible.
    """

    def __init__(self, behind: Embedder, path: Path) -> None:
        self._behind = behind
        self._alone = Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(
            path, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False
        )
        for statement in TABLES:
            self._store.execute(statement)
        self._claim(path)

    @property
    def model(self) -> EmbeddingModel:
        """The model of the embedder behind."""
        return self._behind.model

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """Vectors of these texts; only those never seen before are computed."""
        known = self._known(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        usage = Usage(self.model.name, 0, 0, 0)
        if missing:
            answer = self._behind.embed_documents(missing)
            usage = answer.usage
            made = dict(zip(missing, answer.vectors, strict=True))
            self._keep(made)
            known |= made
        return Embeddings(np.vstack([known[text] for text in texts]), usage)

    def embed_query(self, text: str) -> Embeddings:
        """The vector of a question, never from the file: its time counts."""
        return self._behind.embed_query(text)

    def embed_tokens(self, texts: Sequence[str]) -> TokenEmbeddings:
        """The vectors of tokens, never from the file either. Raises EmbedderUnavailable when the
        embedder behind gives none."""
        if not isinstance(self._behind, TokenEmbedder):
            raise EmbedderUnavailable("This model gives no vectors of tokens.", permanent=True)
        return self._behind.embed_tokens(texts)

    def probe(self) -> Probe:
        """How the embedder behind is."""
        return self._behind.probe()

    def _claim(self, path: Path) -> None:
        key = self.model.key
        row = self._store.execute("SELECT key FROM model").fetchone()
        if row is None:
            self._store.execute("INSERT INTO model VALUES (?)", [key])
        elif row[0] != key:
            raise BenchmarkImpossible(
                f"{path} holds vectors of the model {row[0]}; choose another file for {key}."
            )

    def _known(self, texts: Sequence[str]) -> dict[str, Vectors]:
        found = {}
        query = "SELECT vec FROM e WHERE hash = ?"
        with self._alone:
            for text in texts:
                row = self._store.execute(query, [_digest(text)]).fetchone()
                if row:
                    found[text] = np.frombuffer(row[0], dtype="<f4")
        return found

    def _keep(self, vectors: dict[str, Vectors]) -> None:
        rows = [(_digest(text), vec.astype("<f4").tobytes()) for text, vec in vectors.items()]
        with self._alone:
            self._store.execute("BEGIN IMMEDIATE")
            self._store.executemany("INSERT OR IGNORE INTO e VALUES (?, ?)", rows)
            self._store.execute("COMMIT")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
