"""Which of the drawers that were found the person called not relevant to a question like this."""

from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from memory.common_words import COMMON_WORDS
from memory.feedback import questions_misfitted
from memory.recall.arms.types import Asked, Finding


def mark(asked: Asked, drawer_ids: Sequence[UUID]) -> Iterator[Finding]:
    """For each drawer that was refused before: `unfitting`, how like the question is to the one for
    which it was, 0 to 1."""
    words = _telling(asked.query.words)
    likest: dict[UUID, float] = {}
    for drawer_id, refused_for in questions_misfitted(asked.user_id, drawer_ids):
        likeness = _likeness(words, _telling(refused_for))
        likest[drawer_id] = max(likeness, likest.get(drawer_id, 0.0))
    for drawer_id, likeness in likest.items():
        if likeness:
            yield Finding(drawer_id, {"unfitting": likeness})


def _telling(words: Collection[str]) -> frozenset[str]:
    """The words without those that every question has; all of them if there are no others."""
    return frozenset(words) - COMMON_WORDS or frozenset(words)


def _likeness(some: frozenset[str], others: frozenset[str]) -> float:
    """Twice what two questions share by what both have: 1 for the same words, 0 for none shared."""
    return 2 * len(some & others) / (len(some) + len(others)) if some and others else 0.0
