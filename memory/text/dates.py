"""Read the day or span of days that a message refers to, and measure how close a day is to it.

`read_time` is the entry point; `read_span` reads a single date without open or two-ended spans.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from typing import TypeVar

from dateutil.relativedelta import relativedelta

from memory.text import date_patterns as patterns
from memory.text.festivals import festival_days
from memory.text.languages import is_english

_MAX_MESSAGE_LENGTH = 4_000
_UNIT_DAYS = {"day": 1.0, "week": 7.0, "fortnight": 14.0, "month": 30.44, "year": 365.25}
_SLACK = {"day": 0, "week": 1, "fortnight": 1, "month": 5, "year": 45}
_SLACK_AHEAD = {"day": 0, "week": 2, "fortnight": 2, "month": 10, "year": 90}
_FEW = 4.0
_FESTIVAL_TOLERANCE = 10
_MAX_LEAD_LENGTH = 6
_REACH_DAYS = 90
_ONE_DAY = timedelta(days=1)
_PAST, _AHEAD = -1, 1


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The half-open range of days that `words` refer to.

    `tolerance_days` is how far before it a day may be and still count a little.
    """

    start: date
    end: date
    words: str
    tolerance_days: int

    @property
    def exact(self) -> bool:
        """Whether it is at most a week, in a year that a chat may refer to."""
        return (self.end - self.start).days <= 7 and 1950 <= self.start.year <= 2150


_T = TypeVar("_T")
_Range = tuple[date, date, int]
_Reader = Callable[[re.Match[str], date], _Range | None]
_Rule = tuple[re.Pattern[str], _Reader]


def read_time(message: str, today: date) -> DateSpan | None:
    """The span of days that `message` refers to, relative to the writer's `today`, or None.

    Spans such as "between March and May" or "since Easter" come before plain dates.
    """
    return next(_readings(message[:_MAX_MESSAGE_LENGTH], today), None)


def read_span(message: str, today: date) -> DateSpan | None:
    """The most exact date or span in `message`, relative to the writer's `today`, or None.

    A date without a year is the latest that is not in the future. Questions about a length of time ("how
    many days ago …") are ignored.
    """
    text = patterns.HOW_LONG.sub(" ", message[:_MAX_MESSAGE_LENGTH])
    return next(_apply(_RULES, text, today), None)


def read_upcoming(message: str, today: date) -> DateSpan | None:
    """The day or span of an upcoming event, relative to the writer's `today`, or None.

    A date without a year is the next that is not past.
    """
    text = message[:_MAX_MESSAGE_LENGTH]
    return _or_festival(next(_apply(_RULES_AHEAD, text, today), None), text, today, ahead=True)


def read_clock(text: str) -> time | None:
    """The first time of day in `text`, such as 3pm, 15:30 or noon."""
    match = patterns.CLOCK.search(text[:_MAX_MESSAGE_LENGTH])
    if match is None:
        return None
    if match["noon"]:
        return time(12)
    hour, minute = int(match["h"] or match["h24"]), int(match["m"] or match["m24"] or 0)
    if match["half"]:
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def closeness(said_on: date, span: DateSpan) -> float:
    """1.0 for a day inside the span, falling linearly to 0.0 at its tolerance before it and at twice its
    tolerance after it, because people talk about things once they have happened."""
    before = (span.start - said_on).days
    after = (said_on - span.end).days + 1
    outside = max(before, after / 2, 0)
    return max(0.0, 1.0 - outside / max(1, span.tolerance_days))


def closeness_of_events(times: Iterable[str], said_on: date, span: DateSpan) -> float:
    """The closeness of the nearest event to the span. `times` are as written on `said_on`; only those of a
    week or less count."""
    read = (read_time(words, said_on) or read_upcoming(words, said_on) for words in times)
    days = (min(max(each.start, span.start), each.end - _ONE_DAY) for each in read if each and each.exact)
    return max((closeness(day, span) for day in days), default=0.0)


def _apply(rules: Iterable[_Rule], text: str, today: date) -> Iterator[DateSpan]:
    """What these rules read in a text, in their order."""
    for pattern, reader in rules:
        for match in pattern.finditer(text):
            try:
                found = reader(match, today)
            except (ValueError, OverflowError):
                continue  # No calendar has this day, such as 31.02. or the year 0.
            if found is not None:
                start, end, tolerance = found
                yield DateSpan(start, end, match[0].strip(), tolerance)


