"""The days of stored dates, and whether they have come."""

from datetime import UTC, date, datetime, time

from django import template
from django.utils import timezone

register = template.Library()


@register.filter
def day_of(moment: datetime) -> date:
    """The day in the owner's time zone. A stated date is stored as midnight in UTC, and stays that date."""
    stored = moment.astimezone(UTC)
    return stored.date() if stored.time() == time() else timezone.localdate(moment)


@register.filter
def has_come(moment: datetime | None) -> bool:
    """Whether a moment is now or past; False for none."""
    return moment is not None and moment <= timezone.now()
