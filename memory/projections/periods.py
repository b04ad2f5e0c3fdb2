"""A year, a month or a day of the timeline, and how much falls into each part of it."""

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Literal

from django.db.models import Count, QuerySet
from django.db.models.functions import ExtractDay, ExtractMonth, ExtractYear

from memory.models import Fact

Level = Literal["year", "month", "day"]
_NUMBER_OF = {"year": ExtractYear, "month": ExtractMonth, "day": ExtractDay}


class NotInCalendar(ValueError):
    """There is no such year, month or day."""


@dataclass(frozen=True, slots=True)
class Period:
    """All time, or a year, a month of it, a day of that. Raises NotInCalendar, also for a month
    without its year and a day without its month."""

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
        """What it is divided into: all time into years, a year into months, the rest into days."""
        if self.year is None:
            return "year"
        return "month" if self.month is None else "day"

    @property
    def first(self) -> datetime | None:
        """Its first instant, as dates without a clock are stored; None of all time."""
        if self.year is None:
            return None
        return datetime(self.year, self.month or 1, self.day or 1, tzinfo=UTC)

    @property
    def last(self) -> datetime | None:
        """Its last instant; None of all time."""
        if self.year is None:
            return None
        month = self.month or 12
        day = self.day or monthrange(self.year, month)[1]
        return datetime.combine(date(self.year, month, day), time.max, UTC)

    @property
    def around(self) -> "Period":
        """The period whose parts are shown with it: of a day its month, else itself."""
        return Period(self.year, self.month)


ALL_TIME = Period()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a period by its number (a year, a month from 1, a day from 1), how much falls into
    it, and what share of the fullest part that is."""

    number: int
    count: int
    share: float


def parts_of(period: Period, found: QuerySet[Fact], vague: Iterable[date]) -> tuple[Part, ...]:
    """How much of `found`, which lies in the period, falls into each of its parts, in one
    statement: of years those with anything, of months and days all, oldest first.

    `vague` are the first days of months and years of which no more is known; they count for no
    part that is smaller than what is known.
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
