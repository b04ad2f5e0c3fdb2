"""Retrieve drawers by full text."""

from collections.abc import Iterator

from memory.recall.retrievers.types import Asked, Finding
from memory.search.queries import matching


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The drawers sharing the rarest words: signals `words` (BM25-like) and `coverage` (0 to 1)."""
    for row in matching(asked.user_id, asked.query.words, most, asked.part):
        yield Finding(row.drawer_id, {"words": row.score, "coverage": row.coverage})
