"""Reading the time a message speaks of: one date, a stretch between two, or all before or after."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from memory.recall import time_patterns as patterns
from memory.recall.date_words import NUMBERS, UNITS
from memory.recall.dates import DateSpan, read_span
from memory.recall.festivals import festival_days

_LONGEST_MESSAGE = 4_000
_FESTIVAL_TOLERANCE = 10
_LONGEST_LEAD = 6
_REACH_DAYS = 90


def read_time(message: str, today: date) -> DateSpan | None:
    """The stretch of days that `message` speaks of, relative to the writer's own `today`, or None.
    What has two ends or one ("between March and May", "since Easter") comes before a plain date."""
    text = message[:_LONGEST_MESSAGE]
    return next(_readings(text, today), None)


def _readings(text: str, today: date) -> Iterator[DateSpan]:
    try:
        yield from _between(text, today)
        yield from _open(text, today)
        yield from _before_last(text, today)
        yield from _weekdays_ago(text, today)
    except OverflowError:
        # Further back than calendars go.
        return
    found = read_span(text, today)
    festival = _festival(text, today, found)
    if festival and (found is None or _is_year(found)):
        yield festival
    elif found:
        yield found


def _is_year(span: DateSpan) -> bool:
    return (span.start.month, span.start.day) == (1, 1) and span.end.year == span.start.year + 1


def _between(text: str, today: date) -> Iterator[DateSpan]:
    for pattern in patterns.BETWEEN:
        for match in pattern.finditer(text):
            last = _one(match["b"], today)
            first = _one(match["a"], today)
            if first and last:
                span = _joined(first, last, match["a"], today)
                if span:
                    yield replace(span, words=_quoted(match, "b", last))


def _joined(first: DateSpan, last: DateSpan, words: str, today: date) -> DateSpan | None:
    """From the beginning of one to the end of the other. A beginning without a year lies in the
    year of the end, or in the one before."""
    for back in (0, 1):
        if first.start < last.end and (last.end - first.start).days < 366 * 30:
            break
        first = _one(f"{words} {last.start.year - back}", today) or first
    if first.start >= last.end:
        return None
    tolerance = max(first.tolerance_days, last.tolerance_days)
    return DateSpan(first.start, last.end, "", tolerance)


def _open(text: str, today: date) -> Iterator[DateSpan]:
    for kind, pattern in patterns.OPEN:
        for match in pattern.finditer(text):
            if patterns.LENGTH.search(text[: match.start()]):
                continue
            border = _one(match["a"], today)
            span = _from_border(kind, border, today) if border else None
            if border and span:
                yield replace(span, words=_quoted(match, "a", border))


def _from_border(kind: str, border: DateSpan, today: date) -> DateSpan | None:
    """All since, after, before or until a date; what lies long before it counts for less."""
    tomorrow = today + timedelta(days=1)
    reach = max(_REACH_DAYS, 2 * (border.end - border.start).days)
    if kind in {"since", "after"}:
        start = border.start if kind == "since" else border.end
        return DateSpan(start, tomorrow, "", border.tolerance_days) if start < tomorrow else None
    end = border.start if kind == "before" else border.end
    return DateSpan(end - timedelta(days=reach), end, "", reach)


def _one(text: str, today: date) -> DateSpan | None:
    """The date at the beginning of `text`, after an article at most."""
    for lead in ("", "in "):
        found = read_span(lead + text, today)
        if found and (lead + text).find(found.words) <= _LONGEST_LEAD:
            return found
    found = _festival(text, today)
    return found if found and text.find(found.words) <= _LONGEST_LEAD else None


def _quoted(match: re.Match[str], group: str, border: DateSpan) -> str:
    """The words of a match up to the end of its last date."""
    bare = border.words.removeprefix("in ")
    place = match[group].find(bare)
    end = match.start(group) + place + len(bare) if place >= 0 else match.end()
    return match.string[match.start() : max(end, match.start(group) + 1)].strip()


def _festival(text: str, today: date, within: DateSpan | None = None) -> DateSpan | None:
    year = within.start.year if within and _is_year(within) else None
    found = festival_days(text, today, year)
    return DateSpan(*found, _FESTIVAL_TOLERANCE) if found else None


def _before_last(text: str, today: date) -> Iterator[DateSpan]:
    for pattern in patterns.BEFORE_LAST:
        for match in pattern.finditer(text):
            unit = patterns.meaning(UNITS, match["unit"])
            span = _second_last(unit, today)
            if span:
                yield replace(span, words=match[0].strip())
    for match in patterns.YEAR_BEFORE_LAST.finditer(text):
        yield replace(_years_back(2, today), words=match[0])


def _second_last(unit: str | None, today: date) -> DateSpan | None:
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        return DateSpan(monday - timedelta(days=14), monday - timedelta(days=7), "", 7)
    if unit == "weekend":
        saturday = monday - timedelta(days=9)
        return DateSpan(saturday, saturday + timedelta(days=2), "", 5)
    if unit == "month":
        end = (today.replace(day=1) - timedelta(days=1)).replace(day=1)
        return DateSpan((end - timedelta(days=1)).replace(day=1), end, "", 15)
    return _years_back(2, today) if unit == "year" else None


def _years_back(count: int, today: date) -> DateSpan:
    if today.year <= count:
        raise OverflowError
    year = today.year - count
    return DateSpan(date(year, 1, 1), date(year + 1, 1, 1), "", 60)


def _weekdays_ago(text: str, today: date) -> Iterator[DateSpan]:
    for pattern in patterns.WEEKDAYS_AGO:
        for match in pattern.finditer(text):
            count = patterns.meaning(NUMBERS, match["n"])
            number = int(match["n"]) if match["n"].isdecimal() else int(count or 0)
            weekday = patterns.meaning(patterns.SEVERAL_WEEKDAYS, match["weekday"])
            if weekday is not None and 0 < number < 60:
                back = (today.weekday() - weekday - 1) % 7 + 1 + 7 * (number - 1)
                day = today - timedelta(days=back)
                length = 2 if patterns.is_weekend(match["weekday"]) else 1
                yield DateSpan(day, day + timedelta(days=length), match[0].strip(), 4)
