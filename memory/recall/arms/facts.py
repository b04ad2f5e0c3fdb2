"""The arm of facts: what was understood leads to the words it was understood from."""

from collections.abc import Iterator
from uuid import UUID

from memory.facts.finding import FoundFact, facts_by_value, near_facts, sources_of
from memory.recall.arms.mentions import mentions_in
from memory.recall.arms.types import Asked, Finding

OVER = 0.5
"""What a fact that is over counts for, beside one that holds."""
NAMED = 0.5
"""What it counts for that the question has the value of a fact."""
LEAST = 0.1


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The drawers of facts whose statement means what is asked, or whose value the question has:
    `fact`, 0 to 1, how much."""
    worth: dict[UUID, float] = {}
    for fact, closeness in _found(asked, most):
        real = closeness * (1.0 if fact.holds else OVER)
        worth[fact.id] = max(real, worth.get(fact.id, 0.0))
    best = sorted((key for key in worth if worth[key] >= LEAST), key=lambda key: (-worth[key], key))
    sources = sources_of(asked.user_id, best[:most])
    for fact_id in best[:most]:
        for drawer_id in sources.get(fact_id, ()):
            yield Finding(drawer_id, {"fact": worth[fact_id]}, brought_by={"facts": (fact_id,)})


def _found(asked: Asked, most: int) -> Iterator[tuple[FoundFact, float]]:
    """Facts and how near they are, by words and, where the question has a vector, by meaning."""
    grams = mentions_in(asked.query.text).grams
    for fact in facts_by_value(asked.user_id, grams, asked.stretch, most):
        yield fact, NAMED
    meaning = asked.meaning
    if meaning is not None:
        for fact in near_facts(asked.user_id, meaning.space, meaning.vector, asked.stretch, most):
            yield fact, meaning.calibrated(fact.cosine)
