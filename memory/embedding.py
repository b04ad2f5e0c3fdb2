"""Turns the text of drawers into vectors of the model their owner chose."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from llm.gateway import Embedder
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
    size = embedder.model.max_chars
    pieces = [
        (drawer_id, piece)
        for drawer_id, text in texts
        for piece in chunks(text, size=size, overlap=0, limit=CHUNK_LIMIT)
    ]
    if not pieces:
        return Embedded()
    distinct = list(dict.fromkeys(piece.text for _, piece in pieces))
    answer = embedder.embed_documents(distinct)
    vectors = dict(zip(distinct, answer.vectors, strict=True))
    rows = tuple(_row(drawer_id, piece, vectors[piece.text]) for drawer_id, piece in pieces)
    return Embedded(rows)


def _row(drawer_id: UUID, piece: Chunk, vector: object) -> ChunkRow:
    return ChunkRow(drawer_id, piece.start, piece.end - piece.start, vector)  # type: ignore[arg-type]
