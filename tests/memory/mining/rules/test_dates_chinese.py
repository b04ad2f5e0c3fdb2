from datetime import UTC, date, datetime

import pytest

from memory.mining.rules.dates import dates

SAID = datetime(2025, 6, 11, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("下个月18号我搬家", date(2025, 7, 18)),
        ("六月十八號是告別式", date(2025, 6, 18)),
        ("廿三号之前，七月廿三日", date(2025, 7, 23)),
        ("大后天考试", date(2025, 6, 14)),
        ("後天考試", date(2025, 6, 13)),
        ("下週五開會", date(2025, 6, 20)),
        ("2026年1月2日", date(2026, 1, 2)),
    ],
)
def test_a_day_told_in_chinese_is_found(said, meant):
    assert [found.day for found in dates(said, SAID)] == [meant]


def test_a_day_that_does_not_exist_is_none():
    assert dates("2月30日", SAID) == []
