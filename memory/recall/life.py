"""A stage of recall: times that are told by an event of the person's own life ("before I moved",
"after my wedding") become days, as far as facts know when it was."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, timedelta
from itertools import islice

import structlog
from django.db import Error

from memory.facts.dating import facts_that_tell_when
from memory.function_words import FUNCTION_WORDS, GRAMMAR_RUNS, GRAMMAR_WORDS
from memory.languages import language_of
from memory.models import Fact
from memory.projections.timeline import Precision, precision_of
from memory.recall import life_words as words
from memory.recall.dates import DateSpan
from memory.recall.types import Query, RecallRequest
from memory.stemming import forms
from memory.time_limit import TimeLimit, TooSlow

SHARE = 0.2
"""How much of the time of a recall may go into this."""
REACH_DAYS = 180
AROUND_DAYS = 4
TOLERANCE_DAYS = 30
_MOST_WORDS = 6
_LONGEST_READ = 600

_RELATIONS = tuple(
    (relation, re.compile(pattern, re.IGNORECASE))
    for relation, pattern in (*words.RELATIONS, *words.RELATIONS_AFTER)
)
_PERSONAL = re.compile(words.PERSONAL, re.IGNORECASE)
_EVENTS = tuple(
    (re.compile(name, re.IGNORECASE), known, lasts) for name, known, lasts in words.EVENTS
)
_WORD = re.compile(r"[^\W\d_]{3,}|[\u3400-\u9fff]{2,}")
_RUNS = re.compile(GRAMMAR_RUNS["zh"])
_GRAMMAR = frozenset[str]().union(*FUNCTION_WORDS.values(), *GRAMMAR_WORDS.values())

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LifeEvent:
    """An event as a question names it. `relation` is before, after, since or during; `predicates`
    are those of facts that may know it; `telling` are pieces of the words that say which one it
    was, `naming` of those that say what kind; `lasts` that it went on as long as the fact held."""

    relation: str
    quoted: str
    predicates: tuple[str, ...]
    telling: tuple[str, ...]
    naming: tuple[str, ...]
    lasts: bool


def dated_by_life(request: RecallRequest, query: Query, limit: TimeLimit) -> Query:
    """The query with the days of the event that it names. Unchanged when it names none or a date
    besides, when nothing tells when that was, and when the database does not answer in time."""
    event = named_event(query.text) if query.span is None else None
    if event is None:
        return query
    try:
        with limit.stage(SHARE):
            known = facts_that_tell_when(
                request.user_id, event.predicates, (*event.telling, *event.naming)
            )
    except (Error, TooSlow) as error:
        log.warning("event not looked up", error=type(error).__name__)
        return query
    fact = _best(event, known)
    span = _span(event, fact, request.today) if fact else None
    return replace(query, span=span) if span else query


def named_event(text: str) -> LifeEvent | None:
    """The event of the writer's own life by which `text` tells a time, or None."""
    for relation, pattern in _RELATIONS:
        for match in pattern.finditer(text[:_LONGEST_READ]):
            event = _event(relation, match)
            if event:
                return event
    return None


def _event(relation: str, match: re.Match[str]) -> LifeEvent | None:
    named = match["event"]
    kinds = [kind for kind in _EVENTS if kind[0].search(named)]
    if not kinds or (relation == "during" and not _PERSONAL.search(match.string)):
        return None
    naming = [found[0] for name, _, _ in kinds for found in name.finditer(named)]
    rest = named
    for word in naming:
        rest = rest.replace(word, " ")
    predicates = tuple(predicate for _, known, _ in kinds for predicate in known)
    language = language_of(match.string)
    return LifeEvent(
        relation,
        match[0].strip(),
        predicates,
        tuple(islice(_pieces(rest, language), _MOST_WORDS)),
        tuple(islice(_pieces(" ".join(naming), language), _MOST_WORDS)),
        any(lasts for _, _, lasts in kinds),
    )


def _pieces(text: str, language: str) -> Iterator[str]:
    """The beginnings that the forms of each telling word share."""
    spoken = _RUNS.sub(" ", text) if language == "zh" else text
    for word in _WORD.findall(spoken.lower()):
        if word not in _GRAMMAR:
            stems = [len(form) for form in forms(word, language)[:1]]
            yield word[: max(3, *stems)] if stems else word


def _best(event: LifeEvent, known: Sequence[Fact]) -> Fact | None:
    """The fact that shares the most with the event. What is told of it must be in the fact; when
    nothing is told but its kind, the newest of that kind is meant."""
    weights = [_weight(event, fact) for fact in known]
    best = max(range(len(known)), key=lambda place: (weights[place], -place), default=None)
    return known[best] if best is not None and weights[best] > 0 else None


def _weight(event: LifeEvent, fact: Fact) -> float:
    stated = f"{fact.statement} {fact.object}".lower()
    told = sum(piece in stated for piece in event.telling)
    if event.telling and not told:
        return 0.0
    named = any(piece in stated for piece in event.naming)
    fitting = fact.predicate in event.predicates
    if not (named or fitting):
        return 0.0
    return 2.0 * told + named + fitting + 0.5 * (fact.event_time is not None)


def _span(event: LifeEvent, fact: Fact, today: date) -> DateSpan | None:
    start, end = _days(fact, today, lasts=event.lasts)
    tomorrow = today + timedelta(days=1)
    if event.relation == "before":
        start, end = start - timedelta(days=REACH_DAYS), start
    elif event.relation == "after":
        start, end = end, tomorrow
    elif event.relation == "since":
        end = tomorrow
    elif (end - start).days <= 1:
        start, end = start - timedelta(days=AROUND_DAYS), end + timedelta(days=AROUND_DAYS)
    tolerance = REACH_DAYS if event.relation == "before" else TOLERANCE_DAYS
    return DateSpan(start, end, event.quoted, tolerance) if start < end else None


def _days(fact: Fact, today: date, *, lasts: bool) -> tuple[date, date]:
    """The first day of what a fact tells, and the day after the last."""
    if fact.event_time is None:
        start = fact.valid_from.astimezone(UTC).date()
        if not lasts:
            return start, start + timedelta(days=1)
        over = fact.ended_at or fact.valid_to
        end = over.astimezone(UTC).date() if over else today
        return start, max(end, start) + timedelta(days=0 if over else 1)
    at = fact.event_time.astimezone(UTC)
    day = at.date()
    length = {Precision.YEAR: 365, Precision.MONTH: 30}.get(precision_of(at, fact.statement), 1)
    return day, day + timedelta(days=length)
