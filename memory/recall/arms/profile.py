"""The arm of the profile: a question for one of its values leads to the words that gave it."""

from collections.abc import Iterator

from memory.facts.finding import facts_by_key
from memory.recall.arms.mentions import family_of, mentions_in
from memory.recall.arms.types import Asked, Finding

HOLDS, OVER = 0.9, 0.45


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The drawers of the facts under the keys the question asks for: `value`, 0 to 1."""
    mentions = mentions_in(asked.query.text)
    families = [family_of(kin) for kin in mentions.kin]
    keys = (*mentions.keys, *families)
    if not keys:
        return
    found = facts_by_key(asked.user_id, keys, families, asked.stretch, most)
    for fact in found:
        for drawer_id in fact.sources:
            worth = HOLDS if fact.holds else OVER
            yield Finding(drawer_id, {"value": worth}, brought_by={"profile": (fact.id,)})
