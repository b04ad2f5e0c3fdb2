"""From when until when something held."""

from datetime import UTC, datetime

import pytest

from memory.mining.rules.dates import dates
from memory.mining.rules.periods import began, ended, lasted, since

# A Thursday.
SAID_AT = datetime(2024, 9, 12, 19, 45, tzinfo=UTC)


def on(year: int, month: int = 1, day: int = 1) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("I have lived here since 2019", on(2019)),
        ("As of September I work part-time", on(2024, 9)),
        ("As of November I work part-time", on(2024, 11)),
        ("As of January I live in Rome", on(2024, 1)),
        ("I've eaten fish since the beginning of June", on(2024, 6)),
        ("I've been here since the end of March", on(2024, 3, 31)),
        ("We are here since Monday", on(2024, 9, 9)),
        ("I've been vegan since November", on(2023, 11)),
        ("Ich wohne seit Juni in Wien", on(2024, 6)),
        ("I met her in June", None),
        ("I live in Rome", None),
    ],
)
def test_what_holds_since_when(words, expected):
    assert since(words, SAID_AT) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("We moved on Saturday", on(2024, 9, 7)),
        ("I started yesterday", on(2024, 9, 11)),
        ("We moved on 30 March", on(2024, 3, 30)),
        ("We moved in spring", None),
    ],
)
def test_a_change_took_place_on_the_day_that_is_told(words, expected):
    assert began(words, SAID_AT) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("he died on Friday", on(2024, 9, 6)),
        ("he died in July", on(2024, 8)),
        ("he died in 2020", on(2021)),
        ("he died in September", SAID_AT),
        ("he died", None),
    ],
)
def test_a_month_is_over_when_the_next_one_begins(words, expected):
    assert ended(dates(words, SAID_AT, past=True), SAID_AT) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("I worked there from 2016 to 2019", (on(2016), on(2020))),
        ("I lived there from 2019 until March", (on(2019), on(2024, 4))),
        ("I lived there between March 2010 and May 2012", (on(2010, 3), on(2012, 6))),
        ("I lived there from June to August", (on(2024, 6), on(2024, 9))),
        ("I lived there from 2019 to 2016", None),
        ("I drove from Rome to Milan", None),
    ],
)
def test_how_long_something_lasted(words, expected):
    found = lasted(words, SAID_AT)
    assert (found and (found.start, found.end)) == expected
