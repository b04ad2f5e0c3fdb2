"""When something was said, and how well the memory stands."""

from typing import Any

from django.utils import timezone
from ninja import Query, Router

from accounts.http import BearerRequest
from api.paging import Paged, paged
from api.schemas import overview as told
from api.schemas.palace import DrawerItem
from memory.days import year_of, years_of
from memory.drawer_lists import drawers_between
from memory.health import Check, health_of
from memory.preferences import preferences_of, zone_of

router = Router(tags=["Overview"])


@router.get("calendar", response=told.CalendarYear, summary="A year by day")
def calendar(request: BearerRequest, asked: Query[told.WantedYear]) -> Any:
    """On which days something was said, and how much."""
    zone = zone_of(preferences_of(request.user.id))
    years = years_of(request.user.id, zone)
    latest = years[0] if years else timezone.now().astimezone(zone).year
    year = year_of(request.user.id, asked.year or latest, zone)
    weeks = (week for month in year.months for week in month.weeks)
    days = [day for week in weeks for day in week if day and day.count]
    return {"year": year.number, "drawers": year.drawers, "days": days, "years": list(years)}


@router.get("drawers", response=Paged[DrawerItem], summary="Drawers of a time")
def drawers_of_time(request: BearerRequest, asked: Query[told.WantedDrawers]) -> Any:
    """What was said between two moments, as it was said."""
    times = asked.since, asked.until
    return paged(drawers_between(request.user.id, *times, asked.after, asked.limit))


@router.get("health", response=told.Health, summary="How well the memory stands")
def health(request: BearerRequest) -> Any:
    """A score and what would raise it."""
    found = health_of(request.user.id, timezone.now())
    return {"score": found.score, "checks": [_check(check) for check in found.checks]}


def _check(check: Check) -> dict[str, Any]:
    return {
        "name": str(check.name),
        "share": check.share,
        "weight": check.weight,
        "words": check.words,
    }
