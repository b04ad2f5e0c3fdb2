"""Explain a hit: the signals behind its score, and one plain sentence.

The sentence is stored with the reply, so its only words from the drawer are words of the question.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from memory.recall.types import Hit, Query
from memory.text.dates import closeness
from memory.text.matching import JOINED, lexemes, matches

OTHER = "other"
_MINIMUM = 0.0005
MAX_CLAUSES = 3
MAX_WORDS = 4
MIN_SHARE = 0.05
VERY_CLOSE, CLOSE = 0.75, 0.5
ASSISTANT = "assistant"

MARKS = ("reader",)
MESSAGE = "\0"
UNFILED = gettext_noop("It is from a chat that is not filed yet.")
NEAREST = f"is among the closest in meaning to {MESSAGE}"
MAX_READ_LENGTH = 50_000


@dataclass(frozen=True, slots=True)
class Signal:
    """The display name and meaning of a signal."""

    name: str | Promise
    meaning: str | Promise


SIGNALS: Mapping[str, Signal] = {
    "meaning": Signal(_("Meaning"), _("How close its meaning is to your message, by the embedding model.")),
    "wording": Signal(
        _("Words"), _("Words it shares with your message. The rarer a word, the more it counts.")
    ),
    "time": Signal(
        _("Time"), _("It was said at or near the time your message mentions, or is about that time.")
    ),
    "recency": Signal(_("Recency"), _("A boost for recent messages when yours mentions no time.")),
    "pinned": Signal(_("Pinned"), _("You pinned it.")),
    "project": Signal(_("Project"), _("It belongs to the project your message is about.")),
    "pointer": Signal(_("Pointer"), _("Your message contains its pointer, which outweighs everything else.")),
    "speaker": Signal(
        _("Speaker"),
        _("Your own words are preferred, unless you ask what the assistant said."),
    ),
    "known_facts": Signal(
        _("Known facts"),
        _("It is the source of a fact about you or about someone your message mentions."),
    ),
    "skills": Signal(_("Skills"), _("A skill you approved is based on it.")),
    "negative_feedback": Signal(
        _("Not relevant"), _("You marked it as not relevant when you asked something similar.")
    ),
    "uninformative": Signal(
        _("Says little"), _("It is only a question or an exclamation and contains little information.")
    ),
    OTHER: Signal(_("Other"), _("Everything else that moved it up or down.")),
}


@dataclass(frozen=True, slots=True)
class _Case:
    """A hit, its question and what to call it, and the day the hit was said in the user's time zone."""

    hit: Hit
    query: Query
    asked_by: str
    said_on: date


def explain(hit: Hit, query: Query, zone: tzinfo, asked_by: str = "your message") -> Hit:
    """The hit with its reason sentence, which calls the question `asked_by`; an existing reason is kept."""
    if hit.reason:
        return hit
    return replace(hit, reason=_sentence(_Case(hit, query, asked_by, hit.said_at.astimezone(zone).date())))


def _sentence(case: _Case) -> str:
    """A sentence with the strongest signals first and no negligible ones."""
    weighed = shares(case.hit.parts, case.hit.score)
    marks = [key for key in MARKS if key in case.hit.scores]
    strongest = [key for key, share in weighed.items() if share >= MIN_SHARE]
    clauses = (_clause(key, case) for key in (*marks, *strongest))
    picked = list(filter(None, clauses))[:MAX_CLAUSES] or [NEAREST]
    words = _join(picked).replace(MESSAGE, case.asked_by, 1).replace(MESSAGE, "it")
    return f"It {words}. {UNFILED}" if case.hit.unfiled_in else f"It {words}."


def _clause(key: str, case: _Case) -> str:
    picked = _CLAUSES.get(key)
    return picked(case) if picked else f"matches by another signal ({str(signal(key).name).lower()})"


def _meaning(case: _Case) -> str:
    similarity = case.hit.scores.get("similarity", 0.0)
    if similarity >= VERY_CLOSE:
        return f"is very close in meaning to {MESSAGE}"
    return f"is close in meaning to {MESSAGE}" if similarity >= CLOSE else ""


def _wording(case: _Case) -> str:
    words = shared_words(case.query.text, case.hit.text)
    if not words:
        return f"shares words with {MESSAGE}"
    named = [f"“{word}”" for word in words[:MAX_WORDS]]
    if len(words) > MAX_WORDS:
        named.append(f"{len(words) - MAX_WORDS} more")
    kind = "words" if len(words) > 1 else "word"
    return f"shares the {kind} {_join(named)} with {MESSAGE}"


def _time(case: _Case) -> str:
    span = case.query.span
    if span is None:
        return ""
    if case.hit.scores.get("about", 0.0) > closeness(case.said_on, span):
        return "is about the time you mention"
    at = "at" if span.start <= case.said_on < span.end else "near"
    return f"dates from {case.said_on.day} {case.said_on:%B %Y} ({at} the time you mention)"


def _speaker(case: _Case) -> str:
    asked = case.query.about_assistant and case.hit.role == ASSISTANT
    return "is from the assistant you ask about" if asked else ""


def _join(items: Sequence[str]) -> str:
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


_CLAUSES: Mapping[str, Callable[[_Case], str]] = {
    "meaning": _meaning,
    "wording": _wording,
    "time": _time,
    "speaker": _speaker,
    **dict.fromkeys(("recency", "negative_feedback", "uninformative", OTHER), lambda case: ""),
    "known_facts": lambda case: "is the source of a related fact",
    "skills": lambda case: "is the source of a skill that you approved",
    "pinned": lambda case: "is pinned",
    "project": lambda case: "belongs to the project you are writing about",
    "pointer": lambda case: "has the pointer you entered",
    "reader": lambda case: "was selected by the reranking model",
}


def signal(key: str) -> Signal:
    """The name and meaning of a signal; an unknown one is named by its key."""
    known = SIGNALS.get(key)
    if known is not None:
        return known
    return Signal(key.replace("_", " ").capitalize(), _("Another signal that it matches your message."))


def shares(parts: Mapping[str, float], score: float) -> dict[str, float]:
    """Each signal's share of the points in favour of a drawer, largest first and adding up to 1. Penalties
    are negative, on the same scale, and never below -1."""
    named = {key: part for key, part in parts.items() if abs(part) > _MINIMUM}
    rest = score - sum(named.values())
    if abs(rest) > _MINIMUM:
        named[OTHER] = named.get(OTHER, 0.0) + rest
    gained = sum(part for part in named.values() if part > 0)
    ordered = sorted(named, key=lambda key: (-named[key], key))
    return {key: max(-1.0, named[key] / gained) for key in ordered} if gained else {}


def shared_words(question: str, text: str) -> tuple[str, ...]:
    """The content words of `question` that `text` contains in any form, each once and in order; for
    unspaced scripts, the longest common runs."""
    known = lexemes(text[:MAX_READ_LENGTH])
    found = (question[start:end] for start, end in matches(question, known, JOINED))
    return tuple({word.casefold(): word for word in reversed([*found])}.values())[::-1]
