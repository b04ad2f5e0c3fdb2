"""Which days something was said on: a year as a calendar, by the owner's own clock."""

from calendar import Calendar
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from math import ceil, sqrt
from uuid import UUID

from django.db.models import Count, Max, Min
from django.db.models.functions import TruncDate

from memory.models import Drawer

LEVELS = 4
FIRST_YEAR, LAST_YEAR = 2, 9_998
"""Every instant of these years can be told on every clock."""

WEEK = tuple(date(2024, 1, number) for number in range(1, 8))
"""A Monday to a Sunday, for the names of the days."""

_MONTHS = range(1, 13)


@dataclass(frozen=True, slots=True)
class Day:
    """A day, how much falls on it, and how much that is beside the busiest day: 0 for none, 1 to
    LEVELS."""

    day: date
    count: int
    level: int


@dataclass(frozen=True, slots=True)
class Month:
    """A month in weeks that begin on Monday; None stands for days of other months."""

    first: date
    weeks: tuple[tuple[Day | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Year:
    """A year by day, and how many drawers it has in all."""

    number: int
    months: tuple[Month, ...]
    drawers: int
    days: int


def year_of(user_id: UUID, number: int, zone: tzinfo) -> Year:
    """A year as a calendar. Takes one statement, whatever was said."""
    counts = _counts(user_id, number, zone)
    busiest = max(counts.values(), default=0)
    months = tuple(Month(date(number, each, 1), weeks_of(number, each, counts, busiest)) for each in _MONTHS)
    return Year(number, months, sum(counts.values()), len(counts))


def years_of(user_id: UUID, zone: tzinfo) -> tuple[int, ...]:
    """The years from the first to the last that something was said in, newest first."""
    drawers = Drawer.objects.live().filter(user_id=user_id)
    ends = drawers.aggregate(first=Min("said_at"), last=Max("said_at"))
    if ends["first"] is None or ends["last"] is None:
        return ()
    first, last = (ends[name].astimezone(zone).year for name in ("first", "last"))
    return tuple(range(last, first - 1, -1))


def weeks_of(
    year: int, month: int, counts: Mapping[date, int], busiest: int
) -> tuple[tuple[Day | None, ...], ...]:
    """The days of a month in weeks that begin on Monday, marked by these counts."""
    weeks: Iterable[list[date]] = Calendar().monthdatescalendar(year, month)
    return tuple(
        tuple(_day(day, counts, busiest) if day.month == month else None for day in week) for week in weeks
    )


def bounds(first: date, last: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """The first and the last instant of these days on a clock."""
    return datetime.combine(first, time.min, zone), datetime.combine(last, time.max, zone)


def _counts(user_id: UUID, number: int, zone: tzinfo) -> Mapping[date, int]:
    start, end = bounds(date(number, 1, 1), date(number, 12, 31), zone)
    drawers = Drawer.objects.live().filter(user_id=user_id, said_at__range=(start, end))
    days = drawers.annotate(day=TruncDate("said_at", tzinfo=zone)).values_list("day")
    return dict(days.annotate(number=Count("*")).order_by("day"))


def _day(day: date, counts: Mapping[date, int], busiest: int) -> Day:
    """Levels go by the root of the number, so that one long evening does not pale all the others."""
    number = counts.get(day, 0)
    return Day(day, number, ceil(LEVELS * sqrt(number / busiest)) if number else 0)
