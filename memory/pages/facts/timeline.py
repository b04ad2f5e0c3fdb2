"""The timeline of dated events, the drawers of a year by day, and the page of a day."""

from calendar import Calendar
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta, tzinfo
from itertools import groupby
from math import ceil, sqrt
from uuid import UUID

from django.db.models import Count, Max, Min
from django.db.models.functions import TruncDate
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from memory.models import Drawer
from memory.pages.facts.rows import KIND_NAMES, Text
from memory.pages.forms import TimelineForm, end_of, start_of
from memory.pages.palace.queries import drawers_between
from memory.pages.requests import REFUSED, MemoryRequest, read_page
from memory.projections import timeline as occurrences
from memory.projections.timeline import Choice, Occurrence, Period, Precision

LEVELS = 4
FIRST_YEAR, LAST_YEAR = 2, 9_998
"""Every instant of these years is representable in every time zone."""

WEEK = tuple(date(2024, 1, number) for number in range(1, 8))
"""A Monday to a Sunday, for the names of the days."""


class DayConverter:
    """A date in a URL; invalid dates are a 404."""

    regex = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        """Raise ValueError for an invalid date, which Django turns into a 404."""
        day = date.fromisoformat(value)
        if not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise ValueError(value)
        return day

    def to_url(self, value: date) -> str:
        return value.isoformat()


@read_page
def timeline(request: MemoryRequest) -> HttpResponse:
    """Dated events and starts, newest first, by month; filtered by year, kind and words."""
    form = TimelineForm(request.GET)
    if not form.is_valid():
        return render(request, "memory/timeline.html", {"form": form}, status=REFUSED)
    chosen = form.cleaned_data
    choice = Choice(Period(chosen["year"]), chosen["kind"], chosen["q"], dated=not chosen["undated"])
    page = occurrences.timeline(request.user.id, choice, timezone.now(), request.GET.get("after", ""))
    context = {
        "form": form,
        "choice": choice,
        "months": list(_months(page.items)),
        "after": page.after,
        "years": occurrences.years_of(request.user.id),
        "undated": occurrences.count_undated(request.user.id),
        "is_filtered": bool(choice.period.year or choice.kind or choice.words),
    }
    return render(request, "memory/timeline.html", context)


@read_page
def days(request: MemoryRequest) -> HttpResponse:
    """A year by day, darker where more was said; by default the last year with drawers."""
    form = TimelineForm(request.GET)
    zone = timezone.get_current_timezone()
    years = years_of(request.user.id, zone)
    latest = min(years[0], LAST_YEAR) if years else timezone.localdate().year
    number = (form.cleaned_data["year"] if form.is_valid() else None) or latest
    counts = drawers_by_day(request.user.id, number, zone)
    context = {
        "form": form,
        "number": number,
        "months": [(date(number, month, 1), _weeks(number, month, counts)) for month in range(1, 13)],
        "drawers": sum(counts.values()),
        "days": len(counts),
        "years": years,
        "week": WEEK,
        "today": timezone.localdate(),
    }
    status = REFUSED if form.errors else 200
    return render(request, "memory/days.html", context, status=status)


@read_page
def day(request: MemoryRequest, day: date) -> HttpResponse:
    """All drawers of a day."""
    context = {
        "day": day,
        "before": day - timedelta(days=1),
        "following": day + timedelta(days=1),
        "drawers": drawers_between(request.user.id, start_of(day), end_of(day), request.GET.get("after", "")),
    }
    return render(request, "memory/day.html", context)


def years_of(user_id: UUID, zone: tzinfo) -> tuple[int, ...]:
    """The years from the first drawer to the last, newest first."""
    drawers = Drawer.objects.live().filter(user_id=user_id)
    ends = drawers.aggregate(first=Min("said_at"), last=Max("said_at"))
    if ends["first"] is None or ends["last"] is None:
        return ()
    first, last = (ends[name].astimezone(zone).year for name in ("first", "last"))
    return tuple(range(last, first - 1, -1))


def drawers_by_day(user_id: UUID, year: int, zone: tzinfo) -> dict[date, int]:
    """The number of drawers on each day of a year, without empty days, in one query."""
    start, end = datetime(year, 1, 1, tzinfo=zone), datetime(year + 1, 1, 1, tzinfo=zone)
    drawers = Drawer.objects.live().filter(user_id=user_id, said_at__gte=start, said_at__lt=end)
    days = drawers.annotate(day=TruncDate("said_at", tzinfo=zone)).values_list("day")
    return dict(days.annotate(number=Count("*")).order_by("day"))


def _weeks(year: int, month: int, counts: Mapping[date, int]) -> list[list[tuple[date | None, int, int]]]:
    """The days of a month in weeks from Monday, each with its count and its level: 0 for none, LEVELS for the
    busiest day. None stands for days of other months."""
    busiest = max(counts.values(), default=0)

    def shown(day: date) -> tuple[date | None, int, int]:
        """Scale by the square root, so that one busy day does not make all others pale."""
        number = counts.get(day, 0)
        return day, number, ceil(LEVELS * sqrt(number / busiest)) if number else 0

    weeks: Iterable[list[date]] = Calendar().monthdatescalendar(year, month)
    return [[shown(day) if day.month == month else (None, 0, 0) for day in week] for week in weeks]


def _months(items: Iterable[Occurrence]) -> Iterator[tuple[date, bool, list[tuple[Occurrence, Text]]]]:
    """Events by month: its first day, whether only the year is known, and the events with the names of their
    kinds."""

    def month(shown: tuple[Occurrence, Text]) -> tuple[date, bool]:
        return shown[0].day.replace(day=1), shown[0].precision is Precision.YEAR

    named = ((each, KIND_NAMES.get(each.fact.kind, each.fact.kind)) for each in items)
    for (first, is_year), several in groupby(named, key=month):
        yield first, is_year, list(several)
