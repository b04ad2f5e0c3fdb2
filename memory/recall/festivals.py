"""The days of festivals in the languages whose dates are read."""

import re
from collections.abc import Callable
from datetime import date, timedelta

Days = tuple[date, date]

_LUNAR_NEW_YEAR = {
    2015: (2, 19), 2016: (2, 8), 2017: (1, 28), 2018: (2, 16), 2019: (2, 5), 2020: (1, 25),
    2021: (2, 12), 2022: (2, 1), 2023: (1, 22), 2024: (2, 10), 2025: (1, 29), 2026: (2, 17),
    2027: (2, 6), 2028: (1, 26), 2029: (2, 13), 2030: (2, 3),
}  # fmt: skip
_MID_AUTUMN = {
    2015: (9, 27), 2016: (9, 15), 2017: (10, 4), 2018: (9, 24), 2019: (9, 13), 2020: (10, 1),
    2021: (9, 21), 2022: (9, 10), 2023: (9, 29), 2024: (9, 17), 2025: (10, 6), 2026: (9, 25),
    2027: (9, 15), 2028: (10, 3), 2029: (9, 22), 2030: (9, 12),
}  # fmt: skip


def _fixed(month: int, day: int, days: int = 1) -> Callable[[int], Days]:
    def days_of(year: int) -> Days:
        start = date(year, month, day)
        return start, start + timedelta(days=days)

    return days_of


def _listed(table: dict[int, tuple[int, int]], days: int) -> Callable[[int], Days]:
    def days_of(year: int) -> Days:
        if year not in table:
            raise ValueError("No table goes as far as this year.")
        start = date(year, *table[year])
        return start, start + timedelta(days=days)

    return days_of


def _turn_of_year(year: int) -> Days:
    return date(year - 1, 12, 31), date(year, 1, 2)


def _easter(year: int) -> Days:
    sunday = easter_sunday(year)
    return sunday - timedelta(days=2), sunday + timedelta(days=2)


def _orthodox_easter(year: int) -> Days:
    sunday = orthodox_easter_sunday(year)
    return sunday, sunday + timedelta(days=2)


def _pentecost(year: int) -> Days:
    sunday = easter_sunday(year) + timedelta(days=49)
    return sunday, sunday + timedelta(days=2)


def _thanksgiving(year: int) -> Days:
    first = date(year, 11, 1)
    day = first + timedelta(days=(3 - first.weekday()) % 7 + 21)
    return day, day + timedelta(days=1)


FESTIVALS: tuple[tuple[str, Callable[[int], Days]], ...] = (
    (
        r"(?:chinese|lunar) new year|chinesisch\w+ neujahr\w*|春节|除夕|过年",
        _listed(_LUNAR_NEW_YEAR, 7),
    ),
    (r"mid-?autumn(?: festival)?|中秋节?", _listed(_MID_AUTUMN, 1)),
    (
        r"christmas(?: eve| day)?|xmas|weihnachten|heiligabend|navidad(?:es)?|nochebuena|noël|圣诞节?",
        _fixed(12, 24, 3),
    ),
    (r"рождеств[оаеу]м?", _fixed(1, 6, 2)),
    (
        r"new year['’]s eve|silvester(?:abend|nacht)?|nochevieja|saint-sylvestre",
        _fixed(12, 31, 2),
    ),
    (
        r"new year['’]s(?: day)?|neujahr|año nuevo|nouvel an|jour de l['’]an|нов(?:ый|ого|ому|ым|ом) год(?:а|у|ом)?(?! назад)|元旦|跨年",
        _turn_of_year,
    ),
    (
        r"easter(?: sunday| monday)?|ostern|oster(?:sonn|mon)tag|pascua|semana santa|pâques|复活节",
        _easter,
    ),
    (r"пасх[аиуе]й?", _orthodox_easter),
    (r"pentecost|whitsun|pfingsten|pentecostés|pentecôte", _pentecost),
    (r"thanksgiving|感恩节", _thanksgiving),
    (r"halloween|万圣节", _fixed(10, 31)),
    (
        r"valentine['’]?s?(?: day)?|valentinstag|san valentín|saint-valentin|"
        r"ден(?:ь|я) святого валентина|情人节",
        _fixed(2, 14),
    ),
    (r"epiphany|dreikönig(?:e|stag)?|día de reyes|épiphanie", _fixed(1, 6)),
    (r"国庆节?", _fixed(10, 1, 7)),
)
_ANY = "|".join(f"(?:{pattern})" for pattern, _ in FESTIVALS)
_COMING = r"next|coming|nächst\w+|kommend\w+|próxim\w+|prochain\w*|следующ\w+|下个?|明年的?"
_FESTIVAL = re.compile(
    rf"(?<![^\W\d_])(?P<coming>(?:{_COMING})\s*)?(?P<name>{_ANY})"
    r"(?:\s(?:of\s|de\s|в\s)?(?P<year>(?:19|20)\d\d))?(?![^\W_])|(?P<early>(?:19|20)\d\d)年的?(?P<unspaced>春节|圣诞节?|中秋节?|元旦|国庆节?)",
    re.IGNORECASE,
)
_UNSPACED = re.compile(
    "春节|除夕|过年|中秋节?|圣诞节?|元旦|跨年|复活节|感恩节|万圣节|情人节|国庆节?"
)


def festival_days(
    text: str, today: date, of_year: int | None = None
) -> tuple[date, date, str] | None:
    """The days of the first festival that `text` names, half-open, and its words: of the year that
    is named with it or given, else of the latest that has begun. None for one still to come."""
    for match in _FESTIVAL.finditer(text):
        if match["coming"]:
            continue
        year = match["year"] or match["early"]
        found = _days(match["name"] or match["unspaced"], int(year) if year else of_year, today)
        if found:
            return (*found, match[0].strip())
    for match in _UNSPACED.finditer(text):
        if not re.search(f"(?:{_COMING})$", text[: match.start()]):
            found = _days(match[0], of_year, today)
            if found:
                return (*found, match[0])
    return None


def easter_sunday(year: int) -> date:
    """Western Easter, by the anonymous Gregorian computus."""
    golden, century, rest = year % 19, year // 100, year % 100
    lunar = (
        19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15
    ) % 30
    week = (32 + 2 * (century % 4) + 2 * (rest // 4) - lunar - rest % 4) % 7
    late = (golden + 11 * lunar + 22 * week) // 451
    month, day = divmod(lunar + week - 7 * late + 114, 31)
    return date(year, month, day + 1)


def orthodox_easter_sunday(year: int) -> date:
    """Orthodox Easter on the Gregorian calendar, by Meeus' Julian algorithm; right from 1900 to
    2099."""
    lunar = (19 * (year % 19) + 15) % 30
    week = (2 * (year % 4) + 4 * (year % 7) - lunar + 34) % 7
    month, day = divmod(lunar + week + 114, 31)
    return date(year, month, day + 1) + timedelta(days=13)


def _days(name: str, year: int | None, today: date) -> Days | None:
    days_of = next(
        days for pattern, days in FESTIVALS if re.fullmatch(pattern, name, re.IGNORECASE)
    )
    years = (year,) if year else range(today.year + 1, today.year - 2, -1)
    for one in years:
        try:
            start, end = days_of(one)
        except ValueError:
            continue
        if year or start <= today:
            return start, end
    return None