def _meaning(table: dict[_T, str], word: str) -> _T:
    """What the first words of a table that match a word mean."""
    for meaning, words in table.items():
        if re.fullmatch(words, word, re.IGNORECASE):
            return meaning
    raise ValueError("The word is not in the table.")


def _number(word: str | None, unit_word: str) -> tuple[float, bool]:
    """The number, and whether it is vague."""
    if word is None:
        return (_FEW, True) if unit_word.endswith("s") else (1.0, False)
    if word.isdecimal():
        return float(word), False
    if re.fullmatch(patterns.WORDS.vague_number, word, re.IGNORECASE):
        return _FEW, True
    return _meaning(patterns.NUMBERS, word), "couple" in word.lower() or "пар" in word.lower()


def _day(day: date, tolerance: int = 2) -> _Range:
    return day, day + _ONE_DAY, tolerance


def _month(year: int, month: int) -> _Range:
    first = date(year, month, 1)
    return first, first + relativedelta(months=1), 10


def _year(year: int) -> _Range:
    return date(year, 1, 1), date(year + 1, 1, 1), 60


def _year_month_day(match: re.Match[str], today: date) -> _Range:
    return _day(date(int(match["y"]), int(match["m"]), int(match["d"])))


def _numeric(match: re.Match[str], today: date) -> _Range | None:
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    year += 2000 if len(match["y"]) == 2 else 0
    orders = ((second, first),) if match["sep"] == "." else ((second, first), (first, second))
    days = [date(year, month, day) for month, day in orders if 1 <= month <= 12]
    if not is_english(match.string):
        return _day(days[0]) if days else None
    # In English, day or month first is ambiguous: prefer past dates, then those nearest to today.
    return _day(min(days, key=lambda day: (day > today, abs((today - day).days)))) if days else None


def _day_month(direction: int) -> _Reader:
    """Reads a day of a month. Without a year, it is the nearest in a direction, or nearest to today on the
    weekday beside it."""

    def read(match: re.Match[str], today: date) -> _Range:
        parts = match.groupdict()
        month, day, weekday = _month_number(parts["month"]), int(parts["d"]), parts.get("weekday")
        if parts.get("y"):
            return _day(date(int(parts["y"]), month, day))
        if weekday:
            near = (date(today.year + offset, month, day) for offset in (0, 1, -1) if (month, day) != (2, 29))
            wanted = _meaning(patterns.WEEKDAYS, weekday)
            found = next((each for each in near if each.weekday() == wanted), None)
            if found:
                return _day(found)
        return _day(_nearest(month, day, today, direction))

    return read


def _days_of_month(direction: int) -> _Reader:
    """Reads the days from one to another ("28 December to 3 January"), the last of which is the nearest in a
    direction."""

    def read(match: re.Match[str], today: date) -> _Range:
        parts = match.groupdict()
        month = _month_number(parts["month"] or parts["first_month"])
        first = _month_number(parts["first_month"] or parts["month"]), int(parts["first"])
        last = month, int(parts["d"])
        if first > last and first[0] == month:
            raise ValueError("The days are not in order.")
        is_over_new_year = first > last
        year = parts["y"] and int(parts["y"])
        if not year and parts.get("first_y"):
            year = int(parts["first_y"]) + is_over_new_year
        end = date(year, *last) if year else _nearest(*last, today, direction)
        start = date(int(parts.get("first_y") or end.year - is_over_new_year), *first)
        if start > end:
            raise ValueError("The days are not in order.")
        return start, end + _ONE_DAY, 2

    return read


def _nearest(month: int, day: int, today: date, direction: int) -> date:
    """The day of the nearest year in a direction; for 29 February, up to eight years away."""
    for year in range(today.year, today.year + 9 * direction, direction):
        is_known = day <= monthrange(year, month)[1]
        if is_known and (date(year, month, day) - today).days * direction >= 0:
            return date(year, month, day)
    raise ValueError("No year has such a day.")


def _day_without_month(direction: int) -> _Reader:
    """Reads a day, on its weekday if there is one, in the nearest of three months in a direction."""

    def read(match: re.Match[str], today: date) -> _Range | None:
        day, weekday = int(match["d"]), match.groupdict().get("weekday")
        for offset in range(93):
            found = today + timedelta(days=offset * direction)
            is_wanted = not weekday or found.weekday() == _meaning(patterns.WEEKDAYS, weekday)
            if is_wanted and found.day == day:
                return _day(found)
        return None

    return read


