from datetime import UTC, date, datetime, time, timedelta
from itertools import count

import pytest

from memory.models import Fact, MemoryPreferences
from memory.projections.timeline import (
    Choice,
    InvalidDate,
    Period,
    Precision,
    count_undated,
    precision_of,
    timeline,
    years_of,
)
from tests.cases import cases
from tests.memory.palaces import MONDAY, Spot, file, learn

NOW = MONDAY + timedelta(days=30)


def at(*parts):
    return datetime(*parts, tzinfo=UTC)


@pytest.fixture
def events(add_fact):
    def event(value, when, kind="event"):
        return add_fact("has_event", value, f"The user has this: {value}.", kind=kind, event_time=when)

    return [
        event("dentist", at(2024, 6, 18, 15)),
        event("flight to 東京", at(2024, 7, 2)),
        event("wedding", at(2023, 9, 9), "experience"),
        event("exam", at(2024, 5, 2)),
        event("parachute jump", None, "experience"),
    ]


def live_in(user, zone):
    MemoryPreferences.objects.update_or_create(user_id=user.id, defaults={"time_zone": zone})


def values(user, **chosen):
    return [each.fact.value for each in timeline(user.id, Choice(**chosen), NOW).items]


def test_events_are_listed_by_their_own_date_newest_first(as_alice, bob, events):
    found = timeline(as_alice.id, Choice(), NOW).items
    assert [(each.fact.value, each.day, each.is_coming, each.clock) for each in found] == [
        ("flight to 東京", date(2024, 7, 2), True, None),
        ("dentist", date(2024, 6, 18), True, time(15)),
        ("exam", date(2024, 5, 2), False, None),
        ("wedding", date(2023, 9, 9), False, None),
    ]
    (undated,) = timeline(as_alice.id, Choice(dated=False), NOW).items
    assert (undated.fact.value, undated.day) == ("parachute jump", MONDAY.date())
    assert count_undated(as_alice.id) == 1
    assert (years_of(as_alice.id), years_of(bob.id)) == ((2024, 2023), ())
    assert timeline(bob.id, Choice(), NOW).items == ()
    Fact.objects.filter(user_id=as_alice.id, event_time=None).update(valid_from=at(2024, 5, 1, 3))
    live_in(as_alice, "America/Los_Angeles")
    (undated,) = timeline(as_alice.id, Choice(dated=False), at(2024, 5, 1, 4)).items
    assert (undated.day, undated.is_coming) == (date(2024, 4, 30), False), "the owner's day"


def test_events_are_filtered_by_period_kind_and_words(as_alice, events, add_fact):
    for chosen, expected in (
        ({"period": Period(2023)}, ["wedding"]),
        ({"period": Period(2024, 6)}, ["dentist"]),
        ({"period": Period(2024, 7, 2)}, ["flight to 東京"]),
        ({"period": Period(2024, 7, 3)}, []),
        ({"kind": "experience"}, ["wedding"]),
        ({"words": "東京 FLIGHT"}, ["flight to 東京"]),
        ({"words": "nothing such"}, []),
    ):
        assert values(as_alice, **chosen) == expected, chosen
    add_fact("wants", "marathon", "The user wants a marathon.", kind="goal", event_time=NOW)
    add_fact("has_event", "lie", "A lie.", kind="event", event_time=NOW, review_reason="Unsure.")
    Fact.objects.filter(user_id=as_alice.id, id=events[0].id).update(status="rejected")
    assert values(as_alice) == ["flight to 東京", "exam", "wedding"]
    for parts in ((2023, 2, 29), (2024, 13), (2024, None, 3), (None, 5), (0, 1)):
        with pytest.raises(InvalidDate):
            Period(*parts)


