"""The sixth stage of recall: whether anything that was found is to the point."""

from collections.abc import Sequence

from django.utils.translation import gettext_noop

from memory.recall.types import Candidate, Cut, RecallSettings

COVERAGE_FLOOR = 0.5
KNOWN = ("fact", "value", "taste", "relation", "way")
_KNOWN = frozenset(KNOWN)
WORDS_SUPPORT = 0.5
NEVER_BELOW = 0.5
MORE_WORDS = 2.0

BELOW = gettext_noop("Too far from your message to be of use.")
NOTHING = gettext_noop("Nothing that was found is close enough to your message.")


def relevant(
    candidates: Sequence[Candidate], settings: RecallSettings, trust: float = 1.0
) -> tuple[tuple[Candidate, ...], tuple[Cut, ...]]:
    """The candidates worth showing, in their order, and those that are not.

    The floor decides whether there is an answer at all. What a drawer shares with the message in
    words supports its likeness in meaning. Once there is one, only what lies below
    half of the floor is dropped, so that the second of two answers is never cut off. The less
    likeness in meaning can be trusted, the more shared words count, up to three times.
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
    """Close enough in meaning, to which shared words add; by its rare words alone; or because
    something known that is as close leads there."""
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
    """How surely something that is known leads there."""
    if _KNOWN.isdisjoint(candidate.scores):
        return 0.0
    return max(candidate.scores.get(name, 0.0) for name in KNOWN)
