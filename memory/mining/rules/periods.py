"""From when until when something held, by the words beside it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from memory.mining.rules.dates import MONTHS, DateFound, dates

_LEAD = re.compile(
    r"(?:since|ever since|as of|as from|starting|from|seit|ab|desde|depuis|\u0441)\s+"
    r"(?:in\s+|el\s+|le\s+)?(?:(?:the\s+)?(?:very\s+)?(?:beginning|start|middle|end))?\s*$",
    re.IGNORECASE,
)
_STARTS = re.compile(r"\b(?:as of|from|starting|ab)\b", re.IGNORECASE)
_OWN_LEAD = ("since ", "as of ", "as from ", "from ", "seit ", "ab ", "desde ", "depuis ")
_END_OF = re.compile(r"\bend\s+(?:of\s+)?$", re.IGNORECASE)
_MONTH = "|".join(sorted((name for name in MONTHS if name.isascii()), key=len, reverse=True))
_POINT = rf"(?:(?:the )?(?:beginning|start|middle|end) of )?(?:{_MONTH})?,? ?(?:(?:19|20)\d\d)?"
_STRETCH = re.compile(
    rf"\b(?:from|between) (?P<start>{_POINT})(?: ?[-\u2013] ?| (?:to|until|till|through|and) )"
    rf"(?P<end>{_POINT})(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time that is over: its start, and the first moment after it."""

    start: datetime
    end: datetime


def since(sentence: str, said_at: datetime) -> datetime | None:
    """When it began according to "since …", "as of …" and the like, or None."""
    for found in dates(sentence, said_at, past=not _STARTS.search(sentence)):
        before = sentence[: found.start]
        if found.day and (_LEAD.search(before) or found.text.casefold().startswith(_OWN_LEAD)):
            last = _END_OF.search(before + found.text[: found.text.find(" ") + 1])
            day = following(found) - timedelta(days=1) if last else found.day
            return _midnight(day, said_at)
    return None


def began(sentence: str, said_at: datetime) -> datetime | None:
    """When the change took place that a sentence in the past tells of, or the month or year of it
    began; None when it does not say."""
    days = [one.day for one in dates(sentence, said_at, past=True) if one.day]
    return _midnight(days[0], said_at) if days else None


def ended(days: Sequence[DateFound], said_at: datetime) -> datetime | None:
    """When something was over for certain: on the day, or when the month or year was."""
    if not days:
        return None
    return min(_midnight(following(days[0]), said_at), said_at)


def lasted(sentence: str, said_at: datetime) -> Period | None:
    """The stretch in "from 2016 to 2019" and the like, or None. The last month or year is part of
    it."""
    found = _STRETCH.search(sentence)
    if not found:
        return None
    end = _point(found["end"], said_at.date())
    start = _point(found["start"], end.day or said_at.date()) if end else None
    if not (start and end and start.day and end.day and start.day <= end.day):
        return None
    after = _midnight(following(end), said_at)
    return Period(_midnight(start.day, said_at), min(after, said_at))


def following(found: DateFound) -> date:
    """The day itself, or the first one after the month or year that is all the words give."""
    day = found.day or date.min
    words = found.text.casefold().replace(",", " ").split()
    months = [word for word in words if word in MONTHS]
    if found.exact:
        return day
    if months:
        return date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return date(day.year + 1, 1, 1) if words[-1].isdigit() else day


def _point(text: str, today: date) -> DateFound | None:
    words = text.casefold().replace(",", " ").split()
    month = next((MONTHS[word] for word in words if word in MONTHS), 0)
    year = int(words[-1]) if words and words[-1].isdigit() else 0
    if not (month or year):
        return None
    if not year:
        year = today.year if month <= today.month else today.year - 1
    return DateFound(text, 0, len(text), date(year, month or 1, 1), exact=False)


def _midnight(day: date, said_at: datetime) -> datetime:
    return datetime.combine(day, time(), tzinfo=said_at.tzinfo)
