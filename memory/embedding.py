"""Turns the text of drawers into vectors of the model their owner chose."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from llm.gateway import Embedder
from llm.types import EmbeddingModel
from memory.chunking import Chunk, chunks
from memory.index import ChunkRow

CHUNK_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors ready to be filed."""

    rows: tuple[ChunkRow, ...] = ()


def embed_drawers(embedder: Embedder, texts: Sequence[tuple[UUID, str]]) -> Embedded:
    """Vectors for the chunks of each (drawer id, text); equal chunks are embedded once.

    A text beyond 64 chunks is covered at its beginning and end. Raises ModelError.
    """
    model = embedder.model
    pieces = [(drawer_id, piece) for drawer_id, text in texts for piece in _chunks(model, text)]
    if not pieces:
        return Embedded()
    distinct = _distinct(piece for _, piece in pieces)
    answer = embedder.embed_documents(distinct)
    vectors = dict(zip(distinct, answer.vectors, strict=True))
    rows = tuple(_row(drawer_id, piece, vectors[piece.text]) for drawer_id, piece in pieces)
    return Embedded(rows)


def drawer_texts(model: EmbeddingModel, texts: Iterable[str]) -> list[str]:
    """What `embed_drawers` asks this model for when drawers with these texts are made together."""
    return _distinct(piece for text in texts for piece in _chunks(model, text))


def _chunks(model: EmbeddingModel, text: str) -> tuple[Chunk, ...]:
    return chunks(text, size=model.max_chars, overlap=0, limit=CHUNK_LIMIT)


def _distinct(pieces: Iterable[Chunk]) -> list[str]:
    return list(dict.fromkeys(piece.text for piece in pieces))


def _row(drawer_id: UUID, piece: Chunk, vector: object) -> ChunkRow:
    return ChunkRow(drawer_id, piece.start, piece.end - piece.start, vector)  # type: ignore[arg-type]
