"""Turn the text of drawers into vectors."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from llm.gateway import Embedder
from llm.types import EmbeddingModel, Vectors
from memory.models import Drawer, EmbeddingSpace
from memory.search.index import ChunkRow, file_sentences, file_vectors, prefix
from memory.search.sentence_vectors import MIN_CHARACTERS, pack, spoken_sentences
from memory.text.chunking import Chunk, chunks
from memory.text.secrets import blank_secrets

CHUNK_LIMIT = 64
MAX_CHARACTERS_AT_ONCE = 60_000
"""How many characters are embedded for one window, or in one turn of the backfill."""
SPOKEN = frozenset((Drawer.Role.USER, Drawer.Role.NOTE))


@dataclass(frozen=True, slots=True)
class DrawerText:
    """The text of a drawer to embed, without its secrets, and its speaker."""

    id: UUID
    text: str
    role: str = Drawer.Role.USER

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", blank_secrets(self.text))


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors ready to store: of chunks, and of sentences, packed by drawer."""

    rows: tuple[ChunkRow, ...] = ()
    sentences: Mapping[UUID, bytes] = field(default_factory=dict)

    def of(self, drawer_ids: Collection[UUID]) -> "Embedded":
        """Only the vectors of these drawers."""
        return Embedded(
            tuple(row for row in self.rows if row.drawer_id in drawer_ids),
            {key: kept for key, kept in self.sentences.items() if key in drawer_ids},
        )


def embed_drawers(embedder: Embedder, texts: Sequence[DrawerText]) -> Embedded:
    """Embed the chunks of each text, and the sentences of the user's own words where the model benefits.
    Equal pieces are embedded once; texts beyond 64 chunks keep their beginning and end. Raises
    ModelError."""
    model = embedder.model
    distinct = drawer_texts(model, texts)
    if not distinct:
        return Embedded()
    answer = embedder.embed_documents(distinct)
    vectors = dict(zip(distinct, answer.vectors, strict=True))
    return Embedded(
        tuple(
            ChunkRow(each.id, piece.start, piece.end - piece.start, vectors[piece.text])
            for each in texts
            for piece in _chunks(model, each.text)
        ),
        {each.id: _packed(model, each, vectors) for each in texts if _has_sentences(model, each)},
    )


def embeddable_at_once(texts: Iterable[DrawerText], limit: int = MAX_CHARACTERS_AT_ONCE) -> list[DrawerText]:
    """The texts, in order, that together fit into `limit` characters. The others wait for the
    backfill, so that no long text holds up those after it."""
    chosen = []
    for each in texts:
        if len(each.text) <= limit:
            limit -= len(each.text)
            chosen.append(each)
    return chosen


def embed_sentences(embedder: Embedder, texts: Sequence[DrawerText]) -> Embedded:
    """Embed only the sentences of drawers whose chunks already have vectors, with an empty row for
    drawers without sentences. Raises ModelError."""
    model = embedder.model
    pieces = _distinct(piece for each in texts for piece in _sentences(model, each))
    vectors: Mapping[str, Vectors] = {}
    if pieces:
        vectors = dict(zip(pieces, embedder.embed_documents(pieces).vectors, strict=True))
    return Embedded((), {each.id: _packed(model, each, vectors) for each in texts})


def file_embedded(user_id: UUID, space: EmbeddingSpace, embedded: Embedded) -> None:
    """Store vectors that are not there yet. Call inside a transaction."""
    file_vectors(user_id, space, embedded.rows)
    file_sentences(user_id, space, embedded.sentences)


def drawer_texts(model: EmbeddingModel, texts: Iterable[DrawerText]) -> list[str]:
    """The pieces `embed_drawers` would embed for these texts, each once."""
    return _distinct(
        piece for each in texts for piece in (*_chunks(model, each.text), *_sentences(model, each))
    )


def _chunks(model: EmbeddingModel, text: str) -> tuple[Chunk, ...]:
    return chunks(text, size=model.max_chars, limit=CHUNK_LIMIT)


def _has_sentences(model: EmbeddingModel, each: DrawerText) -> bool:
    """Whether a drawer gets a sentence row. An empty row keeps backfill from looking again."""
    return model.sentences and each.role in SPOKEN and len(each.text) >= MIN_CHARACTERS


def _sentences(model: EmbeddingModel, each: DrawerText) -> tuple[Chunk, ...]:
    return spoken_sentences(each.text) if _has_sentences(model, each) else ()


def _packed(model: EmbeddingModel, each: DrawerText, vectors: Mapping[str, Vectors]) -> bytes:
    found = _sentences(model, each)
    short = [prefix(vectors[piece.text], model) for piece in found]
    return pack(found, short) if found else b""


def _distinct(pieces: Iterable[Chunk]) -> list[str]:
    return list(dict.fromkeys(piece.text for piece in pieces))
