"""Read the days of festivals in messages, in the languages whose dates are read."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache

import holidays
from dateutil.easter import EASTER_ORTHODOX, EASTER_WESTERN, easter
from dateutil.relativedelta import TH, relativedelta

from memory.text.patterns import patterns, table_of

Start = Callable[[int], date]
LUNAR_YEARS = range(1998, 2100)


def _on(month: int, day: int) -> Start:
    return lambda year: date(year, month, day)


def _from_easter(days: int, *, orthodox: bool = False) -> Start:
    def start(year: int) -> date:
        return easter(year, EASTER_ORTHODOX if orthodox else EASTER_WESTERN) + timedelta(days=days)

    return start


def _lunar(name: str) -> Start:
    return lambda year: _lunar_start(name, year)


@lru_cache(maxsize=64)
def _lunar_start(name: str, year: int) -> date:
    """The first day of a Chinese festival. Raises ValueError for years outside the calendar."""
    if year not in LUNAR_YEARS:
        raise ValueError("The lunar calendar does not cover this year.")
    calendar = holidays.country_holidays("TW", years=year, observed=False, language="en_US")
    return min(calendar.get_named(name, lookup="exact"))


_NAMES = patterns(table_of(__file__))
FESTIVALS: dict[str, tuple[Start, int]] = {
    "chinese_new_year": (_lunar("Chinese New Year"), 7),
    "mid_autumn": (_lunar("Mid-Autumn Festival"), 1),
    "christmas": (_on(12, 24), 3),
    "russian_christmas": (_on(1, 6), 2),
    "new_years_eve": (_on(12, 31), 2),
    "new_year": (lambda year: date(year - 1, 12, 31), 2),
    "easter": (_from_easter(-2), 4),
    "orthodox_easter": (_from_easter(0, orthodox=True), 2),
    "pentecost": (_from_easter(49), 2),
    "thanksgiving": (lambda year: date(year, 11, 1) + relativedelta(weekday=TH(+4)), 1),
    "halloween": (_on(10, 31), 1),
    "valentines_day": (_on(2, 14), 1),
    "epiphany": (_on(1, 6), 1),
    "chinese_national_day": (_on(10, 1), 7),
}
"""When each festival begins in a year, and how many days it lasts."""
_ANY_FESTIVAL = "|".join(f"(?:{names})" for names in _NAMES.values())
_COMING = r"next|coming|nächst\w+|kommend\w+|próxim\w+|prochain\w*|следующ\w+|下个?|明年的?"
_FESTIVAL = re.compile(
    rf"(?<![^\W\d_])(?P<coming>(?:{_COMING})\s*)?(?P<name>{_ANY_FESTIVAL})"
    r"(?:\s(?:of\s|de\s|в\s)?(?P<year>(?:19|20)\d\d))?(?![^\W_])|(?P<early>(?:19"
    r"|20)\d\d)年的?(?P<unspaced>春节|圣诞节?|中秋节?|元旦|国庆节?)",
    re.IGNORECASE,
)
_UNSPACED = re.compile("春节|除夕|过年|中秋节?|圣诞节?|元旦|跨年|复活节|感恩节|万圣节|情人节|国庆节?")


def festival_days(
    text: str, today: date, given_year: int | None = None, *, ahead: bool = False
) -> tuple[date, date, str] | None:
    """The half-open days of the first festival in `text`, and its words.

    Taken from the named or given year, or else the latest that has begun, or with `ahead` the next that has
    not ended. Without it, what `text` calls a coming festival is none.
    """
    for match in _FESTIVAL.finditer(text):
        if match["coming"] and not ahead:
            continue
        year = match["year"] or match["early"]
        found = _days(match["name"] or match["unspaced"], int(year) if year else given_year, today, ahead)
        if found:
            return (*found, match[0].strip())
    for match in _UNSPACED.finditer(text):
        if ahead or not re.search(f"(?:{_COMING})$", text[: match.start()]):
            found = _days(match[0], given_year, today, ahead)
            if found:
                return (*found, match[0])
    return None


def _days(name: str, year: int | None, today: date, ahead: bool) -> tuple[date, date] | None:
    festivals = (each for each, names in _NAMES.items() if re.fullmatch(names, name, re.IGNORECASE))
    start_in, days = FESTIVALS[next(festivals)]
    near = range(today.year, today.year + 3) if ahead else range(today.year + 1, today.year - 2, -1)
    for candidate in (year,) if year else near:
        try:
            start = start_in(candidate)
        except ValueError:
            continue
        end = start + timedelta(days=days)
        if year or (end > today if ahead else start <= today):
            return start, end
    return None