def test_starts_that_were_stated_or_replaced_a_value_are_listed(as_alice, bob):
    def learned(predicate, value, start=None, **given):
        (said,) = file(as_alice.id, [value], Spot(start=next(moments)))
        fields = {"single_valued": True, "kind": "identity", "predicate": predicate, "key": predicate}
        fields |= {"valid_from": start or said.said_at}
        learn(said, value, f"The user {predicate} {value}.", **fields | given)

    moments = (MONDAY + timedelta(hours=number) for number in count())
    learned("named", "Mira")
    learned("lives_in", "Bergen", at(2019, 3, 1))
    learned("lives_in", "York", at(2024, 5, 3))
    learned("works_as", "baker")
    learned("works_as", "cook")
    learned("plays", "cello", at(2020, 2, 2), single_valued=False)
    learned("studies_at", "Umeå", NOW + timedelta(days=3))
    found = timeline(as_alice.id, Choice(), NOW).items
    assert [(each.fact.value, each.day, each.precision, each.is_coming, each.is_start) for each in found] == [
        ("Umeå", (NOW + timedelta(days=3)).date(), Precision.DAY, True, True),
        ("cook", MONDAY.date(), Precision.DAY, False, True),
        ("York", date(2024, 5, 3), Precision.DAY, False, True),
    ]
    assert values(as_alice, words="york") == ["York"]
    assert values(as_alice, kind="event") == values(as_alice, period=Period(2019)) == []
    assert years_of(as_alice.id) == (2024,)
    assert timeline(bob.id, Choice(), NOW).items == ()


@pytest.mark.parametrize(
    ("start", "words", "day", "precision"),
    [
        (at(2024, 5, 3), "Since 3 May I live in York.", date(2024, 5, 3), Precision.DAY),
        (at(2024, 1, 1), "Since January I live in York.", date(2024, 1, 1), Precision.MONTH),
        (at(2024, 1, 1), "Since this year I live in York.", date(2024, 1, 1), Precision.YEAR),
        (at(2024, 5, 2, 22), "I live in York.", date(2024, 5, 3), Precision.DAY),
        (at(2023, 12, 31, 23), "I live in York.", date(2024, 1, 1), Precision.YEAR),
    ],
)
def test_a_stated_start_is_listed_on_its_day_in_every_time_zone(as_alice, start, words, day, precision):
    (said,) = file(as_alice.id, [words])
    one = {"predicate": "lives_in", "key": "home_city", "single_valued": True, "kind": "identity"}
    learn(said, words, "The user lives in York.", valid_from=start, **one)
    live_in(as_alice, "Europe/Berlin")
    (found,) = timeline(as_alice.id, Choice(Period(day.year)), NOW).items
    assert (found.day, found.precision, found.clock) == (day, precision, None)
    assert years_of(as_alice.id) == (day.year,)
    live_in(as_alice, "America/Los_Angeles")
    (found,) = timeline(as_alice.id, Choice(), NOW).items
    assert found.day == (day if start.hour == 0 else start.date())


@pytest.mark.parametrize(
    ("zone", "now", "upcoming"),
    [
        ("America/Los_Angeles", at(2024, 7, 2, 6), {"flight to 東京"}),
        ("America/Los_Angeles", at(2024, 7, 2, 7), set()),
        ("Asia/Tokyo", at(2024, 7, 1, 14), {"flight to 東京"}),
        ("Asia/Tokyo", at(2024, 7, 1, 15), set()),
        ("Asia/Tokyo", at(2024, 6, 18, 5), {"flight to 東京", "dentist"}),
        ("Asia/Tokyo", at(2024, 6, 18, 6), {"flight to 東京"}),
    ],
)
def test_events_are_upcoming_until_their_day_or_time_where_the_owner_lives(
    as_alice, events, zone, now, upcoming
):
    live_in(as_alice, zone)
    found = timeline(as_alice.id, Choice(), now).items
    assert {each.fact.value for each in found if each.is_coming} == upcoming


def test_precision_of_a_date_follows_its_wording(subtests):
    (lines,) = cases(__file__, "precisions.txt").values()
    for line in lines:
        moment, statement, precision = line.split(" | ")
        with subtests.test(line):
            found = precision_of(datetime.fromisoformat(f"{moment}Z"), statement)
            assert found is Precision[precision.upper()]
