"""Read when a fact began, ended or happened from the dates in its sentence."""

from dataclasses import replace
from datetime import datetime, time
from itertools import pairwise

from memory.facts.vocabulary import FORMER, slug
from memory.mining.reader.mentions import NAME_PREDICATES, Mention, clause_around, clause_limits
from memory.mining.reader.predicates import PREDICATES
from memory.mining.types import ExtractedFact
from memory.text.date_patterns import DAYS_OF_MONTH
from memory.text.dates import DateSpan, read_clock, read_time, read_upcoming
from memory.text.patterns import compile_pattern, compile_table, table_of

_SINCE = compile_pattern(r"(?:since|seit|desde|depuis|ab|с|со|自|从).*", ignore_case=True)
_PATTERNS = compile_table(table_of(__file__))
WITH = frozenset(("with", "mit", "con", "avec", "с", "со"))
_YEAR = compile_pattern(r"[, ]*(?:19|20)\d\d(?:(?P<alone>\s*(?:[^\s\pL\pN]|$))|\D)")
_DAY = compile_pattern(r"(?:^|\D)\d{1,2}(?:st|nd|rd|th)?(?:\.? \pL+)?,?\s*$")
_TIMELESS = (*NAME_PREDICATES, "aged", "born_on", "born_in", "comes_from")
"""Predicates whose facts have no start."""
_DATED_KINDS = ("event", "experience")
_MAX_DISTANCE = 40
_SEASON, _LONGEST_DATED = 100, 800
"""The longest spans in days that are dated by their middle month, and by their year."""
PRESENT_PREDICATES = {former: present for present, former in FORMER.items()}


def begins_later(mention: Mention) -> bool:
    """Whether words before the end of the value, and a date in its clause, say that it begins in the
    future."""
    clause, today = _clause(mention), mention.turn.said_at.date()
    before = mention.turn.content[mention.sentence[0] : mention.finding.place[1]]
    is_left = before[: -len(mention.value)].endswith((" from ", " aus ", " von ", " de ", " из "))
    if mention.finding.predicate in _TIMELESS or is_left or not _PATTERNS["upcoming"].search(before):
        return False
    span = read_upcoming(clause, today)
    return span is not None and span.start > today


def add_dates(fact: ExtractedFact, mention: Mention) -> ExtractedFact:
    """The fact with the time it began, ended or happened, if its sentence says so."""
    if fact.ended:
        return replace(fact, valid_to=end_time(mention))
    if fact.kind in _DATED_KINDS:
        return _with_event_time(fact, mention)
    if fact.predicate in _TIMELESS:
        return fact
    span = (
        read_upcoming(mention.words, mention.turn.said_at.date())
        if _PATTERNS["upcoming"].search(mention.words)
        else _past_span(mention)
    )
    if span is None or span.start > mention.turn.said_at.date() or not _is_start(span, mention):
        return fact
    return replace(fact, valid_from=_start_time(span, mention))


def _with_event_time(fact: ExtractedFact, mention: Mention) -> ExtractedFact:
    """An event or experience with its date; a past home or job that lasted, with its beginning and end."""
    span = _event_span(mention) if fact.kind == "event" else _past_span(mention)
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
    exact = days == 1 or any(each.match(span.words) for each in DAYS_OF_MONTH)
    middle = span.start + (span.end - span.start) / 2
    label = span.start.isoformat() if exact else f"about {middle:{'%Y' if days > _SEASON else '%Y-%m'}}"
    first = span.start if exact else max(span.start, middle.replace(day=1))
    first = first.replace(month=1) if days > _SEASON else first
    clock = read_clock(mention.words) if exact else None
    return replace(
        fact,
        statement=f"{fact.statement.removesuffix('.')} ({label}).",
        key=f"{fact.key}_{slug(label)}" if fact.kind == "event" else fact.key,
        event_time=datetime.combine(first, clock or time(), mention.turn.said_at.tzinfo),
    )


def _event_span(mention: Mention) -> DateSpan | None:
    """The date in the clause of the value, or else in its sentence; also if the clause has only a part of it
    ("on Saturday, 8 August", "for Christmas, 21 December to 3 January")."""
    near, wide = (_likely_span(words, mention) for words in (_clause(mention), _dated_words(mention)))
    is_part = near and wide and near.exact and near.words.split()[-1] in wide.words
    is_within = near and wide and near.exact and wide.start <= near.start < near.end <= wide.end
    return wide if is_part or is_within else near or wide


