"""Retrieve drawers by full text."""

from collections.abc import Iterator

from memory.recall.retrievers.types import Finding, SearchContext
from memory.search.queries import matching


def search(context: SearchContext, limit: int) -> Iterator[Finding]:
    """The drawers sharing the rarest words: signals `words` (BM25-like) and `coverage` (0 to 1)."""
    for row in matching(context.user_id, context.query.words, limit, context.scope):
        yield Finding(row.drawer_id, {"words": row.score, "coverage": row.coverage})
