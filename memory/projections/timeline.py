"""The timeline: past and upcoming events by their own date.

Dates are not converted to the reader's time zone, where an appointment on the 3rd could move to the 2nd.
"""

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Literal
from uuid import UUID

from django.db.models import Count, QuerySet
from django.db.models.functions import ExtractDay, ExtractMonth, ExtractYear

from memory.facts import current_facts
from memory.models import Fact
from memory.paging import Page, paginate

Level = Literal["year", "month", "day"]
_NUMBER_OF = {"year": ExtractYear, "month": ExtractMonth, "day": ExtractDay}


class NotInCalendar(ValueError):
    """There is no such year, month or day."""


@dataclass(frozen=True, slots=True)
class Period:
    """All time, a year, a month or a day.

    Raises NotInCalendar, also for a month without its year and a day without its month.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        given = [each is not None for each in (self.year, self.month, self.day)]
        if given != sorted(given, reverse=True):
            raise NotInCalendar
        try:
            date(*(1 if each is None else each for each in (self.year, self.month, self.day)))
        except ValueError as error:
            raise NotInCalendar from error

    @property
    def parts(self) -> Level:
        """The unit of its parts: years of all time, months of a year, otherwise days."""
        if self.year is None:
            return "year"
        return "month" if self.month is None else "day"

    @property
    def first(self) -> datetime | None:
        """Its first instant, in the form in which dates without a time are stored; None for all time."""
        if self.year is None:
            return None
        return datetime(self.year, self.month or 1, self.day or 1, tzinfo=UTC)

    @property
    def last(self) -> datetime | None:
        """Its last instant; None for all time."""
        if self.year is None:
            return None
        month = self.month or 12
        day = self.day or monthrange(self.year, month)[1]
        return datetime.combine(date(self.year, month, day), time.max, UTC)

    @property
    def around(self) -> "Period":
        """The period whose parts are shown with it: for a day its month, else itself."""
        return Period(self.year, self.month)


ALL_TIME = Period()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a period by its number, the count of its events, and its share of the fullest part.

    The number is a year, or a month or day from 1.
    """

    number: int
    count: int
    share: float


def parts_of(period: Period, found: QuerySet[Fact], vague: Iterable[date]) -> tuple[Part, ...]:
    """How much of `found`, which lies in the period, falls into each of its parts, in one query.

    Years only if they have events, months and days all, oldest first. `vague` are the first days of months
    and years that stand for the whole; they count for no part finer than what is known.
    """
    level = period.parts
    numbered = found.annotate(part=_NUMBER_OF[level]("event_time", tzinfo=UTC)).order_by()
    counts = dict(numbered.values_list("part").annotate(count=Count("*")))
    for first in vague:
        counts[getattr(first, level)] -= 1
    most = max(counts.values(), default=0) or 1
    numbers = _numbers(period) if level != "year" else sorted(counts)
    return tuple(Part(each, counts.get(each, 0), counts.get(each, 0) / most) for each in numbers)


def _numbers(period: Period) -> range:
    if period.year and period.month:
        return range(1, monthrange(period.year, period.month)[1] + 1)
    return range(1, 13)


PAGE = 40

_ABOUT_A_MONTH = re.compile(r"\(about \d{4}-\d\d\)")
_THE_FIRST = re.compile(
    r"\d{4}-\d\d-01"
    r"|(?<![\d.,-])1(?:st\b|er\b|º|\.(?=\s+[^\W\d])|(?=\s+(?:of\s+|de\s+|[A-Z])))"
    r"|\b[A-Z][a-z]+\s+1(?![\d,.-]*\d|\w)"
    r"|(?<!\d)1\s*日"
)
_JANUARY = re.compile(r"\d{4}-01\b|\bjan(?:uary|uar|vier|eiro)?\b|\benero\b|\bянвар|(?<!\d)1\s*月", re.I)


class Precision(StrEnum):
    """How exactly a date is known."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Choice:
    """What to show: a period, one kind or all, and statements with these words.

    Without `dated`, experiences without a date, by the day they were said.
    """

    period: Period = ALL_TIME
    kind: str = ""
    words: str = ""
    dated: bool = True


@dataclass(frozen=True, slots=True)
class Zoom:
    """A period by its parts, and how many events cannot be assigned to one."""

    period: Period
    parts: tuple[Part, ...]
    vague: int


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event on the timeline.

    Its day (the first one of a month or year), its time of day if known, its precision, and whether it is
    upcoming.
    """

    fact: Fact
    day: date
    clock: time | None
    precision: Precision
    is_coming: bool


def timeline(
    user_id: UUID, choice: Choice, now: datetime, after: str = "", most: int = PAGE
) -> Page[Occurrence]:
    """Events, newest first. Raises CursorUnreadable."""
    found = _chosen(user_id, choice)
    at = "event_time" if choice.dated else "valid_from"
    page = paginate(found, f"-{at}", "id", after, most)
    return Page(tuple(_occurrence(fact, getattr(fact, at), now) for fact in page.items), page.after)


def zoomed(user_id: UUID, choice: Choice) -> Zoom:
    """How many of the chosen events fall into each part of the period.

    For a day, its month is divided. Takes two queries at most.
    """
    period = choice.period.around
    found = _chosen(user_id, replace(choice, period=period))
    vague = _vague(found, period)
    return Zoom(period, parts_of(period, found, vague), len(vague))


def count_undated(user_id: UUID) -> int:
    """How many experiences have no date."""
    return _chosen(user_id, Choice(dated=False)).count()


def precision_of(at: datetime, statement: str) -> Precision:
    """How precise a stored date is.

    A month or year is stored as its first day, so the words decide whether that very day was meant.
    """
    if at.astimezone(UTC).time() != time():
        return Precision.TIME
    if _ABOUT_A_MONTH.search(statement):
        return Precision.MONTH
    if at.day != 1 or _THE_FIRST.search(statement):
        return Precision.DAY
    if at.month != 1 or _JANUARY.search(statement):
        return Precision.MONTH
    return Precision.YEAR


def _chosen(user_id: UUID, choice: Choice) -> QuerySet[Fact]:
    found = current_facts(user_id).filter(memory_type=Fact.Memory.EPISODIC)
    found = found.filter(event_time__isnull=not choice.dated)
    if choice.period.year is not None and choice.dated:
        found = found.filter(event_time__range=(choice.period.first, choice.period.last))
    if choice.kind:
        found = found.filter(kind=choice.kind)
    for word in choice.words.split():
        found = found.filter(statement__icontains=word)
    return found


def _vague(found: QuerySet[Fact], period: Period) -> list[date]:
    """Dates known no better than by the period or, in a year, by month, each at its first instant."""
    if period.first is None or period.parts == "year":
        return []
    wanted = {"month": (Precision.YEAR,), "day": (Precision.YEAR, Precision.MONTH)}[period.parts]
    statements = found.filter(event_time=period.first).values_list("statement", flat=True)
    return [
        period.first.date() for statement in statements if precision_of(period.first, statement) in wanted
    ]


def _occurrence(fact: Fact, at: datetime, now: datetime) -> Occurrence:
    moment = at.astimezone(UTC)
    precision = precision_of(moment, fact.statement) if fact.event_time else Precision.DAY
    clock = moment.time() if precision is Precision.TIME else None
    return Occurrence(fact, moment.date(), clock, precision, at > now)
