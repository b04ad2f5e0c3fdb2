"""The timeline by year and month."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.facts.queries import KnownFact, with_quotes
from memory.pages.activity.days import WEEK, Day, weeks_of
from memory.pages.forms import TimelineForm
from memory.pages.requests import MemoryRequest, memory_page
from memory.projections import timeline as occurrences
from memory.projections.timeline import Choice, Occurrence, Part, Precision, Zoom

REFUSED = 422


@dataclass(frozen=True, slots=True)
class Shown:
    """Something that happened, with the words that say so."""

    occurrence: Occurrence
    known: KnownFact


@dataclass(frozen=True, slots=True)
class Month:
    """A month with what falls into it, or a year with what is known no better."""

    first: date
    is_year: bool
    items: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """A year or a month as a bar, with its first day."""

    part: Part
    first: date


@require_safe
@memory_page
def timeline(request: MemoryRequest) -> HttpResponse:
    """Dated events, newest first, by month; filtered by year, kind and words."""
    form = TimelineForm(request.GET)
    if not form.is_valid():
        return render(request, "memory/timeline.html", {"form": form}, status=REFUSED)
    chosen = form.cleaned_data
    choice = Choice(
        period=chosen["period"], kind=chosen["kind"], words=chosen["q"], dated=not chosen["undated"]
    )
    page = occurrences.timeline(request.user.id, choice, timezone.now(), request.GET.get("after", ""))
    zoom = occurrences.zoomed(request.user.id, choice) if choice.dated else None
    context = {
        "form": form,
        "choice": choice,
        "months": list(_months(request.user.id, page.items)),
        "after": page.after,
        "zoom": zoom,
        "bars": _bars(zoom) if zoom else (),
        "weeks": _weeks(zoom) if zoom else (),
        "weekdays": WEEK,
        "undated": occurrences.count_undated(request.user.id),
        "is_filtered": bool(choice.period.year or choice.kind or choice.words),
    }
    return render(request, "memory/timeline.html", context)


def _bars(zoom: Zoom) -> tuple[Bar, ...]:
    """The years of all time or the months of a year; days are drawn as weeks."""
    if zoom.period.parts == "day":
        return ()
    return tuple(
        Bar(part, date(zoom.period.year or part.number, part.number if zoom.period.year else 1, 1))
        for part in zoom.parts
    )


def _weeks(zoom: Zoom) -> tuple[tuple[Day | None, ...], ...]:
    year, month = zoom.period.year, zoom.period.month
    if not year or not month:
        return ()
    counts = {date(year, month, part.number): part.count for part in zoom.parts if part.count}
    return weeks_of(year, month, counts, max(counts.values(), default=0))


def _months(user_id: UUID, items: Iterable[Occurrence]) -> Iterator[Month]:
    shown = list(items)
    known = with_quotes(user_id, [each.fact for each in shown])
    pairs = [Shown(*pair) for pair in zip(shown, known, strict=True)]
    for (first, is_year), several in groupby(pairs, key=_month):
        yield Month(first, is_year, tuple(several))


def _month(shown: Shown) -> tuple[date, bool]:
    day = shown.occurrence.day
    return day.replace(day=1), shown.occurrence.precision is Precision.YEAR
