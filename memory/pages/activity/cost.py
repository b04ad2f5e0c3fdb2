"""What models cost a user in a month, by purpose, model and day, and the state of the budget."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from memory.models import Usage
from memory.pages.requests import MemoryRequest, read_page
from memory.preferences import zone_of
from memory.usage.budgets import Month, budget_of, month_of

_MONTH = re.compile(r"(20[0-9]{2})-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True)
class Line:
    """The totals of a group of calls. `cost_usd` covers those with a known price, `unpriced` counts the rest;
    `estimated` means that some token counts are estimates; `latency_ms` is the mean."""

    name: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: Decimal
    unpriced: int
    estimated: bool
    latency_ms: int

    @property
    def seconds(self) -> float:
        return self.latency_ms / 1000


class Day(NamedTuple):
    """The cost of a day, and its share (0 to 1) of that of the month's most expensive day."""

    day: date
    calls: int
    cost_usd: Decimal
    share: float


@dataclass(frozen=True, slots=True)
class Costs:
    """A month by purpose and model, by day with calls and, for a site, by user, named by email address."""

    lines: tuple[Line, ...]
    days: tuple[Day, ...]
    people: tuple[Line, ...] = ()

    @property
    def calls(self) -> int:
        return sum(line.calls for line in self.lines)

    @property
    def cost_usd(self) -> Decimal:
        """The cost of all calls with a known price."""
        return sum((line.cost_usd for line in self.lines), Decimal(0))

    @property
    def is_estimated(self) -> bool:
        """Whether some token counts are estimates."""
        return any(line.estimated for line in self.lines)

    @property
    def unpriced(self) -> int:
        """The number of calls without a known price."""
        return sum(line.unpriced for line in self.lines)


def requested_month(address: Mapping[str, str], now: datetime, zone: tzinfo) -> Month:
    """The month in the query string (`month=2031-03`), or that of `now`."""
    wanted = _MONTH.fullmatch(address.get("month", ""))
    if wanted is None:
        return month_of(now, zone)
    return month_of(datetime(int(wanted[1]), int(wanted[2]), 1, tzinfo=zone), zone)


def costs_of(user_id: UUID, month: Month, zone: tzinfo) -> Costs:
    """A user's month, with days in `zone`."""
    return _costs(Usage.objects.filter(user_id=user_id), month, zone)


def costs_of_site(month: Month, zone: tzinfo) -> Costs:
    """The month of all users. Call it as an operator."""
    return _costs(Usage.objects.all(), month, zone, by_user=True)


def _costs(rows: "QuerySet[Usage]", month: Month, zone: tzinfo, *, by_user: bool = False) -> Costs:
    found = rows.filter(at__gte=month.start, at__lt=month.end)
    lines = (
        _line(row, str(Usage.Source(row["source"]).label), row["model"])
        for row in _totals(found, "source", "model")
    )
    people = [_line(row, row["user__email"]) for row in (_totals(found, "user__email") if by_user else ())]
    people.sort(key=lambda line: (-line.cost_usd, -line.calls, line.name))
    return Costs(tuple(lines), _days(found, zone), tuple(people))


def _totals(rows: "QuerySet[Usage]", *names: str) -> Iterable[dict[str, Any]]:
    sums: Iterable[dict[str, Any]] = (
        rows.values(*names)
        .annotate(
            sum_calls=Sum("calls"),
            sum_input=Sum("input_tokens"),
            sum_output=Sum("output_tokens"),
            sum_cost=Sum("cost_usd"),
            sum_latency=Sum("latency_ms"),
            unpriced=Sum("calls", filter=Q(cost_usd=None), default=0),
            guessed=Count("id", filter=Q(estimated=True)),
        )
        .order_by(F("sum_cost").desc(nulls_last=True), *names)
    )
    return sums


def _line(row: dict[str, Any], name: str, model: str = "") -> Line:
    return Line(
        name=name,
        model=model,
        calls=row["sum_calls"],
        input_tokens=row["sum_input"],
        output_tokens=row["sum_output"],
        cost_usd=row["sum_cost"] or Decimal(0),
        unpriced=row["unpriced"],
        estimated=bool(row["guessed"]),
        latency_ms=round(row["sum_latency"] / max(1, row["sum_calls"])),
    )


def _days(rows: "QuerySet[Usage]", zone: tzinfo) -> tuple[Day, ...]:
    found = list(
        rows.annotate(on=TruncDate("at", tzinfo=zone))
        .values("on")
        .annotate(sum_calls=Sum("calls"), sum_cost=Sum("cost_usd", default=Decimal(0)))
        .order_by("on")
    )
    highest = max((row["sum_cost"] for row in found), default=Decimal(0)) or Decimal(1)
    return tuple(
        Day(row["on"], row["sum_calls"], row["sum_cost"], float(row["sum_cost"] / highest)) for row in found
    )


@read_page
def cost(request: MemoryRequest) -> HttpResponse:
    """The month in the query string, or this one, with its budget."""
    now = timezone.now()
    zone = zone_of(request.preferences)
    month = requested_month(request.GET, now, zone)
    budget = budget_of(request.preferences, now)
    context = {
        "month": month,
        "costs": costs_of(request.user.id, month, zone),
        "budget": budget if budget.month == month else None,
        "earlier": month.start - timedelta(days=1),
        "later": month.end if month.end <= now else None,
    }
    return render(request, "memory/cost.html", context)
