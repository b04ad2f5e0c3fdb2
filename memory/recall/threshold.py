"""Threshold: decide whether anything found is relevant. The floor is the user's `similarity_floor`."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_noop

from memory.recall.types import Candidate, Cut, RecallSettings
from memory.recall.weights import ANSWERING, KNOWN, TIME, WORDS_SUPPORT

COVERAGE_FLOOR = 0.5
"""The share of the question's IDF that shared words must cover to answer on their own."""
TOGETHER, ENOUGH_TOGETHER = 3, 0.55 / 0.6
"""How many drawers may answer together, and the average match for it as a share of the floor."""
NEVER_BELOW = 0.5
"""The share of the floor below which drawers are dropped even when there is an answer."""
ONLY_ASKS = 2.5
"""How often the penalty for saying little is taken from the similarity of a drawer that is not the answer:
questions resemble each other whatever they ask about."""
MAX_MARGIN = 1 / 3
"""How far languages may raise the floor, as a share of it."""
MORE_WORDS = 2.0
"""How much more shared words count, at most, if similarity cannot be trusted."""

BELOW = gettext_noop("Not similar enough to your message.")
NOTHING = gettext_noop("Nothing found is similar enough to your message.")


def relevant(
    candidates: Sequence[Candidate], settings: RecallSettings, trust: float = 1.0, margin: float = 0.0
) -> tuple[tuple[Candidate, ...], tuple[Cut, ...]]:
    """The relevant candidates in their order, and the rest with the reason.

    The floor decides whether there is an answer at all, in one drawer or in the first three together. Once
    there is one, only candidates below half the floor are dropped, so that the second of two answers is never
    cut off. The less similarity can be trusted, the more shared words count in one drawer. An answer needs
    `margin` more similarity than usual.
    """
    floor = settings.similarity_floor
    scale = _Scale(floor, 1.0 + MORE_WORDS * (1.0 - trust), min(margin, MAX_MARGIN * floor))
    lowest = floor * NEVER_BELOW
    kept: list[Candidate] = []
    dropped: list[Cut] = []
    for candidate in candidates:
        strength = scale.strength(candidate)
        if strength >= lowest:
            kept.append(candidate)
        else:
            dropped.append(Cut(candidate.drawer_id, BELOW, "threshold", strength, lowest))
    if any(map(scale.answers, candidates)) or (kept and scale.answer_together(candidates[:TOGETHER])):
        return tuple(kept), tuple(dropped)
    return (), tuple(
        Cut(each.drawer_id, NOTHING, "floor", scale.evidence(each), floor) for each in candidates
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    """What candidates are measured by: the floor, how much shared words count, and how much more similarity
    than usual is required."""

    floor: float
    words_weight: float
    margin: float

    def answers(self, candidate: Candidate) -> bool:
        """Whether a candidate passes the floor by similarity supported by shared words, by rare words alone,
        by its pointer, or by a fact or skill that is asked for."""
        return (
            self.evidence(candidate) >= self.floor
            or self._shared(candidate) >= max(COVERAGE_FLOOR, self.floor)
            or "pointer" in candidate.scores
        )

    def answer_together(self, best: Sequence[Candidate]) -> bool:
        """Whether the first three candidates match well enough on average to answer a question that none of
        them answers alone ("which came first, the meeting with Rachel or the parade?")."""
        total = sum(sum(each.parts.get(name, 0.0) for name in ("meaning", "wording")) for each in best)
        total += sum(min(each.parts.get("time", 0.0), TIME) for each in best)
        return total / TOGETHER >= ENOUGH_TOGETHER * (self.floor + self.margin)

    def evidence(self, candidate: Candidate) -> float:
        """Similarity supported by shared words, or the certainty of a fact or skill that is asked for."""
        supported = self._similarity(candidate) + WORDS_SUPPORT * self._shared(candidate)
        return max(supported, _certainty(candidate, ANSWERING))

    def strength(self, candidate: Candidate) -> float:
        """The strongest of its signals. Similarity counts for less if a drawer only asks or cheers."""
        pointer, similarity = candidate.scores.get("pointer", 0.0), self._similarity(candidate)
        if penalty := candidate.parts.get("uninformative"):
            similarity = candidate.scores.get("scaled_cosine", 0.0) + ONLY_ASKS * penalty
        return max(similarity, self._shared(candidate), pointer, _certainty(candidate, KNOWN))

    def _similarity(self, candidate: Candidate) -> float:
        return candidate.scores.get("similarity", 0.0) - self.margin

    def _shared(self, candidate: Candidate) -> float:
        return self.words_weight * candidate.scores.get("coverage", 0.0)


def _certainty(candidate: Candidate, signals: Sequence[str]) -> float:
    """The highest of these signals."""
    return max(candidate.scores.get(name, 0.0) for name in signals)
