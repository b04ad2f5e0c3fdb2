"""Threshold: decide whether anything found is relevant. The floor is the user's `similarity_floor`."""

from collections.abc import Sequence

from django.utils.translation import gettext_noop

from memory.recall.types import Candidate, Cut, RecallSettings

COVERAGE_FLOOR = 0.5
"""The least share of the question's IDF that shared words must cover to answer alone."""
KNOWN = ("known", "way")
WORDS_SUPPORT = 0.5
"""How much shared words add to similarity."""
NEVER_BELOW = 0.5
"""The share of the floor below which drawers are dropped even when there is an answer."""
MORE_WORDS = 2.0
"""How much more shared words count, at most, where similarity cannot be trusted."""

BELOW = gettext_noop("Not similar enough to your message.")
NOTHING = gettext_noop("Nothing found is similar enough to your message.")


def relevant(
    candidates: Sequence[Candidate], settings: RecallSettings, trust: float = 1.0
) -> tuple[tuple[Candidate, ...], tuple[Cut, ...]]:
    """The relevant candidates in their order, and the rest with the reason.

    The floor decides whether there is an answer at all. Once there is one, only candidates below half the
    floor are dropped, so that the second of two answers is never cut off. The less similarity can be
    trusted, the more shared words count.
    """
    heft = 1.0 + MORE_WORDS * (1.0 - trust)
    if not any(_answers(candidate, settings.similarity_floor, heft) for candidate in candidates):
        return (), tuple(Cut(candidate.drawer_id, NOTHING, "floor") for candidate in candidates)
    low = settings.similarity_floor * NEVER_BELOW
    kept: list[Candidate] = []
    dropped: list[Cut] = []
    for candidate in candidates:
        if _strength(candidate, heft) >= low:
            kept.append(candidate)
        else:
            dropped.append(Cut(candidate.drawer_id, BELOW, "threshold"))
    return tuple(kept), tuple(dropped)


def _answers(candidate: Candidate, floor: float, heft: float) -> bool:
    """Whether a candidate passes the floor by similarity supported by shared words, by rare words alone, by
    its pointer, or by something known."""
    scores = candidate.scores
    shared = heft * scores.get("coverage", 0.0)
    together = scores.get("similarity", 0.0) + WORDS_SUPPORT * shared
    return (
        together >= floor
        or shared >= max(COVERAGE_FLOOR, floor)
        or "pointer" in scores
        or _known(candidate) >= floor
    )


def _strength(candidate: Candidate, heft: float) -> float:
    scores = candidate.scores
    return max(
        scores.get("similarity", 0.0),
        heft * scores.get("coverage", 0.0),
        scores.get("pointer", 0.0),
        _known(candidate),
    )


def _known(candidate: Candidate) -> float:
    """The certainty of the best known fact that led there."""
    return max(candidate.scores.get(name, 0.0) for name in KNOWN)
