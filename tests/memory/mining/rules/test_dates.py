from datetime import date, datetime, time, timedelta, timezone

import pytest

from memory.mining.rules.dates import clock_times, dates, moment
from tests.memory.mining.chats import SAID_AT


def day(text: str, *, past: bool = False) -> date | None:
    [found] = dates(text, SAID_AT, past=past)
    return found.day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on May 3", date(2024, 5, 3)),
        ("on May 3rd, 2026", date(2026, 5, 3)),
        ("the 3rd of April", date(2025, 4, 3)),
        ("2024-12-24", date(2024, 12, 24)),
        ("24.12.2024", date(2024, 12, 24)),
        ("tomorrow", date(2024, 4, 18)),
        ("the day after tomorrow", date(2024, 4, 19)),
        ("yesterday evening", date(2024, 4, 16)),
        ("on Friday", date(2024, 4, 19)),
        ("next Wednesday", date(2024, 4, 24)),
        ("last Friday", date(2024, 4, 12)),
        ("in two weeks", date(2024, 5, 1)),
        ("3 days ago", date(2024, 4, 14)),
        ("next month", date(2024, 5, 17)),
        ("in 2019", date(2019, 1, 1)),
        ("on February 29", date(2028, 2, 29)),
        ("am 3. Mai 2025", date(2025, 5, 3)),
        ("übermorgen", date(2024, 4, 19)),
        ("el 3 de mayo", date(2024, 5, 3)),
        ("demain", date(2024, 4, 18)),
        ("завтра", date(2024, 4, 18)),
        ("3 мая", date(2024, 5, 3)),
        ("明天", date(2024, 4, 18)),
        ("2025年5月3日", date(2025, 5, 3)),
        ("下周一", date(2024, 4, 22)),
    ],
)
def test_a_date_is_read_as_on_the_day_it_was_said(text, expected):
    assert day(text) == expected


def test_in_the_past_a_date_is_the_last_such_day():
    assert day("on April 3", past=True) == date(2024, 4, 3)
    assert day("on Friday", past=True) == date(2024, 4, 12)


@pytest.mark.parametrize("text", ["31 Feb 2024", "2024-13-45", "I may 3 times", "version 1.2.3", "May", ""])
def test_what_is_no_date_is_none(text):
    assert dates(text, SAID_AT) == []


def test_a_date_that_reads_both_ways_has_no_day():
    [found] = dates("on 03/04/2024", SAID_AT)
    assert (found.text, found.day) == ("03/04/2024", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 3pm", time(15)),
        ("at 12:30 a.m.", time(0, 30)),
        ("15:45", time(15, 45)),
        ("at noon", time(12)),
    ],
)
def test_times_of_day(text, expected):
    assert [clock for _, clock in clock_times(text)] == [expected]


def test_a_moment_is_in_the_zone_of_who_says_it():
    zone = timezone(timedelta(hours=9))
    [found] = dates("tomorrow at 3pm", SAID_AT.astimezone(zone))
    assert moment(found, "tomorrow at 3pm", SAID_AT.astimezone(zone)) == datetime(
        2024, 4, 18, 15, tzinfo=zone
    )


def test_places_hold_where_lower_case_is_longer_than_the_text():
    text = "İİİ tomorrow"
    [found] = dates(text, SAID_AT)
    assert text[found.start : found.end] == "tomorrow"
