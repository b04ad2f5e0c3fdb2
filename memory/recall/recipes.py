"""How thoroughly recall goes to work, as data: which arms search, which stages follow, for how long."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memory.recall.weights import CHOSEN, Weights

COMPLETE = "complete"
"""Look up the likeness in meaning of drawers that were found otherwise."""
SENTENCES = "sentences"
"""Ask the single sentences of drawers that were found how near they are."""
LATE = "late interaction"
"""Compare the question with the best passages word by word."""
PROFILE = "profile"
READER = "reader"
NEIGHBOURS = "neighbours"


@dataclass(frozen=True, slots=True)
class Recipe:
    """A way to recall. `arms` are tried in order, each with how many drawers it may bring at most;
    `stages` are those that a recipe may leave out; `read` is how many hits are loaded at most; the database
    may work for `time_limit_ms` in all.

    What a person has switched off stays off in every recipe.
    """

    name: str
    arms: Mapping[str, int]
    stages: frozenset[str]
    read: int
    time_limit_ms: int
    weights: Weights = CHOSEN

    def has(self, stage: str) -> bool:
        """Whether this stage takes part."""
        return stage in self.stages


FAST = Recipe(
    name="fast",
    arms={"vectors": 60, "words": 60, "pointers": 20},
    stages=frozenset((COMPLETE, PROFILE)),
    read=30,
    time_limit_ms=150,
)
DEFAULT = Recipe(
    name="default",
    arms={
        "vectors": 100,
        "words": 100,
        "pointers": 20,
        "facts": 30,
        "profile": 10,
        "preferences": 15,
        "graph": 30,
        "skills": 5,
    },
    stages=frozenset((COMPLETE, SENTENCES, PROFILE, READER, NEIGHBOURS)),
    read=60,
    time_limit_ms=300,
)
THOROUGH = Recipe(
    name="thorough",
    arms={
        "vectors": 300,
        "words": 300,
        "pointers": 20,
        "facts": 90,
        "profile": 20,
        "preferences": 40,
        "graph": 90,
        "skills": 10,
    },
    stages=frozenset((COMPLETE, SENTENCES, LATE, PROFILE, READER, NEIGHBOURS)),
    read=120,
    time_limit_ms=1_000,
    weights=replace(CHOSEN, words=1.0),
)

RECIPES = {recipe.name: recipe for recipe in (FAST, DEFAULT, THOROUGH)}