def _likely_span(words: str, mention: Mention) -> DateSpan | None:
    """The upcoming date in these words, or the past one if it says more, or if verbs of the past are nearer
    to it ("my exam was on 3 May")."""
    today = mention.turn.said_at.date()
    past, ahead = read_time(words, today), read_upcoming(words, today)
    if not past or not ahead:
        return past or ahead
    says_more = ahead.words != past.words and ahead.words in past.words
    is_nearer = today - past.start < ahead.start - today and _PATTERNS["was"].search(words)
    return past if says_more or is_nearer else ahead


def _past_span(mention: Mention) -> DateSpan | None:
    """The past date in the clause of the value, or else in its sentence."""
    today = mention.turn.said_at.date()
    return read_time(_clause(mention), today) or read_time(_dated_words(mention), today)


def _dated_words(mention: Mention) -> str:
    """The sentence; for a past home or job, without a "since" in another clause, which is about the present
    one."""
    found = read_time(mention.words, mention.turn.said_at.date())
    is_former = mention.finding.predicate in PRESENT_PREDICATES
    return _clause(mention) if is_former and found and _is_open(found, mention) else mention.words


def _is_open(span: DateSpan, mention: Mention) -> bool:
    """Whether a span reaches from a date until today ("since 2019")."""
    return bool(_SINCE.fullmatch(span.words)) and span.end > mention.turn.said_at.date()


def _clause(mention: Mention) -> str:
    """The clause of the value. A comma before a year does not end it if a day precedes it ("July 10, 2024")
    or nothing follows it ("in July, 2024")."""
    content = mention.turn.content
    start, end = clause_around(content, mention.quote, mention.finding.place)
    for match in _PATTERNS["and_i"].finditer(content[start:end]):  # "I left on Friday and I start on Monday"
        boundary = start + match.start()
        if boundary >= mention.finding.place[1]:
            end = boundary
            break
        start = boundary
    year = _YEAR.match(content[end:])
    is_part = year and (year["alone"] is not None or _DAY.search(content[start:end]))
    return content[start : end + year.end()] if year and is_part else content[start:end]


def _is_start(span: DateSpan, mention: Mention) -> bool:
    """Whether a date is the start of a fact: it follows "since", or comes right after the value in its
    clause. For people and pets, a word there must say what began, and not "with"; a goal only has a
    deadline."""
    predicate, clause = PREDICATES[mention.finding.predicate], _clause(mention)
    if _is_open(span, mention):
        before = mention.words[: mention.finding.place[0] - mention.sentence[0]]
        if predicate.label and not WITH.isdisjoint(before.partition(span.words)[2].casefold().split()):
            return False  # "I have lived here since 2019 with my wife"
        return span.words in clause or _has_own_clause(span, mention)
    if (
        span.words not in clause
        or predicate.kind == "goal"
        or (predicate.label and not _PATTERNS["began"].search(clause))
    ):
        return False
    at = mention.words.find(span.words)
    distance = at - (mention.finding.place[1] - mention.sentence[0])
    return 0 <= distance <= _MAX_DISTANCE and (
        span.start < mention.turn.said_at.date() or bool(_PATTERNS["upcoming"].search(mention.words))
    )


def _has_own_clause(span: DateSpan, mention: Mention) -> bool:
    """Whether a date is a clause of its own ("Since 2019, …"), and not in one about something else."""
    starts, ends = clause_limits(mention.turn.content, mention.sentence, mention.finding.place)
    limits = [*starts, *ends]
    clauses = (mention.turn.content[first:last] for first, last in pairwise(limits))
    return any(span.words in clause and len(clause) < len(span.words) + 8 for clause in clauses)


def end_time(mention: Mention) -> datetime | None:
    """When something ended, if the sentence says so."""
    span = _past_span(mention)
    if span is None:
        return None
    return min(datetime.combine(span.end, time(), mention.turn.said_at.tzinfo), mention.turn.said_at)


def _start_time(span: DateSpan, mention: Mention) -> datetime:
    """When a date begins; "the end of March" begins on the 21st."""
    before = mention.words[: mention.words.find(span.words)] + span.words
    is_late = span.start.day == 1 and bool(_PATTERNS["late_in_month"].search(before))
    day = span.start.replace(day=21) if is_late else span.start
    return datetime.combine(day, time(), mention.turn.said_at.tzinfo)
