"""Which of the drawers that were found the person called not relevant to a question like this."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from uuid import UUID

from memory.common_words import COMMON_WORDS
from memory.feedback import words_asked
from memory.recall.arms.types import Asked, Finding


def mark(asked: Asked, refused: Mapping[UUID, Sequence[UUID]]) -> Iterator[Finding]:
    """For each drawer that was refused before: `unfitting`, how like the question is to the one for
    which it was, 0 to 1. `refused` holds the recalls in which that was."""
    words = _telling(asked.query.words)
    questions = words_asked(asked.user_id, {each for traces in refused.values() for each in traces})
    for drawer_id, traces in refused.items():
        others = (_telling(questions[each]) for each in traces if each in questions)
        likeness = max((_likeness(words, other) for other in others), default=0.0)
        if likeness:
            yield Finding(drawer_id, {"unfitting": likeness})


def _telling(words: Collection[str]) -> frozenset[str]:
    """The words without those that every question has; all of them if there are no others."""
    return frozenset(words) - COMMON_WORDS or frozenset(words)


def _likeness(some: frozenset[str], others: frozenset[str]) -> float:
    """Twice what two questions share by what both have: 1 for the same words, 0 for none shared."""
    return 2 * len(some & others) / (len(some) + len(others)) if some and others else 0.0
