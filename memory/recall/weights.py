"""How much each signal counts, how many drawers each retriever may return, and how long recall may take."""

from collections.abc import Mapping
from dataclasses import dataclass

KNOWN = ("known", "skill")
"""Signals of known facts and skills."""
WORDS_SUPPORT = 0.4
"""How much shared words add to similarity, both in the threshold and in the displayed match."""
RETRIEVER_LIMITS: Mapping[str, int] = {
    "vectors": 100,
    "words": 100,
    "pointers": 20,
    "known_facts": 60,
    "skills": 5,
    "unfiled": 200,
}
"""The retrievers in the order they run, and the maximum number of drawers each may return."""
MAX_LOADED = 60
"""The maximum number of hits to load."""
TIME_LIMIT_MS = 300
"""Database time of one recall."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts, in units of calibrated similarity (unrelated texts score about 0, a
    good answer about 1). Chosen by cross-validation; see `docs/decisions/0004-ranking.md`.

    `words` multiplies the BM25-like score, `time` the closeness to a date in the message, `exact_time` the
    closeness to a span of at most a week. `sentence` discounts the cosine of a single sentence.
    `recency_days` is a half-life. `negative_feedback` applies to drawers marked as not relevant to a similar
    question, `uninformative` to messages that only ask or cheer, `project` to drawers of the request's
    project. `room` weighs the evidence of the whole room; `further` penalises each further drawer of the same
    room.
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
    negative_feedback: float = -0.4
    uninformative: float = -0.4
    room: float = 1.0
    further: float = 0.12


WEIGHTS = Weights()
