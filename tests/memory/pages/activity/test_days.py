from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from memory.forgetting.trash import delete
from memory.models import Drawer
from memory.pages.activity.days import Day, year_of, years_of
from tests.memory.palaces import MONDAY, Spot, file


@pytest.fixture
def drawers(as_alice: User) -> list[Drawer]:
    return file(as_alice.id, ["One.", "Two.", "Three.", "Four."])


def said(user: User, zone=UTC, year=2024) -> dict[date, Day]:
    found = year_of(user.id, year, zone)
    days = [day for month in found.months for week in month.weeks for day in week if day]
    return {day.day: day for day in days}


def test_a_year_has_each_of_its_days_once_in_weeks_that_begin_on_monday(as_alice: User):
    days = said(as_alice)

    assert list(days) == [date(2024, 1, 1) + timedelta(days=number) for number in range(366)]
    may = year_of(as_alice.id, 2024, UTC).months[4]
    assert [day and day.day.day for day in may.weeks[0]] == [None, None, 1, 2, 3, 4, 5]


def test_days_are_those_of_the_owners_clock(as_alice: User):
    file(as_alice.id, ["Late."], Spot(start=datetime(2024, 5, 7, 23, 30, tzinfo=UTC)))

    def spoken(zone) -> list[date]:
        return [day for day, each in said(as_alice, zone).items() if each.count]

    assert spoken(UTC) == [date(2024, 5, 7)]
    assert spoken(ZoneInfo("Europe/Berlin")) == [date(2024, 5, 8)]
    new_year = Spot(start=datetime(2024, 12, 31, 23, 30, tzinfo=UTC))
    file(as_alice.id, ["Happy new year."], new_year)
    assert date(2025, 1, 1) in said(as_alice, ZoneInfo("Europe/Berlin"), 2025)
    assert years_of(as_alice.id, ZoneInfo("Europe/Berlin")) == (2025, 2024)


def test_levels_and_years_count_live_drawers_of_their_owner(as_alice, drawers, bob):
    assert years_of(as_alice.id, UTC) == (2024,)
    file(as_alice.id, ["Only one."], Spot(start=MONDAY + timedelta(days=3)))
    levels = {each.count: each.level for each in said(as_alice).values()}
    assert levels == {0: 0, 1: 2, 4: 4}
    delete(as_alice.id, "drawer", drawers[0].id, MONDAY)
    assert year_of(as_alice.id, 2024, UTC).drawers == len(drawers)
    with tenant(bob.id):
        assert years_of(bob.id, UTC) == ()
        assert year_of(bob.id, 2024, UTC).drawers == 0
