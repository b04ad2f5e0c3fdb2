"""The row of houses above the tree: a house for each wing, its windows as many as it holds messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import ceil
from uuid import UUID

from django.db.models import Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from memory.models import Room
from memory.pages.palace.queries import WingItem
from memory.paging import Page

MONTHS = 12
RECENT = 3
A_WINDOW = 8
MAX_ITEMS = 20
ACROSS, FLOORS = 3, 5
WIDTH, FLOOR, GABLE = 60, 18, 36


@dataclass(frozen=True, slots=True)
class House:
    """A wing as a house: a window for every so many messages, lit where they are recent."""

    wing: WingItem
    windows: int
    lit: int

    @property
    def height(self) -> int:
        """How high the house is, in the units of its drawing."""
        return GABLE + FLOOR * ceil(self.windows / ACROSS)

    @property
    def wall(self) -> str:
        """The outline, open at the ground."""
        return f"M1 {self.height}V24Q3 12 30 1Q57 12 59 24V{self.height}"

    @property
    def lit_path(self) -> str:
        """The windows of the last months."""
        return "".join(self._window(number) for number in range(self.lit))

    @property
    def dark_path(self) -> str:
        """The windows of the time before."""
        return "".join(self._window(number) for number in range(self.lit, self.windows))

    def _window(self, number: int) -> str:
        """From the ground upwards; what does not fill a floor stands in its middle."""
        floor, place = divmod(number, ACROSS)
        beside = min(ACROSS, self.windows - floor * ACROSS)
        x = WIDTH / 2 + (place - beside / 2) * 16 + 2
        return f"M{x:g} {self.height - floor * FLOOR - 4}v-7a6 6 0 0 1 12 0v7z"


def houses(wings: Sequence[WingItem]) -> tuple[int, list[House]]:
    """How many messages one window stands for, and the houses of the first wings in their order."""
    fullest = max((wing.drawers for wing in wings), default=0)
    needed = ceil(fullest / (ACROSS * FLOORS))
    window = A_WINDOW if needed <= A_WINDOW else ceil(needed / 10) * 10
    return window, [_house(wing, window) for wing in wings[:MAX_ITEMS]]


def _house(wing: WingItem, window: int) -> House:
    windows = min(ACROSS * FLOORS, ceil(wing.drawers / window))
    return House(wing, windows, min(windows, ceil(sum(wing.months[-RECENT:]) / window)))


def with_months(user_id: UUID, wings: Page[WingItem], now: datetime) -> Page[WingItem]:
    """These wings with how many messages the chats of each of the last twelve months left in them."""
    months = list(last_months(now))
    counts = _counts(user_id, [wing.id for wing in wings.items], months[0])
    items = (
        replace(wing, months=tuple(counts.get((wing.id, month), 0) for month in months))
        for wing in wings.items
    )
    return Page(tuple(items), wings.after)


def last_months(now: datetime) -> Iterator[datetime]:
    """The first instant of each of the last twelve months, this one last."""
    here = timezone.localtime(now)
    last = here.year * 12 + here.month - 1
    for number in range(last - MONTHS + 1, last + 1):
        yield timezone.make_aware(datetime(number // 12, number % 12 + 1, 1))  # noqa: DTZ001


def _counts(user_id: UUID, wing_ids: Sequence[UUID], since: datetime) -> dict[tuple[UUID, datetime], int]:
    found = Room.objects.filter(
        user_id=user_id, wing_id__in=wing_ids, drawers_held__gt=0, started_at__gte=since
    )
    by_month = found.annotate(month=TruncMonth("started_at")).values_list("wing_id", "month")
    rows = by_month.annotate(held=Sum("drawers_held")).order_by()
    return {(wing_id, month): held for wing_id, month, held in rows}
