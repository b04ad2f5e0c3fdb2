"""Vectors as PostgreSQL reads them."""

from functools import lru_cache

import numpy as np
from pgvector import HalfVector

from llm.types import Vectors


def vector_text(vector: Vectors) -> str:
    """A vector of one dimension as `halfvec` reads it. Recall asks several times with the same
    one, and writing it takes longer than some of the searches."""
    return _text_of(vector.astype("<f4", copy=False).tobytes())


@lru_cache(maxsize=16)
def _text_of(vector: bytes) -> str:
    text: str = HalfVector(np.frombuffer(vector, dtype="<f4")).to_text()
    return text
