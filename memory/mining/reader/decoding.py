"""From what the network believes to findings: values with their predicates and calibrated confidence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.mining.reader.network import Beliefs
from memory.mining.reader.predicates import KINDS, NAMES, PREDICATES
from memory.mining.reader.tokens import Span

FLOOR = 0.15
"""How likely a token must be part of a value."""

_OUTSIDE, _BEGINS, _GOES_ON = range(3)
_KIND_OF = np.array([KINDS.index(PREDICATES[name].kind) for name in NAMES])


@dataclass(frozen=True, slots=True)
class Finding:
    """A value in a text: its place, predicate, whether it is over, and what confidence is computed from."""

    place: Span
    predicate: str
    is_over: bool
    features: tuple[float, ...]


def findings(text: str, beliefs: Sequence[Beliefs]) -> list[Finding]:
    """Every value the network sees in a text, in order."""
    return [finding for window in beliefs for finding in _in_window(text, window)]


def confidence(finding: Finding, weights: NDArray[np.float64]) -> float:
    """The calibrated probability that a careful reader would agree: a logistic regression of the features,
    whose
    last weight is the intercept."""
    return float(1 / (1 + np.exp(-(np.dot(weights[:-1], finding.features) + weights[-1]))))


def _in_window(text: str, window: Beliefs) -> Iterator[Finding]:
    seen: set[int] = set()
    for first, last in _runs(text, window):
        weights = window.predicates[first:last].mean(axis=0)
        kinds = np.bincount(_KIND_OF, weights, len(KINDS))
        kind = int(kinds.argmax())
        predicate = int(np.where(kind == _KIND_OF, weights, 0).argmax())
        place = whole_words(text, (window.spans[first][0], window.spans[last - 1][1]))
        inside = 1 - window.tags[first:last, _OUTSIDE]
        sentence = window.sentence[first]
        probabilities = (
            float(inside.max()),
            float(inside.min()),
            float(window.any[sentence]),
            float(kinds[kind]),
            float(window.kinds[sentence, kind]),
            float(weights[predicate]),
        )
        features = (*map(_logit, probabilities), float(kind in seen), float(np.log1p(last - first)))
        seen.add(kind)
        yield Finding(place, NAMES[predicate], bool(window.ended[first:last].mean() > 0.5), features)


def _runs(text: str, window: Beliefs) -> Iterator[Span]:
    """Half-open ranges of tokens that belong to one value: neighbours with one predicate are one."""
    held: Span | None = None
    for first, last in _stretches(window):
        if held and _is_one(text, window, held, (first, last)):
            held = held[0], last
            continue
        if held:
            yield held
        held = first, last
    if held:
        yield held


def _is_one(text: str, window: Beliefs, one: Span, other: Span) -> bool:
    between = text[window.spans[one[1] - 1][1] : window.spans[other[0]][0]]
    same = _predicate(window, one) == _predicate(window, other)
    return same and not between and window.sentence[one[0]] == window.sentence[other[0]]


def _predicate(window: Beliefs, run: Span) -> int:
    return int(window.predicates[slice(*run)].mean(axis=0).argmax())


def _stretches(window: Beliefs) -> Iterator[Span]:
    """Half-open ranges of neighbouring tokens that belong to a value."""
    likely = 1 - window.tags[:, _OUTSIDE] > FLOOR
    first = None
    for at, (start, end) in enumerate(window.spans):
        is_inside = bool(likely[at]) and end > start
        if first is not None and not (is_inside and _continues(window, at)):
            yield first, at
            first = None
        if is_inside and first is None:
            first = at
    if first is not None:
        yield first, len(window.spans)


def _continues(window: Beliefs, at: int) -> bool:
    begins = window.tags[at, _BEGINS] > max(window.tags[at, _GOES_ON], 0.5)
    return not begins and window.sentence[at] == window.sentence[at - 1]


def _logit(probability: float) -> float:
    kept = min(max(probability, 1e-4), 1 - 1e-4)
    return float(np.log(kept / (1 - kept)))


def whole_words(text: str, span: Span) -> Span:
    """The span grown to the borders of words and trimmed of spaces; scripts without spaces stay as they
    are."""
    start, end = span
    while start > 0 and _joined(text[start - 1]) and _joined(text[start]):
        start -= 1
    while end < len(text) and _joined(text[end - 1]) and _joined(text[end]):
        end += 1
    while start < end and not text[start].isalnum() and text[start] not in "#+.@$€£¥“«":
        start += 1
    while end > start and not text[end - 1].isalnum() and text[end - 1] not in "+#%)!€£$¥”»":
        end -= 1
    return start, end


def _joined(character: str) -> bool:
    return character.isalnum() and not "\u3040" <= character <= "\u9fff"
