"""Limits, time zones and the user's own day."""

from datetime import UTC, date, datetime
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from memory.models import MemoryPreferences
from memory.recall.settings import settings_from
from memory.recall.types import RecallRequest, RecallSettings

DRAWER = UUID("01890000-0000-7000-8000-000000000001")
ROOM = UUID("01890000-0000-7000-8000-000000000002")
SAID = datetime(2023, 3, 12, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(("times", "limits"), [(1, (300, 1_000)), (4, (1_200, 4_000))])
def test_a_slow_machine_may_take_longer_in_every_recipe(settings, times, limits):
    settings.RECALL_PATIENCE = times
    chosen = (MemoryPreferences(recipe=recipe) for recipe in ("default", "thorough"))
    assert tuple(settings_from(each).patience_ms for each in chosen) == limits


@pytest.mark.parametrize("name", ["Nowhere/Nothing", "", "../etc/passwd", "America", "a\x00b"])
def test_an_unknown_time_zone_is_utc(name):
    assert RecallSettings(timezone=name).zone == ZoneInfo("UTC")


def test_today_is_the_users_own_day():
    late = datetime(2023, 5, 31, 22, 30, tzinfo=UTC)
    settings = RecallSettings(timezone="Asia/Tokyo")
    assert RecallRequest(uuid4(), "hi", late, settings=settings).today == date(2023, 6, 1)
