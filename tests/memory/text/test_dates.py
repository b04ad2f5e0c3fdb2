"""Dates, spans of time and festivals are read from messages in six languages."""

import time
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.dates import DateSpan, closeness, closeness_of_events, read_span, read_time, read_upcoming
from tests.cases import cases

TODAY = date(2023, 5, 31)
assert TODAY.strftime("%A") == "Wednesday"


READERS = {"span": read_span, "time": read_time, "upcoming": read_upcoming}
CASES = cases(__file__, "dates.txt")


@pytest.mark.parametrize(
    "heading", [heading for heading in CASES if heading.startswith(("span, ", "time, ", "upcoming, "))]
)
def test_dates_and_spans_are_read_in_six_languages(heading):
    read = READERS[heading.partition(", ")[0]]
    for message, days in (line.rsplit(": ", 1) for line in CASES[heading]):
        first, *rest = map(date.fromisoformat, days.split(" to "))
        span = read(message, TODAY)
        assert span is not None, message
        assert (span.start, span.end) == (first, rest[0] if rest else first + timedelta(days=1)), message
        assert span.words
        assert span.words in message


@pytest.mark.parametrize("kind", ["span", "time"])
def test_other_words_are_not_read_as_dates(kind):
    read = READERS[kind]
    assert [each for each in CASES[f"no {kind}"] if read(each, TODAY)] == []
    assert read("", TODAY) is None


def test_events_are_close_to_a_span_if_they_happened_in_it():
    span = DateSpan(date(2023, 5, 16), date(2023, 5, 18), "then", 4)
    assert closeness_of_events(("two weeks ago", "8am"), TODAY, span) == 1.0
    assert closeness_of_events(("on 14 May",), TODAY, span) == 0.5
    for times in (
        ("today", "in two days"),
        ("next Friday",),
        ("over the past three months",),
        ("soon", ""),
        (),
    ):
        assert closeness_of_events(times, TODAY, span) == 0.0


def test_turns_of_the_year_leap_days_and_movable_festivals():
    for line in CASES["read | message | today | first day"]:
        kind, message, today, first = line.split(" | ")
        span = READERS[kind](message, date.fromisoformat(today))
        assert (str(span.start) if span else "-") == first, line


def test_the_most_precise_date_of_a_message_is_read():
    for message, words in (
        ("How many days before 3 May did I call, not last week?", "3 May"),
        ("What did I buy yesterday at the March fair?", "yesterday"),
        ("I read last year's report 2 weeks ago", "2 weeks ago"),
    ):
        assert read_span(message, TODAY).words == words


def test_vaguer_dates_have_a_wider_tolerance():
    messages = ["yesterday", "ten days ago", "two weeks ago", "two months ago", "two years ago"]
    widths = [read_span(message, TODAY).tolerance_days for message in messages]
    assert widths == sorted(set(widths))


def test_closeness_is_one_inside_and_fades_outside_more_slowly_after_the_span():
    span = DateSpan(date(2023, 5, 10), date(2023, 5, 12), "", tolerance_days=4)
    near = [closeness(date(2023, 5, day), span) for day in range(5, 20)]
    assert near[:8] == [0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 0.875]
    assert near[8:] == [0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0.0]


DATED = st.builds(
    str.format,
    st.sampled_from(["{} days ago", "{} weeks ago", "{}.{}.{}", "{2}-{1}-{0}", "{2}年{1}月{0}日"]),
    *(st.integers(0, largest) for largest in (999, 99, 9999)),
)


@given(st.text(max_size=200) | DATED, st.dates())
def test_any_text_on_any_day_is_read_without_failing(message, today):
    span = read_span(message, today)
    if span is not None:
        assert span.start < span.end
        assert closeness(span.start, span) == 1.0
        assert closeness(span.end - timedelta(days=1), span) == 1.0


WORDS = st.sampled_from(
    """between from since before after until March May and to 2023 Easter Christmas 3 two Fridays ago the last
    week zwischen und seit vor nach bis entre y et с до по 从 到 上上周 春节 3月 31""".split()  # noqa: SIM905
)


@given(st.lists(WORDS, max_size=14).map(" ".join), st.dates())
def test_any_mixture_of_words_gives_a_bounded_span_or_none(message, today):
    span = read_time(message, today)
    assert span is None or (span.start < span.end and span.tolerance_days >= 0)


def test_long_messages_are_read_quickly():
    for piece in ("between ", "from a to ", "since ", "vor ", "从到", "3月", "до ", "two ", "the week ", "1"):
        started = time.process_time()
        read_time((piece * 20_000)[:20_000], TODAY)
        assert time.process_time() - started < 3
