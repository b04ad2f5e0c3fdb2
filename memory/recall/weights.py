"""How much each signal counts, how many drawers each retriever may return, and how long recall may take.

Weights are in units of calibrated similarity: unrelated texts score about 0, a good answer about 1. They were
chosen by cross-validation; see `docs/decisions/0004-ranking.md`.
"""

from collections.abc import Mapping

BONUSES = (
    ("scaled_cosine", "meaning", 1.0),
    ("words", "wording", 0.9),
    ("pinned", "pinned", 0.15),
    ("project", "project", 0.3),
    ("pointer", "pointer", 100.0),
)
"""Signals that count for a drawer: (signal, part of the score, weight)."""
PENALTIES = (
    ("negative_feedback", "negative_feedback", -0.4),
    ("uninformative", "uninformative", -0.4),
)
"""Signals that count against it: marked as not relevant to a similar question; only asks or cheers."""
BOOSTS = (("known_facts", "known_boost", 1.0), ("skills", "skill", 0.2))
"""What can boost a drawer: (part of the score, signal, weight)."""
BOOST_CAP = 1.1
"""No boost lifts a score above this, so that strong matches by meaning and words keep their rank."""
KNOWN, ANSWERING = ("known", "skill"), ("asked_for", "skill")
"""Signals of known facts and skills; those that answer on their own, which a similar fact does not."""
SPEAKERS: Mapping[str, float] = {"user": 0.08, "note": 0.08, "tool": -0.07}
ASKED_ASSISTANT: Mapping[str, float] = {"assistant": 0.12}
"""Weights by role; the second if the question is about what the assistant said."""
TIME, EXACT_TIME = 0.14, 0.5
"""For closeness to the time that a message names, and to one of at most a week."""
RECENCY_DAYS = 60.0
"""The half-life of the boost for recent drawers."""
SENTENCE = 0.98
"""Discounts the cosine of a single sentence."""
ROOM, FURTHER = 1.0, 0.12
"""For the evidence of the whole room; the penalty for each higher-ranked drawer of the same room."""
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
