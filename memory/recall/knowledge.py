"""What knowledge, names and quotations are worth in the order of recall.

A drawer to which a fact or a relation leads, or that has the very names or phrases of the question,
is lifted, yet never above what a strong likeness in meaning and words has by itself: so nothing that
is found strongly is pushed out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Lifts:
    """How far each signal of an arm lifts a drawer, in units of the calibrated similarity, by the
    part of the score it makes; `ceiling` is the score that none of them lifts above."""

    parts: Mapping[str, tuple[str, float]] = field(
        default_factory=lambda: {
            "facts": ("fact", 0.1),
            "profile": ("value", 0.7),
            "preferences": ("taste", 0.2),
            "graph": ("relation", 0.3),
            "skills": ("way", 0.2),
            "names": ("name", 0.02),  # rare words count names already
            "phrases": ("phrase", 0.2),
        }
    )
    ceiling: float = 1.1

    @cached_property
    def signals(self) -> frozenset[str]:
        """The signals that may lift."""
        return frozenset(signal for signal, _ in self.parts.values())


LIFTS = Lifts()


def lifts(score: float, signals: Mapping[str, float], by: Lifts = LIFTS) -> dict[str, float]:
    """What each arm adds to a score, by the name of the part: the strongest alone counts, and it
    fills up to the ceiling at most."""
    if by.signals.isdisjoint(signals):
        return {}
    room = by.ceiling - score
    worth = {part: weight * signals.get(signal, 0.0) for part, (signal, weight) in by.parts.items()}
    best = max(worth, key=lambda part: worth[part])
    return {best: min(worth[best], room)} if worth[best] > 0 and room > 0 else {}
