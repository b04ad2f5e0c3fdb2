from datetime import UTC, date, datetime

import pytest
from django.urls import reverse

from memory.models import MemoryPreferences
from tests.html import check_page, parse
from tests.memory.pages.forms import page
from tests.memory.palaces import Spot, file, learn

MAY_6 = date(2024, 5, 6)


@pytest.fixture
def fair(bread):
    return learn(
        bread[1],
        "Porto",
        "The user visits the bread fair (2024-06-18).",
        kind="event",
        event_time=datetime(2024, 6, 18, tzinfo=UTC),
    )


def test_events_are_shown_under_their_month_and_can_be_filtered(alice_client, alice, fair, bread):
    learn(bread[2], "oven", "The user built an oven.", kind="experience")
    html = page(alice_client, "timeline")
    assert "June 2024</h2>" in html
    day = '<time datetime="2024-06-18">Tue 18</time>'
    assert day in html
    assert reverse("memory:drawer", args=[bread[1].id]) in html
    assert "Feeds a rye starter" not in html
    assert "?year=2024" in html
    assert "bread fair" in page(alice_client, "timeline", year=2024, q="FAIR", kind="event")
    assert "No matching events." in page(alice_client, "timeline", year=2023)
    assert "built an oven" not in html
    assert "?undated=1" in html
    assert "built an oven" in page(alice_client, "timeline", undated=1)
    MemoryPreferences.objects.create(user=alice, time_zone="America/Los_Angeles")
    assert day in page(alice_client, "timeline")


def test_new_home_is_shown_with_the_day_it_began(alice_client, bread):
    one = {"predicate": "lives_in", "key": "home_city", "single_valued": True, "kind": "identity"}
    learn(bread[1], "Porto", "The user lives in Porto.", valid_from=datetime(2024, 5, 3, tzinfo=UTC), **one)
    learn(bread[2], "oven", "The user works as a baker.", **one | {"key": "occupation"})
    html = page(alice_client, "timeline")
    assert 'since <time datetime="2024-05-03">Fri 3</time>' in html
    assert "You live in Porto." in html
    assert "About you · " in html
    assert "baker" not in html
    (said,) = file(bread[0].user_id, ["I work as a cook."], Spot(start=datetime(2024, 6, 1, 9, tzinfo=UTC)))
    learn(said, "cook", "The user works as a cook.", **one | {"key": "occupation"})
    assert 'said <time datetime="2024-06-01">Sat 1</time>' in page(alice_client, "timeline")


def test_invalid_filters_are_rejected(alice_client, alice):
    for query in ({"year": "x"}, {"kind": "nonsense"}, {"year": 10**9}):
        response = alice_client.get(reverse("memory:timeline", query=query))
        assert "Choose a year and a kind" in check_page(response, 422)
    assert alice_client.get(reverse("memory:timeline", query={"after": "x"})).status_code == 404


def test_a_day_with_drawers_is_marked_and_shows_them_in_the_users_time_zone(alice_client, bread, bobs):
    elements = parse(page(alice_client, "calendar")).elements
    (day,) = [e for e in elements if "day-" in e.attributes.get("class", "") and e.tag == "a"]
    assert day.attributes["aria-label"] == "6 May 2024: 3 drawers"
    assert day.attributes["href"] == reverse("memory:day", args=[MAY_6])

    html = page(alice_client, "day", MAY_6)
    assert "I feed my rye starter every morning at seven." in html
    assert "blue jar" not in html
    assert "Nothing was saved on this day." in page(alice_client, "day", date(2024, 5, 7))

    MemoryPreferences.objects.create(user_id=bread[0].user_id, time_zone="Pacific/Honolulu")
    assert "rye starter" in page(alice_client, "day", date(2024, 5, 5)), "9:00 UTC is the evening before"
    assert "rye starter" not in page(alice_client, "day", MAY_6)


def test_invalid_days_and_years_are_rejected(alice_client):
    for day in ("2024-02-30", "2024-13-01", "0001-01-01", "9999-12-31"):
        assert alice_client.get(f"/memory/timeline/{day}/").status_code == 404
    for year in ("0", "9999", "last", "99999999999999999999"):
        html = check_page(alice_client.get(reverse("memory:calendar", query={"year": year})), 422)
        assert "Enter a valid year." in html
