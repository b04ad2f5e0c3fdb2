"""The monthly budget: what a user may spend on models, and what they have spent.

A budget stops spending, not mining. It is checked before each call that may cost something, and each call is
recorded as soon as it ends, so a month is overspent by at most the calls in flight.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal

from django.conf import settings
from django.db.models import Sum
from django.utils.translation import gettext_noop

from accounts.models import User
from llm import current
from llm.errors import ModelError
from memory.models import MemoryPreferences, Usage
from memory.preferences import preferences_of, zone_of
from memory.usage.records import Purpose


class BudgetSpent(ModelError):
    """The budget of this month is spent, so calls that cost something are not made."""

    def __init__(self) -> None:
        super().__init__(gettext_noop("This month’s budget is spent."))


@dataclass(frozen=True, slots=True)
class Month:
    """A calendar month in a time zone, half-open."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Budget:
    """A user's limit for a month in US dollars, and what is spent so far.

    `limit` is None without one; `set_by_site` means that the site's owner set it.
    """

    limit: Decimal | None
    spent: Decimal
    month: Month
    set_by_site: bool = False
    includes_chat: bool = True

    @property
    def is_spent(self) -> bool:
        """Whether no more calls that cost something are allowed this month."""
        return self.limit is not None and self.spent >= self.limit

    @property
    def stops_chat(self) -> bool:
        """Whether replies come from memory alone for the rest of the month."""
        return self.is_spent and self.includes_chat


def month_of(moment: datetime, zone: tzinfo) -> Month:
    """The calendar month that contains a moment, in a time zone."""
    local = moment.astimezone(zone)
    following = local.replace(day=1) + timedelta(days=32)
    return Month(
        datetime(local.year, local.month, 1, tzinfo=zone),
        datetime(following.year, following.month, 1, tzinfo=zone),
    )


def budget_of(preferences: MemoryPreferences, now: datetime) -> Budget:
    """The budget of a user with these preferences, in the month of `now` in their time zone."""
    month = month_of(now, zone_of(preferences))
    limit, set_by_site = (Decimal(0), True) if _is_demo(preferences) else _own_limit(preferences)
    return Budget(
        limit=limit,
        spent=_spent(preferences, month),
        month=month,
        set_by_site=set_by_site,
        includes_chat=preferences.budget_includes_chat,
    )


def require_budget(purpose: Purpose, model: str = "") -> None:
    """Raise BudgetSpent if a call to this model may cost something and the month's budget is spent.

    An empty name means the chat model. Calls known to be free are always allowed.
    """
    if current.is_free(model):
        return
    preferences = preferences_of(purpose.user_id)
    if _is_demo(preferences):
        raise BudgetSpent
    exempt = purpose.source == Usage.Source.CHAT and not preferences.budget_includes_chat
    limit, _ = _own_limit(preferences)
    if limit is None or exempt:
        return
    month = month_of(purpose.now, zone_of(preferences))
    if _spent(preferences, month) >= limit:
        raise BudgetSpent


def _is_demo(preferences: MemoryPreferences) -> bool:
    """Whether this is a demo account, which spends nothing."""
    return User.objects.filter(id=preferences.user_id, demo_of__isnull=False).exists()


def _own_limit(preferences: MemoryPreferences) -> tuple[Decimal | None, bool]:
    """The lower of the user's own limit and the site's, and whether it is the site's."""
    own, site = preferences.monthly_budget or None, settings.MONTHLY_BUDGET
    if site is not None and (own is None or site < own):
        return site, True
    return own, False


def _spent(preferences: MemoryPreferences, month: Month) -> Decimal:
    rows = Usage.objects.filter(
        user_id=preferences.user_id, at__gte=month.start, at__lt=month.end, cost_usd__gt=0
    )
    if not preferences.budget_includes_chat:
        rows = rows.exclude(source=Usage.Source.CHAT)
    return rows.aggregate(sum=Sum("cost_usd"))["sum"] or Decimal(0)
