from datetime import UTC, datetime

import pytest

from transfer.importing.values import moment

NOON = datetime(2025, 4, 18, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        1744977600,
        1744977600.0,
        "1744977600",
        " 1744977600.0 ",
        1744977600000,
        "2025-04-18T12:00:00Z",
        "2025-04-18T14:00:00+02:00",
        "2025-04-18 12:00:00",
    ],
)
def test_every_way_of_writing_a_time_gives_the_same_moment(written):
    read = moment(written)
    assert read == NOON
    assert read.tzinfo is UTC


def test_fractions_of_a_second_survive():
    assert moment(1744977600.25) == NOON.replace(microsecond=250_000)


@pytest.mark.parametrize(
    "written",
    [
        None,
        True,
        0,
        -5,
        float("nan"),
        float("inf"),
        10**30,
        "9" * 400,
        "",
        "yesterday",
        "0001-01-01T00:00:00+23:00",
        [1744977600],
        {},
    ],
)
def test_what_is_no_time_is_none(written):
    assert moment(written) is None
