"""What models cost a person: a month by purpose, by model and by day, and how its budget stands."""

from datetime import timedelta

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.costs import asked_month, costs_of, write_csv
from memory.preferences import zone_of
from memory.spending import budget_of
from memory.views.requests import MemoryRequest, memory_page


@require_safe
@memory_page
def cost(request: MemoryRequest) -> HttpResponse:
    """The month of the address, or this one, with its budget."""
    now = timezone.now()
    zone = zone_of(request.preferences)
    month = asked_month(request.GET, now, zone)
    budget = budget_of(request.preferences, now)
    context = {
        "month": month,
        "costs": costs_of(request.user.id, month, zone),
        "budget": budget if budget.month == month else None,
        "earlier": month.start - timedelta(days=1),
        "later": month.end if month.end <= now else None,
    }
    return render(request, "memory/cost.html", context)


@require_safe
@memory_page
def cost_export(request: MemoryRequest) -> HttpResponse:
    """Every call of a month as a file for a spreadsheet."""
    month = asked_month(request.GET, timezone.now(), zone_of(request.preferences))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"palace-cost-{month.start:%Y-%m}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    write_csv(request.user.id, month, response)  # type: ignore[arg-type]
    return response
