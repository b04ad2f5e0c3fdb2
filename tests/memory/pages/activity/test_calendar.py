from datetime import date

from django.test import Client
from django.urls import reverse

from memory.models import MemoryPreferences
from tests.html import check_page, parse

MAY_6 = date(2024, 5, 6)


def opened(client: Client, day: date = MAY_6) -> str:
    return check_page(client.get(reverse("memory:day", args=[day])))


def test_a_day_with_words_is_marked_and_shows_them_by_the_persons_own_clock(alice_client, bread, bobs):
    page = parse(check_page(alice_client.get(reverse("memory:calendar"))))
    (day,) = [e for e in page.elements if "day-" in e.attributes.get("class", "") and e.tag == "a"]
    assert day.attributes["aria-label"] == "6 May 2024: 3 drawers"
    assert day.attributes["href"] == reverse("memory:day", args=[MAY_6])

    html = opened(alice_client)
    assert "I feed my rye starter every morning at seven." in html
    assert "blue jar" not in html
    assert "Nothing of this day is kept." in opened(alice_client, date(2024, 5, 7))

    MemoryPreferences.objects.create(user_id=bread[0].user_id, time_zone="Pacific/Honolulu")
    assert "rye starter" in opened(alice_client, date(2024, 5, 5)), "9:00 UTC is the evening before"
    assert "rye starter" not in opened(alice_client)


def test_what_is_no_day_or_no_year_is_refused(alice_client, client):
    for day in ("2024-02-30", "2024-13-01", "0001-01-01", "9999-12-31"):
        assert alice_client.get(f"/memory/calendar/{day}/").status_code == 404
    for year in ("0", "9999", "last", "99999999999999999999"):
        html = check_page(alice_client.get(reverse("memory:calendar", query={"year": year})), 422)
        assert "That is no year." in html
    address = reverse("memory:day", args=[MAY_6])
    assert client.get(address).status_code == 302
    assert alice_client.post(address).status_code == 405
