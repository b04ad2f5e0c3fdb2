"""The arm of facts: what was understood leads to the words it was understood from."""

from collections.abc import Iterator

from memory.facts.finding import near_facts
from memory.recall.arms.types import Asked, Finding

OVER = 0.5
"""What a fact that is over counts for, beside one that holds."""
LEAST = 0.1


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The drawers of facts whose statement means what is asked: `fact`, 0 to 1, how much."""
    if asked.meaning is None:
        return
    meaning = asked.meaning
    found = near_facts(
        asked.user_id, asked.meaning.space, asked.meaning.vector, asked.stretch, most
    )
    closeness = {
        fact.id: meaning.calibrated(fact.cosine) * (1.0 if fact.holds else OVER) for fact in found
    }
    best = sorted(
        (fact for fact in found if closeness[fact.id] >= LEAST),
        key=lambda fact: (-closeness[fact.id], str(fact.id)),
    )
    for fact in best:
        for drawer_id in fact.sources:
            yield Finding(drawer_id, {"fact": closeness[fact.id]}, brought_by={"facts": (fact.id,)})
