"""One arm of recall by itself: what the whole has to be better than."""

from collections.abc import Mapping
from dataclasses import replace

from memory.recall.retrieval import retrieve
from memory.recall.rewriting import rewrite
from memory.recall.types import Candidate, RecallRequest, Retrieved
from memory.time_limit import TimeLimit

MEASURES: Mapping[str, str] = {"words": "words", "vectors": "cosine"}
"""The arms that can rank alone, each with the measure it ranks by."""


def by_arm(request: RecallRequest, arm: str) -> tuple[tuple[Candidate, ...], Retrieved]:
    """The drawers one arm found, the best by its own measure first, and how the search went."""
    recipe = request.settings.recipe
    alone = replace(recipe, arms={arm: recipe.arms[arm]}, stages=frozenset())
    settings = replace(request.settings, recipe=alone)
    asked = replace(request, settings=settings)
    found = retrieve(asked, rewrite(asked), TimeLimit(settings.patience_ms))
    measure = MEASURES[arm]
    ranked = sorted(found.candidates, key=lambda each: (-each.scores[measure], str(each.drawer_id)))
    return tuple(ranked), found
