"""What was said when: a year as a calendar, and a day."""

from datetime import date, timedelta

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from memory.pages.activity.days import FIRST_YEAR, LAST_YEAR, WEEK, bounds, year_of, years_of
from memory.pages.palace.queries import drawers_between
from memory.pages.requests import MemoryRequest, memory_page

REFUSED = 422


class YearForm(forms.Form):
    """Which year to look at."""

    year = forms.IntegerField(label=_("Year"), required=False, min_value=FIRST_YEAR, max_value=LAST_YEAR)


@require_safe
@memory_page
def calendar(request: MemoryRequest) -> HttpResponse:
    """A year by day, darker where more was said; the last year that has anything by default."""
    form = YearForm(request.GET)
    zone = timezone.get_current_timezone()
    years = years_of(request.user.id, zone)
    latest = years[0] if years else timezone.localdate().year
    number = (form.cleaned_data["year"] if form.is_valid() else None) or latest
    context = {
        "form": form,
        "year": year_of(request.user.id, number, zone),
        "years": years,
        "week": WEEK,
        "today": timezone.localdate(),
    }
    status = REFUSED if form.errors else 200
    return render(request, "memory/calendar.html", context, status=status)


@require_safe
@memory_page
def day(request: MemoryRequest, day: date) -> HttpResponse:
    """Everything that was said on a day."""
    start, end = bounds(day, day, timezone.get_current_timezone())
    context = {
        "day": day,
        "before": day - timedelta(days=1),
        "following": day + timedelta(days=1),
        "drawers": drawers_between(request.user.id, start, end, request.GET.get("after", "")),
    }
    return render(request, "memory/day.html", context)
