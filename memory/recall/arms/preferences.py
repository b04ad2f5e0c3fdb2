"""The arm of preferences: who asks for advice is answered with their tastes and limits in mind.

It brings the drawers in which these were said, as words to read; it never makes them a command.
"""

import re
from collections.abc import Iterator

from memory.facts.finding import Sort, facts_of_sort
from memory.recall.arms.mention_words import ADVICE
from memory.recall.arms.types import Asked, Finding

TASTES = Sort(
    kinds=("preference", "constraint", "instruction", "goal"),
    predicates=("allergic_to", "follows_diet", "has_condition", "avoids"),
)
FULLY = 0.15
"""A request for advice lies further from the taste that matters than a question from its answer."""

_ADVICE = re.compile(ADVICE, re.IGNORECASE)


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """For a question that asks for advice, the drawers of preferences, limits, wishes and goals on
    its subject, as long as they hold: `taste`, 0 to 1, how near the subject is."""
    if asked.meaning is None or not _ADVICE.search(asked.query.text):
        return
    meaning = asked.meaning
    nearness = (asked.meaning.space, asked.meaning.vector)
    found = facts_of_sort(asked.user_id, TASTES, nearness, asked.stretch, most)
    for fact in found:
        closeness = min(1.0, meaning.calibrated(fact.cosine) / FULLY)
        if fact.holds and closeness > 0:
            for drawer_id in fact.sources:
                signals = {"taste": closeness}
                yield Finding(drawer_id, signals, brought_by={"preferences": (fact.id,)})
