"""Vectors of single sentences, which catch an aside that the vector of a whole message hides.

They only rescore drawers found in other ways, so they are stored packed, one byte per dimension.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from llm.types import Vectors
from memory.text.chunking import Chunk
from memory.text.patterns import UNSPACED
from memory.text.sentences import sentences

MIN_LENGTH = 40
MAX_LENGTH = 350
MAX_ITEMS = 16
MIN_CHARACTERS = 28
"""A shorter text cannot contain two sentences that are long enough, in any script."""
MAX_CHARACTERS = 8_000

DENSE_LETTER = re.compile(f"[{UNSPACED}\uac00-\ud7ff]")
"""A letter of a dense script, mostly written without spaces."""
_STEPS = 127


def spoken_sentences(text: str) -> tuple[Chunk, ...]:
    """The sentences of a text, short ones joined to the next; at most 16, from both ends. Empty for a
    single sentence and for texts too long to be speech."""
    if len(text) > MAX_CHARACTERS:
        return ()
    found = tuple(_joined(text))
    if len(found) < 2:
        return ()
    if len(found) > MAX_ITEMS:
        found = (*found[: MAX_ITEMS // 2], *found[-MAX_ITEMS // 2 :])
    return found


def pack(found: Sequence[Chunk], vectors: Sequence[Vectors]) -> bytes:
    """Sentences and their unit vectors as bytes, one per dimension."""
    rows = np.zeros(len(found), dtype=_layout(len(vectors[0]) if found else 0))
    for row, sentence, vector in zip(rows, found, vectors, strict=True):
        scale = float(np.abs(vector).max()) / _STEPS or 1.0
        row["start"], row["length"] = sentence.start, sentence.end - sentence.start
        row["scale"] = scale
        row["steps"] = np.round(vector / scale)
    return rows.tobytes()


def nearest_sentence(kept: bytes, query: Vectors) -> tuple[float, int, int] | None:
    """The cosine, start and length of the sentence nearest to the question; None without sentences."""
    rows = np.frombuffer(kept, dtype=_layout(len(query)))
    if not len(rows):
        return None
    cosines = rows["steps"].astype(np.float32) @ query * rows["scale"]
    best = int(cosines.argmax())
    return float(cosines[best]), int(rows["start"][best]), int(rows["length"][best])


@cache
def _layout(dimensions: int) -> np.dtype[np.void]:
    return np.dtype([("start", "<u4"), ("length", "<u4"), ("scale", "<f4"), ("steps", "i1", (dimensions,))])


def _joined(text: str) -> Iterator[Chunk]:
    """Runs of sentences, each long enough to be worth a vector."""
    start = 0
    for _start, end in sentences(text):
        if _is_long(text[start:end]) and _is_long(text[end:]):
            yield _chunk(text, start, end)
            start = end
    if text[start:].strip():
        yield _chunk(text, start, len(text))


def _chunk(text: str, start: int, end: int) -> Chunk:
    end = min(end, start + MAX_LENGTH)
    return Chunk(start, end, text[start:end].strip())


def _is_long(text: str) -> bool:
    """Whether a text is worth a vector; a dense letter counts as three."""
    plain = text.strip()
    return len(plain) >= MIN_LENGTH or len(plain) + 2 * len(DENSE_LETTER.findall(plain)) >= MIN_LENGTH
