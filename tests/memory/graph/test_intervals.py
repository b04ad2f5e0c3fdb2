from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.graph.intervals import Claim
from memory.graph.intervals import windows as every_window

START = datetime(2024, 1, 1, tzinfo=UTC)
DAYS = range(9)


def day(number):
    return START + timedelta(days=number)


def claim(target, at, *, ends=False, until=None, single=True):
    return Claim(
        value=target,
        name=target,
        at=day(at),
        until=None if until is None else day(until),
        ends=ends,
        exclusive=single and not ends,
        evidence=None,
    )


def windows(claims):
    return [window for window in every_window(claims) if not window.is_empty]


def as_days(*claims):
    return [
        (each.value, (each.start - START).days, each.end and (each.end - START).days)
        for each in windows(claims)
    ]


CLAIMS = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from(DAYS), st.booleans(), st.integers(0, 4)), max_size=9
)


@pytest.mark.parametrize("single", [True, False])
@given(given=CLAIMS)
def test_the_latest_claimed_value_holds_at_every_moment(given, single):
    """Compared with a naive computation for each day. Claims of the third value always have an end."""
    claims = [
        claim(target, at, ends=ends, until=at + lasts + 1 if target == 3 else None, single=single)
        for target, at, ends, lasts in sorted(given, key=lambda each: each[1])
    ]
    found = windows(claims)
    for number in DAYS:
        now = day(number)
        values = [w.value for w in found if w.start <= now and (w.end is None or now < w.end)]
        assert sorted(values) == sorted(_expected_values(claims, now, single))


def _expected_values(claims, now, single):
    current = {}
    for each in claims:
        if each.at > now:
            break
        expired = [target for target, until in current.items() if until and until <= each.at]
        for target in expired:
            del current[target]
        if each.ends:
            current.pop(each.value, None)
            continue
        until = max(filter(None, (each.until, current.get(each.value))), default=None)
        current = {each.value: until} if single else {**current, each.value: until}
    return [target for target, until in current.items() if until is None or now < until]


@given(given=CLAIMS)
def test_windows_of_one_value_do_not_overlap_and_each_has_claims(given):
    claims = [
        claim(target, at, ends=ends, until=at + lasts if lasts else None, single=lasts % 2 == 0)
        for target, at, ends, lasts in sorted(given, key=lambda each: each[1])
    ]
    found = windows(claims)
    for one in found:
        assert one.claims
        assert one.start == min(each.at for each in one.claims)
        later = [w for w in found if w.value == one.value and w.start > one.start]
        assert all(one.end is not None and one.end <= each.start for each in later)


MANY = [claim(1, 0, single=False), claim(2, 3, single=False)]


@pytest.mark.parametrize(
    ("claims", "windows"),
    [
        ([*MANY, claim(3, 5)], [(1, 0, None), (2, 3, None), (3, 5, None)]),
        ([replace(claim(1, 0), firm=True), claim(1, 3, until=5)], [(1, 0, None)]),
        ([claim(1, 0, until=9), claim(1, 3, until=5)], [(1, 0, 9)]),
        ([claim(1, 0), claim(1, 2, until=6)], [(1, 0, 6)]),
        ([claim(1, 0, until=4), claim(1, 5)], [(1, 0, 4), (1, 5, None)]),
        ([claim(1, 3, until=3)], [(1, 3, 3)]),
        ([claim(2, 0), claim(1, 3, until=3)], [(2, 0, None), (1, 3, 3)]),
        ([claim(1, 0), claim(1, 3, until=3)], [(1, 0, 3)]),
        ([claim(1, 3, until=3), claim(1, 3)], [(1, 3, None)]),
        ([claim(1, 0), claim(2, 0), claim(1, 0)], [(1, 0, None)]),
        ([claim(1, 0), claim(2, 0)], [(2, 0, None)]),
        ([claim(1, 0), claim(1, 3, until=5), claim(2, 9)], [(1, 0, 9), (2, 9, None)]),
        ([claim(1, 0), replace(claim(2, 5), track="another key")], [(1, 0, None), (2, 5, None)]),
    ],
    ids=[
        *("multiple values beside a single one", "firm outlasts bounded"),
        *("the later end", "repeated with an end", "repeated after an end", "empty"),
        *("empty beside another", "empty ends a value", "empty, then open", "repeated at one instant"),
        *("two values at one instant", "bounded inside open leaves no gap", "other tracks"),
    ],
)
def test_windows_computed_from_claims(claims, windows):
    assert as_days(*claims) == windows
