"""Which of the drawers that were found have the names, and say the quoted phrases, of a question."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from memory import lexical
from memory.inspecting import naming, quoting
from memory.recall.arms.types import Asked, Finding

MOST_NAMES = 8
MOST_PHRASES = 4


def mark(asked: Asked, drawer_ids: Sequence[UUID]) -> Iterator[Finding]:
    """For the drawers that have any: `name`, the share of the names, and `phrase`, the share of
    the quotations, 0 to 1."""
    query = asked.query
    names = [" ".join(lexical.query_words(name)) for name in query.names[:MOST_NAMES]]
    named = dict(naming(asked.user_id, list(filter(None, names)), drawer_ids))
    quoted = dict(quoting(asked.user_id, query.phrases[:MOST_PHRASES], drawer_ids))
    for drawer_id in {**named, **quoted}:
        shares = {"name": named.get(drawer_id), "phrase": quoted.get(drawer_id)}
        yield Finding(drawer_id, {key: share for key, share in shares.items() if share})
