"""Dates in text: where they stand and, when that can be told, which day they mean."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from memory.mining.rules import dates_chinese
from memory.text.sanitizing import lower

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar enero janvier января январь",
            "february feb februar febrero février февраля февраль",
            "march mar märz marzo mars марта март",
            "april apr abril avril апреля апрель",
            "may mai mayo мая май",
            "june jun juni junio juin июня июнь",
            "july jul juli julio juillet июля июль",
            "august aug agosto août августа август",
            "september sep sept septiembre septembre сентября сентябрь",
            "october oct oktober octubre octobre октября октябрь",
            "november nov noviembre novembre ноября ноябрь",
            "december dec dezember diciembre décembre декабря декабрь",
        ),
        1,
    )
    for name in names.split()
}
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday montag lunes lundi понедельник",
            "tuesday dienstag martes mardi вторник",
            "wednesday mittwoch miércoles mercredi среду среда",
            "thursday donnerstag jueves jeudi четверг",
            "friday freitag viernes vendredi пятницу пятница",
            "saturday samstag sábado samedi субботу суббота",
            "sunday sonntag domingo dimanche воскресенье",
        )
    )
    for name in names.split()
}
_DAYS_FROM_NOW = {
    "today": 0, "tonight": 0, "heute": 0, "hoy": 0, "aujourd'hui": 0, "сегодня": 0,
    "tomorrow": 1, "morgen": 1, "mañana": 1, "demain": 1, "завтра": 1,
    "yesterday": -1, "gestern": -1, "ayer": -1, "hier": -1, "вчера": -1,
    "day after tomorrow": 2, "übermorgen": 2, "pasado mañana": 2, "après-demain": 2,
    "послезавтра": 2, "day before yesterday": -2, "vorgestern": -2,
}  # fmt: skip
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "couple of": 2, "few": 3,
}  # fmt: skip
_BACK = ("since", "last", "seit", "desde", "depuis")
_STARTING = ("as of", "as from", "from", "ab")
NEAR_DAYS = 62
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted((re.escape(word) for word in words), key=len, reverse=True))


_MONTH = "|".join(sorted((m for m in MONTHS if m not in {"mar", "mars"}), key=len, reverse=True))
_WEEKDAY = "|".join(day for day in _WEEKDAYS)
_COUNT = rf"\d{{1,3}}|{_any(_NUMBERS)}"
_DATE = re.compile(
    rf"""(?<![\w/.-])(?:
      (?P<y>\d{{4}})[-/](?P<m>\d\d?)[-/](?P<d>\d\d?)(?![\w-])
    | (?P<d2>\d\d?)\.(?P<m2>\d\d?)\.(?P<y2>\d{{4}})
    | \d\d?/\d\d?/\d{{2,4}}
    | (?P<name>{_MONTH})\.?[ ]+(?P<day>\d\d?)(?:st|nd|rd|th)?(?:,?[ ]+(?P<year>\d{{4}}))?(?![\w:])
    | (?P<day2>\d\d?)(?:st|nd|rd|th|\.|er)?[ ]+(?:of[ ]|de[ ])?(?P<name2>{_MONTH})
      (?:,?[ ]+(?:de[ ]|of[ ])?(?P<year2>\d{{4}}))?(?!\w)
    | (?P<name3>{_MONTH})[ ]+(?P<year3>\d{{4}})(?!\w)
    | (?:in|since|until|till|as[ ]of|seit|desde|depuis)[ ](?:en[ ])?(?P<year4>(?:19|20)\d\d)(?!\w)
    | (?P<lead>in|since|as[ ]of|as[ ]from|from|until|till|of|by|last|next|this|seit|ab|im|en|desde
      |depuis)[ ](?P<name4>{_MONTH})(?!\w|\.?,?[ ]+\d)
    | (?:the[ ])?(?P<relative>{_any(_DAYS_FROM_NOW)})
      (?:[ ](?:morning|afternoon|evening|night))?(?!\w)
    | (?:(?:on|from|until|by|for|till)[ ])?the[ ](?P<nth>\d\d?)(?:st|nd|rd|th)(?=[ ]*(?:$|[.,;:!?)]|(?:at|and|but|so|because|to|for|in|with|this|when)\b))
    | (?:(?P<which>next|last|this|on|am|nächsten|el|le|próximo|в)[ ])?(?P<weekday>{_WEEKDAY})(?!\w)
    | (?P<span>next|last|this)[ ](?P<unit>week|month|year|weekend|summer|winter|spring|fall|autumn)(?!\w)
    | in[ ](?:a[ ])?(?P<ahead>{_COUNT})[ ](?P<unit2>day|week|month|year)s?(?!\w)
    | (?:a[ ])?(?P<ago>{_COUNT})[ ](?P<unit3>day|week|month|year)s?[ ]ago
    )""",
    re.VERBOSE,
)
_CLOCK = re.compile(
    r"(?<![\w:.])(?:at )?(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))? ?(?P<half>[ap])\.?m\b\.?"
    r"|(?<![\w:.])(?P<h24>[01]?\d|2[0-3]):(?P<m24>[0-5]\d)(?![\w:])|\bat noon\b|\bat midnight\b"
)
# Cheap to look for; without any of them there is no date.
_HINT = re.compile(
    r"\d|\b(?:to(?:day|night|morrow)|yesterday|next|last|this (?:week|month|year|sum|win|spr|fall|aut)"
    r"|\w{2,6}day|(?:day|week|month|year)s?\b|ago|since|seit|desde|depuis|übermorgen|vorgestern|aujourd|après|pasado|послезавтра|heute|morgen|gestern|hoy|mañana|ayer|hier|demain|montag|freitag|samstag|sonntag|dienstag|mittwoch|donnerstag|lun|mar|mer|mié"
    r"|jue|jeu|vie|ven|sáb|sam|dom|dim|noon|midnight|сегодня|завтра|вчера|понед|втор|сред|четв|пятн"
    r"|субб|воскр"
    r"|jan|feb|fév|mär|apr|abr|avr|may|mai|jun|jul|aug|ago|aoû|sep|oct|okt|nov|de[czi])|[今明后後昨前]天|[周週月]|星期|[礼禮]拜"
)


@dataclass(frozen=True, slots=True)
class DateFound:
    """A date expression and its range; `day` is None when it cannot be told which day is meant.

    `exact` is false for a month, a year or a span such as "next week".
    """

    text: str
    start: int
    end: int
    day: date | None
    exact: bool = True


def dates(text: str, said_at: datetime, *, past: bool = False) -> list[DateFound]:
    """The dates in `text` in order, read as somebody would who says it at `said_at`.

    A date without a year is the next such day, or with `past` the last one.
    """
    lowered = lower(text)
    if not _HINT.search(lowered):
        return []
    return sorted(_found(text, lowered, said_at.date(), past), key=lambda found: found.start)


def clock_times(text: str) -> list[tuple[str, time]]:
    """The times of day in `text`, as written and as a time."""
    found = _CLOCK.finditer(lower(text))
    return [(text[match.start() : match.end()].strip(" ."), _clock(match)) for match in found]


def moment(found: DateFound, text: str, said_at: datetime) -> datetime | None:
    """When `found` takes place: its day at the first time of day in `text`, else at its start."""
    if found.day is None:
        return None
    clocks = clock_times(text)
    return datetime.combine(found.day, clocks[0][1] if clocks else time(), tzinfo=said_at.tzinfo)


def _found(text: str, lowered: str, today: date, past: bool) -> Iterator[DateFound]:
    for match in _DATE.finditer(lowered):
        written = text[match.start() : match.end()].strip()
        if written.startswith("may "):
            continue
        try:
            day, exact = _day(match, today, past)
        except (ValueError, OverflowError):
            continue
        yield DateFound(written, match.start(), match.end(), day, exact)
    for match, meant in dates_chinese.days(
        text, today, lambda year, month, day: _in_year(year, month, day, today, past)
    ):
        yield DateFound(match[0], match.start(), match.end(), meant)


def _day(match: re.Match[str], today: date, past: bool) -> tuple[date | None, bool]:
    part = match.groupdict()
    year, month, day = part["y"] or part["y2"], part["m"] or part["m2"], part["d"] or part["d2"]
    if year:
        return date(int(year), int(month), int(day)), True
    name = part["name"] or part["name2"]
    if name:
        written = part["year"] or part["year2"]
        number = MONTHS[name]
        return _in_year(written, number, int(part["day"] or part["day2"]), today, past), True
    if part["name3"]:
        return date(int(part["year3"]), MONTHS[part["name3"]], 1), False
    if part["year4"]:
        return date(int(part["year4"]), 1, 1), False
    if part["nth"]:
        return _nth(int(part["nth"]), today, past), True
    if part["name4"]:
        return _month(MONTHS[part["name4"]], part["lead"] or "", today, past), False
    return _relative(part, today, past)


def _month(month: int, lead: str, today: date, past: bool) -> date:
    """The first of a month that is told without its year."""
    if past or lead in _BACK:
        year = today.year if month <= today.month else today.year - 1
    elif lead in _STARTING:
        years = (today.year + 1, today.year)
        near = (year for year in years if (date(year, month, 1) - today).days <= NEAR_DAYS)
        year = next(near, today.year - 1)
    else:
        year = today.year if month >= today.month else today.year + 1
    return date(year, month, 1)


def _nth(number: int, today: date, past: bool) -> date:
    """The next day of this number, or with `past` the last one."""
    step = -1 if past else 1
    for ahead in range(3):
        year, month = divmod(today.year * 12 + today.month - 1 + ahead * step, 12)
        exists = number <= calendar.monthrange(year, month + 1)[1]
        if exists and (date(year, month + 1, number) - today).days * step >= 0:
            return date(year, month + 1, number)
    raise ValueError("no such day")


def _relative(part: dict[str, str | None], today: date, past: bool) -> tuple[date | None, bool]:
    if part["relative"]:
        return today + timedelta(days=_DAYS_FROM_NOW[part["relative"]]), True
    if part["weekday"]:
        backwards = past or (part["which"] or "") == "last"
        return _weekday(_WEEKDAYS[part["weekday"]], today, backwards), True
    if part["unit2"]:
        return _shifted(today, part["ahead"], part["unit2"], 1), part["unit2"] == "day"
    if part["unit3"]:
        return _shifted(today, part["ago"], part["unit3"], -1), part["unit3"] == "day"
    step = {"next": 1, "last": -1}.get(part["span"] or "")
    unit = part["unit"] or ""
    if unit == "weekend":
        saturday = today + timedelta(days=5 - today.weekday())
        return saturday + timedelta(weeks=step or 0), False
    return (_shifted(today, "1", unit, step), False) if step and unit in _UNIT_DAYS else (None, False)


def _in_year(year: str | None, month: int, day: int, today: date, past: bool) -> date:
    if year:
        return date(int(year), month, day)
    step = -1 if past else 1
    for candidate in range(today.year, today.year + 9 * step, step):
        exists = day <= calendar.monthrange(candidate, month)[1]
        if exists and (date(candidate, month, day) - today).days * step >= 0:
            return date(candidate, month, day)
    raise ValueError("no such day")


def _weekday(number: int, today: date, past: bool) -> date:
    ahead = (number - today.weekday()) % 7 or 7
    return today + timedelta(days=ahead - 7 if past and ahead != 7 else -7 if past else ahead)


def _shifted(today: date, count: str | None, unit: str, step: int) -> date:
    word = count or "1"
    number = int(word) if word.isdigit() else _NUMBERS[word]
    if unit in {"day", "week"}:
        return today + timedelta(days=step * number * _UNIT_DAYS[unit])
    months = number * (12 if unit == "year" else 1) * step
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))


def _clock(match: re.Match[str]) -> time:
    if match["h24"]:
        return time(int(match["h24"]), int(match["m24"]))
    if match["h"]:
        hour = int(match["h"]) % 12 + (12 if match["half"] == "p" else 0)
        return time(hour, min(int(match["m"] or 0), 59))
    return time(12) if "noon" in match[0] else time()
