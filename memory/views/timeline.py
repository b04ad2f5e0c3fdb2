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

from memory.forms import TimelineForm
from memory.knowledge import KnownFact, with_quotes
from memory.projections import timeline as occurrences
from memory.projections.timeline import Choice, Occurrence, Precision
from memory.views.requests import MemoryRequest, memory_page

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


@require_safe
@memory_page
def timeline(request: MemoryRequest) -> HttpResponse:
    """Dated events, newest first, by month; filtered by year, kind and words."""
    form = TimelineForm(request.GET)
    if not form.is_valid():
        return render(request, "memory/timeline.html", {"form": form}, status=REFUSED)
    chosen = form.cleaned_data
    choice = Choice(
        year=chosen["year"], kind=chosen["kind"], words=chosen["q"], dated=not chosen["undated"]
    )
    page = occurrences.timeline(
        request.user.id, choice, timezone.now(), request.GET.get("after", "")
    )
    context = {
        "form": form,
        "choice": choice,
        "months": list(_months(request.user.id, page.items)),
        "after": page.after,
        "years": occurrences.years_of(request.user.id),
        "undated": occurrences.count_undated(request.user.id),
        "is_filtered": bool(choice.year or choice.kind or choice.words),
    }
    return render(request, "memory/timeline.html", context)


def _months(user_id: UUID, items: Iterable[Occurrence]) -> Iterator[Month]:
    shown = list(items)
    known = with_quotes(user_id, [each.fact for each in shown])
    pairs = [Shown(*pair) for pair in zip(shown, known, strict=True)]
    for (first, is_year), several in groupby(pairs, key=_month):
        yield Month(first, is_year, tuple(several))


def _month(shown: Shown) -> tuple[date, bool]:
    day = shown.occurrence.day
    return day.replace(day=1), shown.occurrence.precision is Precision.YEAR
