"""When facts begin, end and happen."""

from datetime import UTC, datetime

import pytest

from tests.memory.mining.reader.scripted import read


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("My boss, Priya, is leaving in March", ("Priya", "reports_to")),
        ("My boss Maria quit in March", ("Maria", "reports_to")),
        ("My daughter Freya starts school in August", ("Freya", "parent_of")),
        ("I want to lose weight by August", ("lose weight", "wants")),
        ("I am a butcher, and went veggie last year", ("butcher", "works_as")),
    ],
)
def test_dates_of_something_else_do_not_begin_a_fact(words, seen):
    [fact] = read(words, seen)
    assert fact.valid_from is None


@pytest.mark.parametrize(
    ("words", "value", "predicate", "since"),
    [
        ("I have lived in Leeds since March 2019", "Leeds", "lives_in", "2019-03-01"),
        ("Ich wohne seit 2019 in Leeds", "Leeds", "lives_in", "2019-01-01"),
        ("I moved to Leeds in May", "Leeds", "lives_in", "2026-05-01"),
        ("I live in Leeds", "Leeds", "lives_in", None),
        ("On Monday 3 May 2021 it rained and I live in Leeds", "Leeds", "lives_in", None),
        ("Home has been Leeds since the end of March", "Leeds", "lives_in", "2026-03-21"),
    ],
)
def test_the_start_of_a_fact_is_read_from_its_sentence(words, value, predicate, since):
    [fact] = read(words, (value, predicate))
    assert (fact.valid_from and fact.valid_from.date().isoformat()) == since


def test_an_event_has_its_day_and_time():
    [fact] = read("I see the dentist on Friday at 3pm", ("dentist", "has_event"))
    assert fact.event_time == datetime(2026, 11, 27, 15, tzinfo=UTC)
    assert fact.statement == "The user said: “I see the dentist on Friday at 3pm” (2026-11-27)."
    assert fact.key == "event_dentist_2026_11_27"
    [past] = read("I ran the marathon last year", ("ran the marathon", "experienced"))
    assert past.statement.endswith("(about 2025).")


def test_an_ended_fact_is_marked_and_dated():
    former, fact = read("I left Opel in May", ("Opel", "works_at"), ended=True)
    assert (former.predicate, former.ended, former.event_time) == (
        "worked_at",
        False,
        datetime(2026, 5, 1, tzinfo=UTC),
    )
    assert (fact.predicate, fact.ended, fact.valid_to) == ("works_at", True, datetime(2026, 6, 1, tzinfo=UTC))


def test_a_past_stay_has_a_start_and_an_end():
    fact, _ = read("I lived in Rome from 2016 to 2019", ("Rome", "lived_in"))
    assert (fact.valid_from.year, fact.valid_to) == (2016, datetime(2020, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("words", "statement", "day"),
    [
        ("I ran the marathon last year", "“I ran the marathon last year” (about 2025).", "2025-01-01"),
        (
            "I ran the marathon last November",
            "“I ran the marathon last November” (about 2025-11).",
            "2025-11-01",
        ),
        (
            "I ran the marathon two years ago",
            "“I ran the marathon two years ago” (about 2024-11).",
            "2024-11-01",
        ),
        ("I ran the marathon a few years ago", "“I ran the marathon a few years ago”", None),
    ],
)
def test_experiences_are_dated_as_precisely_as_they_are_told(words, statement, day):
    [fact] = read(words, ("ran the marathon", "experienced"))
    assert fact.statement == f"The user said: {statement}"
    assert (fact.event_time and fact.event_time.date().isoformat()) == day


def test_an_event_next_week_is_not_over():
    [fact] = read("I have a wedding next week", ("wedding", "has_event"))
    assert fact.event_time == datetime(2026, 11, 30, tzinfo=UTC)


def test_a_question_with_a_date_is_unsure():
    [fact] = read("Did I mention I broke my arm yesterday?", ("broke my arm", "experienced"))
    assert fact.statement.endswith(").")
    assert fact.unsure


@pytest.mark.parametrize(
    ("words", "value", "predicate", "day"),
    [
        ("Then I start at Roche on 8 December, at last", "Roche", "works_at", "2026-12-08"),
        ("Ab Januar arbeite ich bei Roche", "Roche", "works_at", "2027-01-01"),
        ("С января я буду работать в Сбере", "Сбере", "works_at", "2027-01-01"),
        ("Empiezo en Indra en abril de 2027", "Indra", "works_at", "2027-04-01"),
    ],
)
def test_a_job_that_begins_later_is_an_event(words, value, predicate, day):
    [fact] = read(words, (value, predicate))
    assert (fact.predicate, fact.valid_from, fact.event_time.date().isoformat()) == ("has_event", None, day)


@pytest.mark.parametrize(
    ("words", "value", "predicate"),
    [
        ("I am Ann, and I live since 2019 in Dublin", "Ann", "named"),
        ("Ein Hund, Bruno, und seit Mai auch die Katze", "Bruno", "has_pet"),
        ("I live since 2019 in Dublin with my wife Kasia", "Kasia", "married_to"),
        ("J'habite à Lyon depuis 2019, avant à Lille", "Lille", "lived_in"),
    ],
)
def test_a_since_in_another_clause_begins_nothing(words, value, predicate):
    fact, *_ = read(words, (value, predicate))
    assert (fact.valid_from, fact.event_time) == (None, None)
