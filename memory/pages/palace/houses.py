"""The row of houses above the tree: one for each wing, with more windows the more drawers it holds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from uuid import UUID

from django.db.models import Sum
from django.db.models.functions import TruncMonth
from django.utils import timezone

from memory.models import Room, Wing

MONTHS = 12
RECENT_MONTHS = 3
DRAWERS_PER_WINDOW = 8
MAX_ITEMS = 20
WINDOWS_PER_FLOOR, FLOORS = 3, 5
WIDTH, FLOOR, GABLE = 60, 18, 36
Months = Mapping[UUID, tuple[int, ...]]
"""The number of drawers from chats of each of the last twelve months, by wing."""


@dataclass(frozen=True, slots=True)
class House:
    """A wing as a house; `lit` windows stand for recent drawers."""

    wing: Wing
    windows: int
    lit: int

    @property
    def height(self) -> int:
        """The height in units of the drawing."""
        return GABLE + FLOOR * ceil(self.windows / WINDOWS_PER_FLOOR)

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
        """The older windows."""
        return "".join(self._window(number) for number in range(self.lit, self.windows))

    def _window(self, number: int) -> str:
        """Windows fill from the ground up; an incomplete floor is centred."""
        floor, place = divmod(number, WINDOWS_PER_FLOOR)
        in_row = min(WINDOWS_PER_FLOOR, self.windows - floor * WINDOWS_PER_FLOOR)
        x = WIDTH / 2 + (place - in_row / 2) * 16 + 2
        return f"M{x:g} {self.height - floor * FLOOR - 4}v-7a6 6 0 0 1 12 0v7z"


def houses(wings: Sequence[Wing], months: Months) -> tuple[int, list[House]]:
    """The number of drawers per window, and the houses of the first wings in order."""
    fullest = max((wing.drawers_held for wing in wings), default=0)
    needed = ceil(fullest / (WINDOWS_PER_FLOOR * FLOORS))
    window = DRAWERS_PER_WINDOW if needed <= DRAWERS_PER_WINDOW else ceil(needed / 10) * 10
    return window, [_house(wing, window, sum(months[wing.id][-RECENT_MONTHS:])) for wing in wings[:MAX_ITEMS]]


def _house(wing: Wing, window: int, recent: int) -> House:
    windows = min(WINDOWS_PER_FLOOR * FLOORS, ceil(wing.drawers_held / window))
    return House(wing, windows, min(windows, ceil(recent / window)))


def draw_bars(user_id: UUID, wings: Sequence[Wing], now: datetime) -> Months:
    """Set the `bars` of each wing, one for each of the last twelve months, as an SVG path 18 units high;
    return the numbers behind them."""
    months = _months(user_id, wings, now)
    for wing in wings:
        highest = max(months[wing.id]) or 1
        highs = (max(3, round(16 * count / highest)) if count else 1 for count in months[wing.id])
        wing.bars = "".join(f"M{number * 7} 17v-{high}h5v{high}z" for number, high in enumerate(highs))
    return months


def last_months(now: datetime) -> Iterator[datetime]:
    """The first instant of each of the last twelve months, this one last."""
    here = timezone.localtime(now)
    last = here.year * 12 + here.month - 1
    for number in range(last - MONTHS + 1, last + 1):
        yield timezone.make_aware(datetime(number // 12, number % 12 + 1, 1))  # noqa: DTZ001


def _months(user_id: UUID, wings: Sequence[Wing], now: datetime) -> Months:
    months = list(last_months(now))
    ids = [wing.id for wing in wings]
    found = Room.objects.filter(
        user_id=user_id, wing_id__in=ids, drawers_held__gt=0, started_at__gte=months[0]
    )
    by_month = found.annotate(month=TruncMonth("started_at")).values_list("wing_id", "month")
    rows = by_month.annotate(held=Sum("drawers_held")).order_by()
    counts = {(wing_id, month): held for wing_id, month, held in rows}
    return {key: tuple(counts.get((key, month), 0) for month in months) for key in ids}
