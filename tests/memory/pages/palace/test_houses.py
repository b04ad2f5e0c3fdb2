"""A house has a window for every eight messages; what was said lately is lit."""

from datetime import UTC, datetime, timedelta

from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from memory.models import Drawer, Wing
from memory.pages.palace import queries
from memory.pages.palace.houses import ACROSS, FLOORS, MONTHS, draw_bars, houses, last_months
from tests.memory.palaces import Spot, file

GARDEN, PANS = (Wing(id=uuid7(), drawers_held=held) for held in (20, 2_000))
MONTHS_OF = {wing.id: (0,) * 9 + (2, 0, 7) for wing in (GARDEN, PANS)}


def test_windows_count_messages_and_stay_within_the_house():
    window, (house,) = houses([GARDEN], MONTHS_OF)
    assert (window, house.windows, house.lit) == (8, 3, 2)
    assert house.lit_path.count("M") == 2
    assert house.dark_path.count("M") == 1
    window, (large, small) = houses([PANS, GARDEN], MONTHS_OF)
    assert window == 140
    assert (large.windows, small.windows) == (ACROSS * FLOORS, 1)
    assert large.height > small.height
    assert houses([], {}) == (8, [])


def test_months_run_over_the_turn_of_the_year():
    months = list(last_months(datetime(2026, 2, 28, 12, tzinfo=UTC)))
    assert len(months) == MONTHS
    assert [(each.year, each.month) for each in (months[0], months[-1])] == [(2025, 3), (2026, 2)]


def test_wings_know_how_much_each_month_left_in_them(alice):
    now = timezone.now()
    with tenant(alice.id):
        file(alice.id, ["now", "and now"], Spot(wing="Garden", start=now))
        file(alice.id, ["long ago"], Spot(wing="Garden", room="Old", start=now - timedelta(days=800)))
        assert Drawer.objects.count() == 3
        (garden,) = queries.wings(alice.id).items
        assert draw_bars(alice.id, [garden], now) == {garden.id: (0,) * 11 + (2,)}
    assert garden.bars.count("M") == MONTHS
