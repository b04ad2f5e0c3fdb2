"""Read when a fact began, ended or happened from the dates in its sentence."""

from dataclasses import replace
from datetime import datetime, time

from memory.facts.vocabulary import slug
from memory.mining.reader.mentions import Mention, clause_around
from memory.mining.reader.predicates import PREDICATES
from memory.mining.types import ExtractedFact
from memory.text.date_patterns import DAYS_OF_MONTH
from memory.text.dates import DateSpan, read_clock, read_time, read_upcoming
from memory.text.patterns import compile_pattern
from memory.text.tables import patterns, table_of

_SINCE = compile_pattern(r"(?:since|seit|desde|depuis|ab|с|со|自|从).*", ignore_case=True)
_PATTERNS = patterns(table_of(__file__))
_UPCOMING = compile_pattern(_PATTERNS["upcoming"], ignore_case=True)
_BEGAN = compile_pattern(_PATTERNS["began"], ignore_case=True)
_LATE_IN_MONTH = compile_pattern(
    r"(?:end of|late|ende|fin de|finales de|fines de|конца|конце) \pL{3}|月[末底]", ignore_case=True
)
_DATED_KINDS = ("event", "experience")
_MAX_DISTANCE = 40
_MONTH, _SEASON, _LONGEST_DATED = 31, 100, 800
"""The longest spans in days that are dated by their first month, by their middle month, and by a year."""
PRESENT_PREDICATES = {"worked_at": "works_at", "lived_in": "lives_in"}


def add_dates(fact: ExtractedFact, mention: Mention) -> ExtractedFact:
    """The fact with the time it began, ended or happened, if its sentence says so."""
    if fact.ended:
        return replace(fact, valid_to=end_time(mention))
    if fact.kind in _DATED_KINDS:
        return _with_event_time(fact, mention)
    span = (
        read_upcoming(mention.words, mention.turn.said_at.date())
        if _UPCOMING.search(mention.words)
        else _past_span(mention)
    )
    return replace(fact, valid_from=_start_time(span, mention)) if span and _is_start(span, mention) else fact


def _with_event_time(fact: ExtractedFact, mention: Mention) -> ExtractedFact:
    """An event or experience with its date; a past home or job that lasted, with its beginning and end."""
    span = _event_span(mention, fact.kind)
    if span is None:
        return fact
    if fact.predicate in PRESENT_PREDICATES and (span.end - span.start).days > 366:
        start, end = (
            datetime.combine(day, time(), mention.turn.said_at.tzinfo) for day in (span.start, span.end)
        )
        return replace(fact, valid_from=start, valid_to=min(end, mention.turn.said_at))
    days = (span.end - span.start).days
    if days > _LONGEST_DATED:
        return fact
    exact = days == 1 or bool(DAYS_OF_MONTH.match(span.words))
    middle = span.start if days <= _MONTH else span.start + (span.end - span.start) / 2
    label = span.start.isoformat() if exact else f"about {middle:{'%Y' if days > _SEASON else '%Y-%m'}}"
    first = middle.replace(month=1, day=1) if days > _SEASON else max(span.start, middle.replace(day=1))
    clock = read_clock(mention.words) if exact else None
    return replace(
        fact,
        statement=f"{fact.statement.removesuffix('.')} ({label}).",
        key=f"{fact.key}_{slug(label)}" if fact.kind == "event" else fact.key,
        event_time=datetime.combine(first, clock or time(), mention.turn.said_at.tzinfo),
    )


def _event_span(mention: Mention, kind: str) -> DateSpan | None:
    """The date in the sentence, read as past or upcoming, whichever reading has the longer text. If both are
    equal, events are upcoming."""
    past, ahead = _past_span(mention), read_upcoming(mention.words, mention.turn.said_at.date())
    if past and ahead:
        longer = len(past.words) - len(ahead.words)
        return past if longer > 0 or (longer == 0 and kind != "event") else ahead
    return past or ahead


def _past_span(mention: Mention) -> DateSpan | None:
    """The past date in the clause of the value, or else in its sentence."""
    today = mention.turn.said_at.date()
    return read_time(_clause(mention), today) or read_time(mention.words, today)


def _clause(mention: Mention) -> str:
    content = mention.turn.content
    return content[slice(*clause_around(content, mention.quote, mention.finding.place))]


def _is_start(span: DateSpan, mention: Mention) -> bool:
    """Whether a date is the start of a fact: it follows "since", or comes right after the value in its
    clause. For people and pets, a word there must say what began; a goal only has a deadline."""
    if _SINCE.fullmatch(span.words):
        return True
    predicate, clause = PREDICATES[mention.finding.predicate], _clause(mention)
    if (
        span.words not in clause
        or predicate.kind == "goal"
        or (predicate.label and not _BEGAN.search(clause))
    ):
        return False
    at = mention.words.find(span.words)
    distance = at - (mention.finding.place[1] - mention.sentence[0])
    return 0 <= distance <= _MAX_DISTANCE and (
        span.start < mention.turn.said_at.date() or bool(_UPCOMING.search(mention.words))
    )


def end_time(mention: Mention) -> datetime | None:
    """When something ended, if the sentence says so."""
    span = _past_span(mention)
    if span is None:
        return None
    return min(datetime.combine(span.end, time(), mention.turn.said_at.tzinfo), mention.turn.said_at)


def _start_time(span: DateSpan, mention: Mention) -> datetime:
    """When a date begins; "the end of March" begins on the 21st."""
    before = mention.words[: mention.words.find(span.words)] + span.words
    is_late = span.start.day == 1 and bool(_LATE_IN_MONTH.search(before))
    day = span.start.replace(day=21) if is_late else span.start
    return datetime.combine(day, time(), mention.turn.said_at.tzinfo)
