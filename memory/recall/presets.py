"""Recall recipes and weights as data: which retrievers run, which stages follow, how long it may take."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

COMPLETE = "complete"
"""Add vector similarity to drawers found by other retrievers."""
SENTENCES = "sentences"
"""Rescore drawers by their best single sentence."""
LATE = "late interaction"
"""Compare the question with the best passages token by token."""
PROFILE = "profile"
READER = "reader"
NEIGHBOURS = "neighbours"
KNOWN = ("known", "way")
"""Signals of something known."""
WORDS_SUPPORT = 0.4
"""How much shared words add to similarity, both for an answer and for how good a match is."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts, in units of calibrated similarity (unrelated texts score about 0, a
    good answer about 1). Chosen by cross-validation; see `docs/decisions/0004-ranking.md`.

    `words` multiplies the BM25-like score, `time` the closeness to a date in the message, `exact_time` that
    to a week at most, `late` the late-interaction score above the usual. `sentence` discounts the cosine of
    a single sentence. `recency_days` is a half-life. `misfit` applies to drawers marked not relevant to the
    same question, `little` to messages that only ask or cheer, `project` to drawers of the request's project.
    `room` weighs the evidence of the whole room; `further` penalises each further drawer of one room.
    """

    words: float = 0.9
    time: float = 0.14
    exact_time: float = 0.5
    recency_days: float = 60.0
    pinned: float = 0.15
    project: float = 0.3
    asked_assistant: float = 0.12
    user: float = 0.08
    tool: float = -0.07
    pointer: float = 100.0
    sentence: float = 0.98
    late: float = 1.7
    misfit: float = -0.4
    little: float = -0.4
    room: float = 1.0
    further: float = 0.12


CHOSEN = Weights()


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to recall. `retrievers` run in order, each with its maximum of drawers; `stages` are the
    optional stages that run; `read` limits how many hits are loaded; `time_limit_ms` bounds database time.

    What a user switched off stays off in every recipe.
    """

    name: str
    retrievers: Mapping[str, int]
    stages: frozenset[str]
    read: int
    time_limit_ms: int
    weights: Weights = CHOSEN

    def has(self, stage: str) -> bool:
        """Whether this optional stage runs."""
        return stage in self.stages


FAST = Recipe(
    name="fast",
    retrievers={"vectors": 60, "words": 60, "pointers": 20, "unfiled": 100},
    stages=frozenset((COMPLETE, PROFILE)),
    read=30,
    time_limit_ms=150,
)
DEFAULT = Recipe(
    name="default",
    retrievers={
        "vectors": 100,
        "words": 100,
        "pointers": 20,
        "known_facts": 60,
        "skills": 5,
        "unfiled": 200,
    },
    stages=frozenset((COMPLETE, SENTENCES, PROFILE, READER, NEIGHBOURS)),
    read=60,
    time_limit_ms=300,
)
THOROUGH = Recipe(
    name="thorough",
    retrievers={
        "vectors": 300,
        "words": 300,
        "pointers": 20,
        "known_facts": 180,
        "skills": 10,
        "unfiled": 200,
    },
    stages=frozenset((COMPLETE, SENTENCES, LATE, PROFILE, READER, NEIGHBOURS)),
    read=120,
    time_limit_ms=1_000,
    weights=replace(CHOSEN, words=1.0),
)

RECIPES = {recipe.name: recipe for recipe in (FAST, DEFAULT, THOROUGH)}
