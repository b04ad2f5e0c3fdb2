"""Reading the day or span of days that a message speaks of, and how near a day is to it."""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from memory.recall import date_patterns as patterns
from memory.recall import date_words as words

_LONGEST_MESSAGE = 4_000
_UNIT_DAYS = {"day": 1.0, "week": 7.0, "fortnight": 14.0, "month": 30.44, "year": 365.25}
_FEW = 4.0


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The days from `start` up to but not including `end` that `words` speak of.

    `tolerance_days` is how far before them a day may lie until it no longer counts at all.
    """

    start: date
    end: date
    words: str
    tolerance_days: int


_T = TypeVar("_T")
_Range = tuple[date, date, int]
_Reader = Callable[[re.Match[str], date], _Range | None]


def read_span(message: str, today: date) -> DateSpan | None:
    """The most exact date or span in `message`, relative to the writer's own `today`, or None.

    A date without a year is the latest one that is not in the future. Questions for a length of
    time ("how many days ago …") are not spans.
    """
    text = words.HOW_LONG.sub(" ", message[:_LONGEST_MESSAGE])
    for pattern, reader in _RULES:
        for match in pattern.finditer(text):
            found = _attempt(reader, match, today)
            if found is not None:
                start, end, tolerance = found
                return DateSpan(start, end, match[0].strip(), tolerance)
    return None


def closeness(said_on: date, span: DateSpan) -> float:
    """1.0 for a day inside the span, falling evenly to 0.0 at its tolerance, or at twice its
    tolerance after the span: people speak of a thing once it has happened."""
    before = (span.start - said_on).days
    after = (said_on - span.end).days + 1
    outside = max(before, after / 2, 0)
    return max(0.0, 1.0 - outside / max(1, span.tolerance_days))


def _attempt(reader: _Reader, match: re.Match[str], today: date) -> _Range | None:
    try:
        return reader(match, today)
    except (ValueError, OverflowError):
        # A day that no calendar has, such as 31.02. or the year 0.
        return None


def _meaning(table: dict[str, _T], word: str) -> _T:
    for pattern, meaning in table.items():
        if re.fullmatch(pattern, word, re.IGNORECASE):
            return meaning
    raise ValueError("The word is not in the table.")


def _number(word: str | None, unit_word: str) -> tuple[float, bool]:
    """The number, and whether it is only roughly meant."""
    if word is None:
        return (_FEW, True) if unit_word.endswith("s") else (1.0, False)
    if word.isdecimal():
        return float(word), False
    if re.fullmatch(words.VAGUE_NUMBER, word, re.IGNORECASE):
        return _FEW, True
    return _meaning(words.NUMBERS, word), "couple" in word.lower() or "пар" in word.lower()


def _day(day: date, tolerance: int = 2) -> _Range:
    return day, day + timedelta(days=1), tolerance


def _month(year: int, month: int) -> _Range:
    following = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), following, 10


def _year(year: int) -> _Range:
    return date(year, 1, 1), date(year + 1, 1, 1), 60


def _monday(today: date) -> date:
    return today - timedelta(days=today.weekday())


def _latest(month: int, day: int, today: date) -> date:
    """The latest such day that is not in the future; 29 February may lie eight years back."""
    for year in range(today.year, today.year - 9, -1):
        if day <= monthrange(year, month)[1] and date(year, month, day) <= today:
            return date(year, month, day)
    raise ValueError("No year has such a day.")


def _full_year(text: str) -> int:
    return int(text) + (2000 if len(text) == 2 else 0)


def _year_month_day(match: re.Match[str], today: date) -> _Range:
    return _day(date(int(match["y"]), int(match["m"]), int(match["d"])))


def _numeric(match: re.Match[str], today: date) -> _Range | None:
    first, second, year = int(match["a"]), int(match["b"]), _full_year(match["y"])
    orders = ((second, first),) if match["sep"] == "." else ((second, first), (first, second))
    days = [date(year, month, day) for month, day in orders if 1 <= month <= 12]
    # Day or month first is not said: what lies in the past and nearest to now is likeliest.
    return _day(min(days, key=lambda day: (day > today, abs((today - day).days)))) if days else None


def _day_month(match: re.Match[str], today: date) -> _Range:
    parts = match.groupdict()
    name = parts["month"]
    month = int(name) if name.isdecimal() else _meaning(words.MONTHS, name)
    if parts.get("y"):
        return _day(date(int(parts["y"]), month, int(parts["d"])))
    return _day(_latest(month, int(parts["d"]), today))


def _month_of(match: re.Match[str], today: date) -> _Range | None:
    parts = match.groupdict()
    name = parts["month"]
    if name.isdecimal():
        month = int(name)
    elif parts.get("y") or parts.get("lead") or _is_plain_month(name):
        month = _meaning(words.MONTHS, name)
    else:
        return None
    if parts.get("y"):
        return _month(int(parts["y"]), month)
    return _month(today.year - (month > today.month), month)


def _is_plain_month(name: str) -> bool:
    return name[0].isupper() and not words.DOUBTFUL_MONTH.fullmatch(name)


def _ago(match: re.Match[str], today: date) -> _Range | None:
    unit = _meaning(words.UNITS, match["unit"])
    if unit == "weekend":
        return None
    number, rough = _number(match.groupdict().get("n"), match["unit"])
    if unit == "hour":
        return today - timedelta(days=int(number // 24) + 1), today + timedelta(days=1), 2
    if unit == "decade":
        unit, number = "year", number * 10
    number += 0.5 if match.groupdict().get("half") else 0.0
    return _rough_ago(number, unit, today) if rough else _exact_ago(number, unit, today)


def _exact_ago(number: float, unit: str, today: date) -> _Range:
    middle = today - timedelta(days=round(number * _UNIT_DAYS[unit]))
    slack = {"day": 0, "week": 1, "fortnight": 1, "month": 5, "year": 45}[unit]
    tolerance = {"day": 2 + int(number * 0.3), "week": 7, "fortnight": 7, "month": 25}.get(
        unit, 180
    )
    return middle - timedelta(days=slack), middle + timedelta(days=slack + 1), tolerance


def _rough_ago(number: float, unit: str, today: date) -> _Range:
    length = _UNIT_DAYS[unit]
    start = today - timedelta(days=round(number * 1.5 * length))
    end = today - timedelta(days=round(number * 0.5 * length) - 1)
    return start, end, max(2, round(number * 0.5 * length))


def _named_day(match: re.Match[str], today: date) -> _Range:
    return _day(today - timedelta(days=_meaning(words.NAMED_DAYS, match["day"])))


def _within(match: re.Match[str], today: date) -> _Range | None:
    unit = _meaning(words.UNITS, match["unit"])
    count = match.groupdict().get("n")
    if unit in {"weekend", "hour"} or (unit == "day" and count is None):
        return None
    number, _ = _number(count, match["unit"])
    if unit == "decade":
        unit, number = "year", number * 10
    length = round(number * _UNIT_DAYS[unit])
    return today - timedelta(days=length), today + timedelta(days=1), max(2, length // 6)


def _last(match: re.Match[str], today: date) -> _Range | None:
    unit = _meaning(words.UNITS, match["unit"])
    if unit == "week":
        return _monday(today) - timedelta(days=7), _monday(today), 7
    if unit == "weekend":
        saturday = _monday(today) - timedelta(days=2)
        return saturday, saturday + timedelta(days=2), 5
    if unit == "month":
        before = today.replace(day=1) - timedelta(days=1)
        return *_month(before.year, before.month)[:2], 20
    return _year(today.year - 1) if unit == "year" else None


def _this(match: re.Match[str], today: date) -> _Range | None:
    unit = _meaning(words.UNITS, match["unit"])
    if unit == "week":
        return _monday(today), _monday(today) + timedelta(days=7), 2
    if unit == "month":
        return _month(today.year, today.month)
    return _year(today.year) if unit == "year" else None


def _weekday(match: re.Match[str], today: date) -> _Range:
    wanted = _meaning(words.WEEKDAYS, match["weekday"])
    if match[0].startswith("上"):
        return _day(_monday(today) + timedelta(days=wanted - 7))
    back = (today.weekday() - wanted - 1) % 7 + 1
    return _day(today - timedelta(days=back), 3)


def _season(match: re.Match[str], today: date) -> _Range:
    first = _meaning(words.SEASONS, match["season"])
    parts = match.groupdict()
    if parts.get("y"):
        start, end = _season_of(int(parts["y"]), first)
        return start, end, 45
    candidates = [_season_of(today.year - back, first) for back in range(3)]
    over = bool(parts.get("last"))
    start, end = next(pair for pair in candidates if (pair[1] if over else pair[0]) <= today)
    return start, end, 30


def _season_of(year: int, first: int) -> tuple[date, date]:
    return date(year, first, 1), date(year + first // 12, (first + 2) % 12 + 1, 1)


def _bare_year(match: re.Match[str], today: date) -> _Range | None:
    year = int(match["y"])
    return _year(year) if 1950 <= year <= today.year + 1 else None


_RULES: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (patterns.YEAR_MONTH_DAY, _year_month_day),
    (patterns.NUMERIC_DATE, _numeric),
    *((pattern, _day_month) for pattern in patterns.DAY_OF_MONTH),
    *((pattern, _ago) for pattern in patterns.AGO),
    (patterns.NAMED_DAY, _named_day),
    *((pattern, _within) for pattern in patterns.WITHIN),
    *((pattern, _weekday) for pattern in patterns.LAST_WEEKDAY),
    *((pattern, _season) for pattern in patterns.SEASON),
    *((pattern, _last) for pattern in patterns.LAST),
    (patterns.THIS, _this),
    *((pattern, _month_of) for pattern in patterns.MONTH_OF_YEAR),
    (patterns.WEEKDAY, _weekday),
    (patterns.MONTH, _month_of),
    (patterns.YEAR, _bare_year),
)
