"""A scripted network, and the facts read from its predictions."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from memory.mining.reader import facts
from memory.mining.reader.network import Prediction
from memory.mining.reader.predicates import KINDS, NAMES
from memory.mining.reader.sentences import sentence_numbers, sentences
from tests.memory.mining.chats import turn

SURE, LIKELY, HARDLY = 3.0, 0.5, -3.0


class Scripted:
    """A network that sees the given values, one token a word; calibrated on the first feature alone."""

    calibration = 2 * np.eye(33 + len(KINDS))[0]

    def __init__(self, *seen: tuple[str, str], logit: float = SURE, ended: bool = False) -> None:
        self.seen, self.logit, self.ended = seen, logit, ended

    def predict(self, texts):
        return [[self._beliefs(text)] if text else [] for text in texts]

    def _beliefs(self, text):
        spans = list(_words(text))
        count, outside = len(spans), 1 / (1 + np.exp(self.logit))
        tags = np.tile(np.array([0.99, 0.005, 0.005]), (count, 1))
        predicates = np.full((count, len(NAMES)), 1e-3)
        for value, predicate in self.seen:
            start = text.find(value)
            inside = [
                i for i, (a, b) in enumerate(spans) if start >= 0 and a < start + len(value) and b > start
            ]
            for order, at in enumerate(inside):
                tags[at] = [outside, 0.9 - outside, 0.1] if order == 0 else [outside, 0.1, 0.9 - outside]
                predicates[at, NAMES.index(predicate)] = 1
        sentence = sentence_numbers(spans, sentences(text))
        return Prediction(
            spans=spans,
            sentence=sentence,
            tags=tags,
            predicates=predicates,
            ended=np.full(count, float(self.ended)),
            kinds=np.full((sentence[-1] + 1, len(KINDS)), 0.9),
            any=np.full(sentence[-1] + 1, 0.9),
        )


def _words(text):
    at = 0
    for word in text.split(" "):
        if word:
            yield at, at + len(word)
        at += len(word) + 1


def read(text, *seen, **how):
    said = replace(turn(text), said_at=datetime(2026, 11, 23, 12, tzinfo=UTC))
    return facts.read([said], Scripted(*seen, **how))