def _month_number(name: str) -> int:
    return int(name) if name.isdecimal() else _meaning(patterns.MONTHS, name)


def _month_of(direction: int) -> _Reader:
    """Reads a month. Without a year, it is the nearest in a direction, or the current one."""

    def read(match: re.Match[str], today: date) -> _Range | None:
        parts = match.groupdict()
        name, lead = parts["month"], parts.get("lead") or ""
        is_unambiguous = name[0].isupper() and not patterns.AMBIGUOUS_MONTH.fullmatch(name)
        if not (name.isdecimal() or parts.get("y") or lead or is_unambiguous):
            return None
        month = _month_number(name)
        if parts.get("y"):
            return _month(int(parts["y"]), month)
        is_last_year = month > today.month or (month == today.month and lead.lower() == "last")
        found = _month(today.year - is_last_year, month)
        is_over = direction == _AHEAD and found[1] <= today
        return _month(found[0].year + 1, month) if is_over else found

    return read


def _ago(match: re.Match[str], today: date) -> _Range | None:
    unit = _meaning(patterns.UNITS, match["unit"])
    if unit == "weekend":
        return None
    number, rough = _number(match.groupdict().get("n"), match["unit"])
    if unit == "hour":
        return today - timedelta(days=int(number // 24) + 1), today + _ONE_DAY, 2
    if unit == "decade":
        unit, number = "year", number * 10
    number += 0.5 if match.groupdict().get("half") else 0.0
    if rough:
        length = _UNIT_DAYS[unit]
        start = today - timedelta(days=round(number * 1.5 * length))
        end = today - timedelta(days=round(number * 0.5 * length) - 1)
        return start, end, max(2, round(number * 0.5 * length))
    tolerance = {"day": 2 + int(number * 0.3), "week": 7, "fortnight": 7, "month": 25}.get(unit, 180)
    return _around(today - timedelta(days=round(number * _UNIT_DAYS[unit])), _SLACK[unit], tolerance)


def _units_ahead(match: re.Match[str], today: date) -> _Range | None:
    unit = _meaning(patterns.UNITS, match["unit"])
    if unit not in _SLACK_AHEAD:
        return None
    number, _ = _number(match["n"], match["unit"])
    return _around(today + timedelta(days=round(number * _UNIT_DAYS[unit])), _SLACK_AHEAD[unit], 7)


def _around(middle: date, slack: int, tolerance: int) -> _Range:
    return middle - timedelta(days=slack), middle + timedelta(days=slack + 1), tolerance


def _within(match: re.Match[str], today: date) -> _Range | None:
    unit = _meaning(patterns.UNITS, match["unit"])
    count = match.groupdict().get("n")
    if unit in {"weekend", "hour"} or (unit == "day" and count is None):
        return None
    number, _ = _number(count, match["unit"])
    if unit == "decade":
        unit, number = "year", number * 10
    length = round(number * _UNIT_DAYS[unit])
    return today - timedelta(days=length), today + _ONE_DAY, max(2, length // 6)


def _named_day(table: dict[int, str], direction: int) -> _Reader:
    return lambda match, today: _day(today + direction * timedelta(days=_meaning(table, match["day"])))


def _unit(offset: int, **tolerances: int) -> _Reader:
    """Reads the week, weekend, month or year that is so many after the current one. Next weekend is that of
    this week."""

    def read(match: re.Match[str], today: date) -> _Range | None:
        unit = _meaning(patterns.UNITS, match["unit"])
        if unit not in tolerances:
            return None
        if unit == "year":
            return _year(today.year + offset)
        if unit == "month":
            first = today.replace(day=1) + relativedelta(months=offset)
            return first, first + relativedelta(months=1), tolerances[unit]
        monday = today + timedelta(weeks=offset, days=-today.weekday())
        if unit == "week":
            return monday, monday + timedelta(days=7), tolerances[unit]
        saturday = monday + timedelta(days=5) - timedelta(weeks=max(offset, 0))
        return saturday, saturday + timedelta(days=2), tolerances[unit]

    return read


def _weekday(direction: int) -> _Reader:
    """Reads a weekday: the nearest in a direction, or in Chinese that of the week before or after."""

    def read(match: re.Match[str], today: date) -> _Range:
        wanted = _meaning(patterns.WEEKDAYS, match["weekday"])
        if match[0].startswith(("上", "下")):
            return _day(today + timedelta(days=wanted - today.weekday() + 7 * direction))
        return _day(_nearest_weekday(wanted, today, direction), 3)

    return read


def _nearest_weekday(weekday: int, today: date, direction: int) -> date:
    """The nearest such weekday in a direction that is not today."""
    return today + timedelta(days=(((weekday - today.weekday()) * direction - 1) % 7 + 1) * direction)


def _weekdays_ago(match: re.Match[str], today: date) -> _Range | None:
    number = int(_number(match["n"], "")[0])
    if not 0 < number < 60:
        return None
    weekday = _meaning(patterns.SEVERAL_WEEKDAYS, match["weekday"])
    day = _nearest_weekday(weekday, today, _PAST) - timedelta(weeks=number - 1)
    return day, day + timedelta(days=2 if patterns.WEEKEND.match(match["weekday"]) else 1), 4


def _season(match: re.Match[str], today: date) -> _Range:
    first = _meaning(patterns.SEASONS, match["season"])
    parts = match.groupdict()
    if parts.get("y"):
        return *_season_of(int(parts["y"]), first), 45
    candidates = [_season_of(today.year - offset, first) for offset in range(3)]
    is_over = bool(parts.get("last"))
    return *next(pair for pair in candidates if (pair[1] if is_over else pair[0]) <= today), 30


def _season_of(year: int, first: int) -> tuple[date, date]:
    start = date(year, first, 1)
    return start, start + relativedelta(months=3)


def _bare_year(match: re.Match[str], today: date) -> _Range | None:
    year = int(match["y"])
    return _year(year) if 1950 <= year <= today.year + 1 else None


def _rules(*rules: tuple[re.Pattern[str] | tuple[re.Pattern[str], ...], _Reader]) -> tuple[_Rule, ...]:
    return tuple(
        (pattern, reader)
        for several, reader in rules
        for pattern in (several if isinstance(several, tuple) else (several,))
    )


_THIS = _unit(0, week=2, month=10, year=60)
_RULES = _rules(
    (patterns.DAYS_OF_MONTH, _days_of_month(_PAST)),
    (patterns.YEAR_MONTH_DAY, _year_month_day),
    (patterns.NUMERIC_DATE, _numeric),
    (patterns.DAY_OF_MONTH, _day_month(_PAST)),
    (patterns.DAY_OF_WEEK, _day_without_month(_PAST)),
    (patterns.DAY_ALONE, _day_without_month(_PAST)),
    (patterns.AGO, _ago),
    (patterns.NAMED_DAY, _named_day(patterns.NAMED_DAYS, _PAST)),
    (patterns.WITHIN, _within),
    (patterns.LAST_WEEKDAY, _weekday(_PAST)),
    (patterns.SEASON, _season),
    (patterns.LAST, _unit(-1, week=7, weekend=5, month=20, year=60)),
    (patterns.THIS, _THIS),
    (patterns.MONTH_OF_YEAR, _month_of(_PAST)),
    (patterns.WEEKDAY, _weekday(_PAST)),
    (patterns.MONTH, _month_of(_PAST)),
    (patterns.YEAR, _bare_year),
)
_RULES_AHEAD = _rules(
    (patterns.DAYS_OF_MONTH, _days_of_month(_AHEAD)),
    (patterns.YEAR_MONTH_DAY, _year_month_day),
    (patterns.NUMERIC_DATE, _numeric),
    (patterns.DAY_OF_MONTH, _day_month(_AHEAD)),
    (patterns.DAY_OF_WEEK, _day_without_month(_AHEAD)),
    (patterns.DAY_ALONE, _day_without_month(_AHEAD)),
    (patterns.AHEAD, _units_ahead),
    (patterns.NEXT_WEEKDAY_ZH, _weekday(_AHEAD)),
    (patterns.COMING_WEEKDAY, _weekday(_AHEAD)),
    (patterns.NAMED_DAY_AHEAD, _named_day(patterns.DAYS_AHEAD, _AHEAD)),
    (patterns.NEXT, _unit(1, week=7, weekend=5, month=10, year=60)),
    (patterns.THIS, _THIS),
    (patterns.MONTH_OF_YEAR, _month_of(_AHEAD)),
    (patterns.MONTH, _month_of(_AHEAD)),
    (patterns.YEAR, _bare_year),
)
_RANGES = _rules((patterns.DAYS_OF_MONTH, _days_of_month(_PAST)))
_RULES_FURTHER_BACK = _rules(
    (patterns.BEFORE_LAST, _unit(-2, week=7, weekend=5, month=15, year=60)),
    (patterns.YEAR_BEFORE_LAST, lambda match, today: _year(today.year - 2)),
    (patterns.WEEKDAYS_AGO, _weekdays_ago),
)


def _readings(text: str, today: date) -> Iterator[DateSpan]:
    yield from _apply(_RANGES, text, today)
    try:
        yield from _closed_spans(text, today)
        yield from _open_spans(text, today)
    except OverflowError:
        return  # before the year 1
    yield from _apply(_RULES_FURTHER_BACK, text, today)
    if found := _or_festival(read_span(text, today), text, today):
        yield found


def _or_festival(found: DateSpan | None, text: str, today: date, *, ahead: bool = False) -> DateSpan | None:
    """The festival in a text if it has no date, or just the year of the festival."""
    festival = _festival(text, today, found, ahead=ahead)
    return festival if festival and (found is None or _is_year(found)) else found


def _is_year(span: DateSpan) -> bool:
    return (span.start.month, span.start.day) == (1, 1) and span.end.year == span.start.year + 1


def _closed_spans(text: str, today: date) -> Iterator[DateSpan]:
    for pattern in patterns.BETWEEN:
        for match in pattern.finditer(text):
            last = _leading_date(match["b"], today)
            first = _leading_date(match["a"], today)
            if first and last:
                span = _span_between(first, last, match["a"], today)
                if span:
                    yield replace(span, words=_words_through(match, "b", last))


def _span_between(first: DateSpan, last: DateSpan, words: str, today: date) -> DateSpan | None:
    """The span from the start of one date to the end of another. A start without a year is in the year of
    the end, or the one before."""
    for offset in (0, 1):
        if first.start < last.end and (last.end - first.start).days < 366 * 30:
            break
        first = _leading_date(f"{words} {last.start.year - offset}", today) or first
    if first.start >= last.end:
        return None
    tolerance = max(first.tolerance_days, last.tolerance_days)
    return DateSpan(first.start, last.end, "", tolerance)


def _open_spans(text: str, today: date) -> Iterator[DateSpan]:
    for kind, pattern in patterns.OPEN:
        for match in pattern.finditer(text):
            if patterns.LENGTH.search(text[: match.start()]):
                continue
            boundary = _leading_date(match["a"], today)
            span = _open_span(kind, boundary, today) if boundary else None
            if boundary and span:
                yield replace(span, words=_words_through(match, "a", boundary))


def _open_span(kind: str, boundary: DateSpan, today: date) -> DateSpan | None:
    """The open span since, after, before or until a date; earlier days count less."""
    tomorrow = today + timedelta(days=1)
    reach = max(_REACH_DAYS, 2 * (boundary.end - boundary.start).days)
    if kind in {"since", "after"}:
        start = boundary.start if kind == "since" else boundary.end
        return DateSpan(start, tomorrow, "", boundary.tolerance_days) if start < tomorrow else None
    end = boundary.start if kind == "before" else boundary.end
    return DateSpan(end - timedelta(days=reach), end, "", reach)


def _leading_date(text: str, today: date) -> DateSpan | None:
    """The date at the start of `text`, at most after an article."""
    for lead in ("", "in "):
        found = read_span(lead + text, today)
        if found and (lead + text).find(found.words) <= _MAX_LEAD_LENGTH:
            return found
    found = _festival(text, today)
    return found if found and text.find(found.words) <= _MAX_LEAD_LENGTH else None


def _words_through(match: re.Match[str], group: str, boundary: DateSpan) -> str:
    """The words of a match up to its last date."""
    bare = boundary.words.removeprefix("in ")
    place = match[group].find(bare)
    end = match.start(group) + place + len(bare) if place >= 0 else match.end()
    return match.string[match.start() : max(end, match.start(group) + 1)].strip()


def _festival(
    text: str, today: date, within: DateSpan | None = None, *, ahead: bool = False
) -> DateSpan | None:
    year = within.start.year if within and _is_year(within) else None
    found = festival_days(text, today, year, ahead=ahead)
    return DateSpan(*found, _FESTIVAL_TOLERANCE) if found else None
