from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.models import Drawer, MemoryPreferences
from tests.html import check_page, parse
from tests.memory.palaces import Spot, file

MAY_6 = date(2024, 5, 6)


def opened(client: Client, day: date = MAY_6) -> str:
    return check_page(client.get(reverse("memory:day", args=[day])))


def test_a_day_with_words_is_marked_and_leads_to_them(alice_client: Client, bread: list[Drawer]):
    page = parse(check_page(alice_client.get(reverse("memory:calendar"))))
    days = [e for e in page.elements if "day-" in e.attributes.get("class", "") and e.tag == "a"]

    assert [e.attributes["aria-label"] for e in days] == ["6 May 2024: 3 drawers"]
    assert days[0].attributes["href"] == reverse("memory:day", args=[MAY_6])


def test_a_day_shows_its_words_and_no_others(alice_client: Client, bread: list[Drawer], bobs: list[Drawer]):
    html = opened(alice_client)

    assert "I feed my rye starter every morning at seven." in html
    assert "blue jar" not in html
    assert "Nothing of this day is kept." in opened(alice_client, date(2024, 5, 7))


def test_a_day_is_the_persons_own(alice_client: Client, as_alice: User, bread: list[Drawer]):
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Pacific/Honolulu")

    # Nine o'clock UTC is still the evening before there.
    assert "rye starter" in opened(alice_client, date(2024, 5, 5))
    assert "rye starter" not in opened(alice_client)


@pytest.mark.parametrize("day", ["2024-02-30", "2024-13-01", "0001-01-01", "9999-12-31"])
def test_what_is_no_day_is_not_found(alice_client: Client, day: str):
    assert alice_client.get(f"/memory/calendar/{day}/").status_code == 404


@pytest.mark.parametrize("year", ["0", "9999", "last", "99999999999999999999"])
def test_what_is_no_year_is_said(alice_client: Client, year: str):
    html = check_page(alice_client.get(reverse("memory:calendar", query={"year": year})), 422)

    assert "That is no year." in html


def test_a_day_needs_somebody_and_is_only_read(client: Client, alice_client: Client):
    address = reverse("memory:day", args=[MAY_6])

    assert client.get(address).status_code == 302
    assert alice_client.post(address).status_code == 405


def test_a_year_full_of_words_is_a_small_page(alice_client: Client, as_alice: User, bread: list[Drawer]):
    for number in range(0, 364, 7):
        start = datetime(2024, 1, 1, 12, tzinfo=UTC) + timedelta(days=number)
        file(as_alice.id, ["Hello."], Spot(start=start))
    page = check_page(alice_client.get(reverse("memory:calendar")))
    mark = page.index('<a class="day ')
    one = len(page[mark : page.index("</a>", mark)])

    assert len(page) + 366 * one < 100_000
