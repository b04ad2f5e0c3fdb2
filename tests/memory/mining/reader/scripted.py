"""A scripted network, and the facts read from its predictions."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from memory.mining.reader import facts
from memory.mining.reader.network import Prediction
from memory.mining.reader.predicates import KINDS, NAMES
from memory.text.sentences import sentence_numbers, sentences
from tests.memory.mining.chats import turn

SURE, LIKELY, DOUBTFUL, HARDLY = 6.0, 1.6, 0.8, -3.0


class FirstFeature:
    """Agreement from the first feature alone."""

    def agreements(self, given):
        return [float(1 / (1 + np.exp(-2 * features[0]))) for features in given]


class Scripted:
    """A network that sees the given values, one token a word."""

    calibration = FirstFeature()

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
            end = start + len(value) if start >= 0 else 0
            for order, at in enumerate(at for at, (a, b) in enumerate(spans) if a < end and b > start):
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


_HOW: dict[str, dict[str, Any]] = {
    "ended": {"ended": True},
    "unlikely": {"logit": HARDLY},
    "likely": {"logit": LIKELY},
    "doubtful": {"logit": DOUBTFUL},
}
_DATES = {"valid_from": "from", "valid_to": "until", "event_time": "on"}


def read(text, seen, **how):
    """Read facts from a message in which the network sees each `value: predicate; …`."""
    said = replace(turn(text), said_at=datetime(2026, 11, 23, 12, tzinfo=UTC))
    return facts.read([said], Scripted(*(pair.rsplit(": ", 1) for pair in seen.split("; ")), **how))


def check(table):
    """Parametrise a test with the lines of a table, `text | value: predicate; … | expected`, which may be
    wrapped, below `# fields (how the network sees them): rule`. `_shown` writes what is expected."""
    found = []
    for line in filter(None, table.replace("\n  ", " | ").splitlines()):
        if line.startswith("# "):
            fields, how = re.fullmatch(r"# ([\w, ]+?)(?: \(([\w ]+)\))?: .*", line).groups()
            continue
        text, seen, expected = line.split(" | ")
        case = text.replace("\\n", "\n"), seen, how, fields.split(", "), expected
        found.append(pytest.param(*case, id=line))
    return pytest.mark.parametrize(("text", "seen", "how", "fields", "expected"), found)


def shown(text, seen, how, fields):
    """The fields of each fact, such as `Leeds / ended / from 2026-05-01; …`; `-` if nothing is read."""
    return "; ".join(_shown(fact, fields) for fact in read(text, seen, **_HOW.get(how, {}))) or "-"


def _shown(fact, fields):
    """The fields that are set, `no` if none is; `“…”` for a statement that quotes the user."""
    parts = []
    for name in fields:
        value = getattr(fact, name)
        if name in _DATES and value:
            parts.append(f"{_DATES[name]} {value:%Y-%m-%d %H:%M}".removesuffix(" 00:00"))
        elif value:
            parts.append(name if value is True else "".join(value).removeprefix("The user said: "))
    return " / ".join(parts) or "no"
