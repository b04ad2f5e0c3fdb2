"""The arm that searches by words."""

from collections.abc import Iterator

from memory.recall.arms.types import Asked, Finding
from memory.searching import matching


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The drawers that share the rarest words: `words` (BM25-like) and `coverage` (0 to 1)."""
    for row in matching(asked.user_id, asked.query.words, most, asked.part):
        yield Finding(row.drawer_id, {"words": row.score, "coverage": row.coverage})
