"""Decode predictions into findings: values with their predicates and calibrated confidence."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from llm.multilingual.tokens import Span
from memory.facts.vocabulary import FORMER
from memory.mining.reader.network import Prediction
from memory.mining.reader.predicates import KINDS, NAMES, PREDICATES
from memory.text.patterns import compile_pattern
from memory.text.sentences import sentence_of, sentences

MIN_PROBABILITY = 0.03
"""The least probability with which a token belongs to a value."""

MIN_ENDED = 0.5
"""The probability from which a value is over. Present jobs and homes then count as former ones."""

MAX_LOGIT = 6.0
"""Larger log odds are cut off."""

_CLITIC = compile_pattern(r"(?:d|ll|m|re|s|t|ve)[ ]", ignore_case=True)
_OUTSIDE, _BEGIN, _INSIDE = range(3)
_ONE_HOT = np.eye(len(KINDS)).tolist()
_KIND_OF = np.array([KINDS.index(PREDICATES[name].kind) for name in NAMES])
_AS_FORMER = np.eye(len(NAMES))[[NAMES.index(FORMER.get(name, name)) for name in NAMES]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A value in a text: its place, predicate, whether it is over, and the features of its confidence."""

    place: Span
    predicate: str
    is_over: bool
    features: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Value:
    """A predicted value. `chances` are its probabilities and those of its sentence, starting with that of
    being a value at all; `neighbours` are the probabilities that the adjacent pieces belong to a value."""

    place: Span
    sentence: Span
    kind: int
    predicate: str
    ended: float
    pieces: int
    chances: tuple[float, ...]
    neighbours: tuple[float, ...]

    @property
    def is_over(self) -> bool:
        return self.ended > MIN_ENDED


def findings(text: str, predictions: Sequence[Prediction]) -> list[Finding]:
    """Every value that the network predicts in a text, in order."""
    ranges = sentences(text)
    seen = [_value(text, ranges, window, run) for window in predictions for run in _value_runs(text, window)]
    return [Finding(one.place, one.predicate, one.is_over, _features(text, one, seen)) for one in seen]


def _value(text: str, ranges: Sequence[Span], window: Prediction, run: Span) -> _Value:
    part, sentence = slice(*run), window.sentence[run[0]]
    inside = 1 - window.tags[:, _OUTSIDE]
    weights, ended = window.predicates[part].mean(axis=0), float(window.ended[part].mean())
    if ended > MIN_ENDED:
        weights = weights @ _AS_FORMER
    kinds = np.bincount(_KIND_OF, weights, len(KINDS))
    kind = int(kinds.argmax())
    predicate = int(np.where(kind == _KIND_OF, weights, 0).argmax())
    place = whole_words(text, (window.spans[run[0]][0], window.spans[run[1] - 1][1]))
    probabilities = (
        inside[part].max(),
        inside[part].min(),
        inside[part].mean(),
        window.tags[run[0], _BEGIN],
        window.any[sentence],
        window.any.max(),
        kinds[kind],
        window.kinds[sentence, kind],
        window.kinds[:, kind].max(),
        weights[predicate],
    )
    neighbours = [inside[at] if 0 <= at < len(inside) else 0.0 for at in (run[0] - 1, run[1])]
    chances = tuple(map(float, probabilities))
    said = sentence_of(place[0], ranges)
    return _Value(
        place, said, kind, NAMES[predicate], ended, run[1] - run[0], chances, tuple(map(float, neighbours))
    )


def _features(text: str, value: _Value, seen: Sequence[_Value]) -> tuple[float, ...]:
    """The features of a value: how confident the network is in it and its surroundings, whether there is a
    likelier value of its kind, and lengths."""
    likelier = [one for one in seen if one.kind == value.kind and one.chances[0] > value.chances[0]]
    start, end = value.sentence
    return (
        *(logit(probability) / 2 for probability in value.chances),
        *(math.log(max(probability, 1e-4)) for probability in value.chances),
        *(logit(probability) / 4 for probability in value.neighbours),
        float(bool(likelier)),
        min(len(likelier), 4) / 2,
        float(any(one.chances[0] > 0.5 for one in likelier)),
        math.log1p(value.pieces),
        math.log1p(len(seen)),
        float(text[start:end].rstrip().endswith(("?", "？"))),
        math.log(len(text)) / 2,
        math.log(end - start) / 2,
        float(start == 0),
        value.ended,
        *_ONE_HOT[value.kind],
    )


def _value_runs(text: str, window: Prediction) -> Iterator[Span]:
    """Half-open ranges of tokens that form a value; adjacent runs with the same predicate are merged."""
    pending: Span | None = None
    for first, last in _token_runs(window):
        if pending and _belong_together(text, window, pending, (first, last)):
            pending = pending[0], last
            continue
        if pending:
            yield pending
        pending = first, last
    if pending:
        yield pending


def _belong_together(text: str, window: Prediction, one: Span, other: Span) -> bool:
    between = text[window.spans[one[1] - 1][1] : window.spans[other[0]][0]]
    same = _predicate(window, one) == _predicate(window, other)
    return same and not between and window.sentence[one[0]] == window.sentence[other[0]]


def _predicate(window: Prediction, run: Span) -> int:
    return int(window.predicates[slice(*run)].mean(axis=0).argmax())


def _token_runs(window: Prediction) -> Iterator[Span]:
    """Half-open ranges of adjacent tokens that belong to a value."""
    likely = 1 - window.tags[:, _OUTSIDE] > MIN_PROBABILITY
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


def _continues(window: Prediction, at: int) -> bool:
    begins = window.tags[at, _BEGIN] > max(window.tags[at, _INSIDE], 0.5)
    return not begins and window.sentence[at] == window.sentence[at - 1]


def logit(probability: float) -> float:
    """The log odds of a probability, cut off at MAX_LOGIT."""
    kept = min(max(probability, 1e-6), 1 - 1e-6)
    return min(max(math.log(kept / (1 - kept)), -MAX_LOGIT), MAX_LOGIT)


def whole_words(text: str, span: Span) -> Span:
    """The span extended to word boundaries, and without surrounding spaces and parts of contractions.
    Scripts without spaces are not extended."""
    start, end = span
    while start > 0 and _is_word_character(text[start - 1]) and _is_word_character(text[start]):
        start -= 1
    while end < len(text) and _is_word_character(text[end - 1]) and _is_word_character(text[end]):
        end += 1
    if text[max(start - 2, 0) : start + 1].casefold() in ("n't", "n’t"):
        start = whole_words(text, (start - 2, start - 1))[0]
    elif text[max(start - 1, 0) : start] in ("'", "’") and (half := _CLITIC.match(text[start:end])):
        start += half.end()
    if text[end - 1 : end + 2].casefold() in ("n't", "n’t"):
        end = max(start, text.rfind(" ", start, end))
    while start < end and not text[start].isalnum() and text[start] not in "#+.@$€£¥“«":
        start += 1
    while end > start and not text[end - 1].isalnum() and text[end - 1] not in "+#%)!€£$¥”»":
        end -= 1
    return start, end


def _is_word_character(character: str) -> bool:
    return character.isalnum() and not "\u3040" <= character <= "\u9fff"
