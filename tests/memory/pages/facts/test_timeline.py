from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from memory.models import Drawer, Fact, MemoryPreferences
from memory.projections import timeline
from tests.html import check_page, parse
from tests.memory.page_sizes import shorten
from tests.memory.palaces import learn


@pytest.fixture
def fair(bread: list[Drawer]) -> Fact:
    return learn(
        bread[1],
        "Porto",
        "The user visits the bread fair (2024-06-18).",
        kind="event",
        event_time=datetime(2024, 6, 18, tzinfo=UTC),
    )


def shown(client: Client, **query: object) -> str:
    return check_page(client.get(reverse("memory:timeline", query=query)))


def test_events_stand_under_their_month_with_their_words(
    alice_client: Client, fair: Fact, bread: list[Drawer]
):
    html = shown(alice_client)

    assert "June 2024</h2>" in html
    assert '<time datetime="2024-06-18">Tuesday, 18 June 2024</time>' in html
    assert reverse("memory:drawer", args=[bread[1].id]) in html
    assert "Feeds a rye starter" not in html


def test_a_day_stays_that_day_in_any_time_zone(alice_client: Client, alice: User, fair: Fact):
    MemoryPreferences.objects.create(user=alice, time_zone="America/Los_Angeles")

    assert '<time datetime="2024-06-18">' in shown(alice_client)


def test_filters_are_links_and_a_form(alice_client: Client, fair: Fact):
    html = shown(alice_client)
    assert "?year=2024" in html
    assert "bread fair" in shown(alice_client, year=2024, q="FAIR", kind="event")
    assert "Nothing of that kind." in shown(alice_client, year=2023)


def test_zooming_in_goes_from_years_over_months_to_days_and_out_again(alice_client: Client, fair: Fact):
    assert "?year=2024" in shown(alice_client)
    year = shown(alice_client, year=2024)
    assert "?year=2024&amp;month=6" in year
    assert "month=5" not in year, "nothing to see there"
    month = shown(alice_client, year=2024, month=6)
    assert 'aria-label="18 June 2024: 1"' in month
    day = shown(alice_client, year=2024, month=6, day=18)
    assert "bread fair" in day
    (out,) = [e for e in parse(day).elements if e.attributes.get("href") == "?year=2024&month=6"]
    assert out.words == "June"
    assert "bread fair" not in shown(alice_client, year=2024, month=6, day=19)


def test_undated_experiences_are_one_click_away(alice_client: Client, bread: list[Drawer]):
    learn(bread[2], "oven", "The user built an oven.", kind="experience")

    assert "built an oven" not in shown(alice_client)
    assert "?undated=1" in shown(alice_client)
    assert "built an oven" in shown(alice_client, undated=1)


@pytest.mark.parametrize(
    "query",
    [
        {"year": "x"},
        {"kind": "nonsense"},
        {"year": 10**9},
        {"year": 2023, "month": 2, "day": 29},
        {"month": 3},
    ],
)
def test_what_cannot_be_looked_for_is_said(alice_client: Client, alice: User, query: dict):
    response = alice_client.get(reverse("memory:timeline", query=query))

    assert "cannot be looked for" in check_page(response, 422)


def test_an_unreadable_cursor_is_not_there(alice_client: Client, fair: Fact):
    response = alice_client.get(reverse("memory:timeline", query={"after": "x"}))

    assert response.status_code == 404


def test_a_long_timeline_goes_on(
    alice_client: Client,
    bread: list[Drawer],
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
):
    shorten(monkeypatch, timeline.timeline, 3)
    for day in range(1, 8):
        when = datetime(2024, 5, day, tzinfo=UTC)
        learn(bread[0], "rye", f"Event number {day}.", kind="event", event_time=when)

    seen, query = [], "?year=2024"
    with django_assert_max_num_queries(45):
        while query:
            page = parse(check_page(alice_client.get(reverse("memory:timeline") + query)))
            seen += [e.words.strip() for e in page.elements if e.tag == "p" and "number" in e.words]
            following = [e for e in page.elements if e.attributes.get("rel") == "next"]
            query = following[0].attributes["href"] if following else ""

    assert seen == [f"Event number {day}." for day in range(7, 0, -1)]
