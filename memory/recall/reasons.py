"""Says in one plain sentence why a drawer was recalled.

The sentence is stored with the reply, so it holds no word of the drawer that the question does not
have as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo

from memory.recall.shared_words import shared_words
from memory.recall.signals import shares, signal
from memory.recall.types import Hit, Query

MOST_CLAUSES = 3
MOST_WORDS = 4
LEAST_SHARE = 0.05
VERY_CLOSE, CLOSE = 0.75, 0.5
ASSISTANT = "assistant"

MARKS = ("reader",)
MESSAGE = "\0"
NEAREST = "is among the nearest in meaning that were found"


@dataclass(frozen=True, slots=True)
class _Case:
    """A hit, the question it answers, and the day it was said by the person's own calendar."""

    hit: Hit
    query: Query
    said_on: date


def explained(hit: Hit, query: Query, zone: tzinfo) -> Hit:
    """The hit with its reason; one that has a reason already keeps it."""
    if hit.reason:
        return hit
    return replace(hit, reason=_sentence(_Case(hit, query, hit.said_at.astimezone(zone).date())))


def _sentence(case: _Case) -> str:
    """What counted most comes first; what hardly counted is not told."""
    weighed = shares(case.hit.parts, case.hit.score)
    marks = [key for key in MARKS if key in case.hit.scores]
    telling = [key for key, share in weighed.items() if share >= LEAST_SHARE]
    clauses = (_clause(key, case) for key in (*marks, *telling))
    told = list(filter(None, clauses))[:MOST_CLAUSES] or [NEAREST]
    words = _listed(told).replace(MESSAGE, "your message", 1).replace(MESSAGE, "it")
    return f"It {words}."


def _clause(key: str, case: _Case) -> str:
    told = _CLAUSES.get(key)
    return told(case) if told else f"fits by one more sign ({str(signal(key).name).lower()})"


def _meaning(case: _Case) -> str:
    likeness = case.hit.scores.get("similarity", 0.0)
    if likeness >= VERY_CLOSE:
        return f"is very close in meaning to {MESSAGE}"
    return f"is close in meaning to {MESSAGE}" if likeness >= CLOSE else ""


def _wording(case: _Case) -> str:
    words = shared_words(case.query.text, case.hit.text)
    if not words:
        return f"shares words with {MESSAGE}"
    named = [f"“{word}”" for word in words[:MOST_WORDS]]
    if len(words) > MOST_WORDS:
        named.append(f"{len(words) - MOST_WORDS} more")
    kind = "words" if len(words) > 1 else "word"
    return f"shares the {kind} {_listed(named)} with {MESSAGE}"


def _time(case: _Case) -> str:
    span = case.query.span
    if span is None:
        return ""
    within = "within" if span.start <= case.said_on < span.end else "near"
    day = f"{case.said_on.day} {case.said_on:%B %Y}"
    return f"was said on {day}, {within} the time that {MESSAGE} names"


def _speaker(case: _Case) -> str:
    asked = case.query.about_assistant and case.hit.role == ASSISTANT
    return "is what the assistant said, which you asked about" if asked else ""


def _untold(case: _Case) -> str:
    return ""


def _listed(items: Sequence[str]) -> str:
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


_CLAUSES: Mapping[str, Callable[[_Case], str]] = {
    "meaning": _meaning,
    "wording": _wording,
    "time": _time,
    "recency": _untold,
    "speaker": _speaker,
    "misfit": _untold,
    "little": _untold,
    "other": _untold,
    "facts": lambda case: f"holds a fact that fits {MESSAGE}",
    "profile": lambda case: f"gave a value of your profile that {MESSAGE} asks for",
    "preferences": lambda case: "says what you like, want or avoid in this",
    "graph": lambda case: f"tells of someone or something that {MESSAGE} is about",
    "skills": lambda case: "holds a way that worked, which you published",
    "names": lambda case: f"has a name that {MESSAGE} has",
    "phrases": lambda case: f"says what {MESSAGE} quotes, word for word",
    "pinned": lambda case: "is pinned by you",
    "project": lambda case: f"belongs to the project that {MESSAGE} is about",
    "pointer": lambda case: f"is the drawer whose pointer {MESSAGE} names",
    "reader": lambda case: "was chosen by the model that read the best ones",
}
