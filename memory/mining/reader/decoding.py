"""From what the network believes to findings: values with their predicates and calibrated confidence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from llm.multilingual.tokens import Span
from memory.mining.reader.network import Beliefs
from memory.mining.reader.predicates import KINDS, NAMES, PREDICATES

FLOOR = 0.03
"""How likely a token must be part of a value."""

_OUTSIDE, _BEGINS, _GOES_ON = range(3)
_ONE_HOT = np.eye(len(KINDS)).tolist()
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


def any_fact(beliefs: Sequence[Beliefs], place: Span) -> float:
    """How likely the network thinks it that the sentence around `place` tells a fact; 1.0 where it did not
    read."""
    for window in beliefs:
        for at, (start, end) in enumerate(window.spans):
            if start < place[1] and place[0] < end:
                return float(window.any[window.sentence[at]])
    return 1.0


def confidence(finding: Finding, weights: NDArray[np.float64]) -> float:
    """The calibrated probability that a careful reader would agree: a logistic regression of the features.
    The last of the weights is the intercept."""
    return float(1 / (1 + np.exp(-(np.dot(weights[:-1], finding.features) + weights[-1]))))


def _in_window(text: str, window: Beliefs) -> Iterator[Finding]:
    runs = list(_runs(text, window))
    values = [_value(window, run) for run in runs]
    for (first, last), (kind, predicate, logits) in zip(runs, values, strict=True):
        stronger = sum(other[0] == kind and other[2][0] > logits[0] for other in values)
        features = (*logits, float(stronger), float(np.log1p(last - first)), *_ONE_HOT[kind])
        place = whole_words(text, (window.spans[first][0], window.spans[last - 1][1]))
        yield Finding(place, NAMES[predicate], bool(window.ended[first:last].mean() > 0.5), features)


def _value(window: Beliefs, run: Span) -> tuple[int, int, tuple[float, ...]]:
    """Kind and predicate of a value, and log odds of what speaks for it."""
    part, sentence = slice(*run), window.sentence[run[0]]
    weights = window.predicates[part].mean(axis=0)
    kinds = np.bincount(_KIND_OF, weights, len(KINDS))
    kind = int(kinds.argmax())
    predicate = int(np.where(kind == _KIND_OF, weights, 0).argmax())
    inside = 1 - window.tags[part, _OUTSIDE]
    probabilities = (
        inside.max(),
        inside.min(),
        window.any[sentence],
        window.any.max(),
        kinds[kind],
        window.kinds[sentence, kind],
        weights[predicate],
    )
    return kind, predicate, tuple(_logit(float(each)) for each in probabilities)


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
