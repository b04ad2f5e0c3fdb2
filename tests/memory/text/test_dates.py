"""Dates, spans of time and festivals are read from messages in six languages."""

import time
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.dates import DateSpan, closeness, closeness_of_events, read_span, read_time

TODAY = date(2023, 5, 31)
assert TODAY.strftime("%A") == "Wednesday"

SPANS = {
    "English": """
        on 2023-03-12 we met: 2023-03-12 | 12 March 2023: 2023-03-12 | March 12, 2023: 2023-03-12 |
        12th of March: 2023-03-12 | March 12: 2023-03-12 |
        What did I do in March?: 2023-03-01 to 2023-04-01 | back in 2022: 2022-01-01 to 2023-01-01 |
        2022: 2022-01-01 to 2023-01-01 | 12.03.2023: 2023-03-12 | 03/25/2023: 2023-03-25 |
        25/03/2023: 2023-03-25 | yesterday: 2023-05-30 | the day before yesterday: 2023-05-29 |
        today: 2023-05-31 | last week: 2023-05-22 to 2023-05-29 | this month: 2023-05-01 to 2023-06-01 |
        last year: 2022-01-01 to 2023-01-01 | this year: 2023-01-01 to 2024-01-01 |
        three weeks ago: 2023-05-09 to 2023-05-12 | a couple of days ago: 2023-05-28 to 2023-05-31 |
        a few months ago: 2022-11-29 to 2023-04-01 | 10 days ago: 2023-05-21 |
        a week ago: 2023-05-23 to 2023-05-26 | two years ago: 2021-04-16 to 2021-07-16 |
        a year and a half ago: 2021-10-15 to 2022-01-14 | half a year ago: 2022-10-15 to 2023-01-14 |
        last Tuesday: 2023-05-30 | on Monday: 2023-05-29 | last spring: 2022-03-01 to 2022-06-01 |
        last summer: 2022-06-01 to 2022-09-01 | last winter: 2022-12-01 to 2023-03-01 |
        in the summer of 2021: 2021-06-01 to 2021-09-01 | summer 2021: 2021-06-01 to 2021-09-01 |
        last weekend: 2023-05-27 to 2023-05-29 | in the past two weeks: 2023-05-17 to 2023-06-01 |
        in the last 10 days: 2023-05-21 to 2023-06-01 | over the past few months: 2023-01-29 to 2023-06-01 |
        in the last month: 2023-05-01 to 2023-06-01 | the past month: 2023-05-01 to 2023-06-01 |
        in the last 3 months: 2023-03-01 to 2023-06-01""",
    "German": """
        gestern: 2023-05-30 | vor drei Wochen: 2023-05-09 to 2023-05-12 |
        vor einem Monat: 2023-04-26 to 2023-05-07 | letzte Woche: 2023-05-22 to 2023-05-29 |
        letzten Montag: 2023-05-29 | am Dienstag: 2023-05-30 | im März: 2023-03-01 to 2023-04-01 |
        im letzten Jahr: 2022-01-01 to 2023-01-01 | 12. März 2023: 2023-03-12 | am 12.03.: 2023-03-12 |
        letzten Sommer: 2022-06-01 to 2022-09-01 | vor ein paar Tagen: 2023-05-25 to 2023-05-30""",
    "Spanish": """
        ayer: 2023-05-30 | hace dos semanas: 2023-05-16 to 2023-05-19 |
        la semana pasada: 2023-05-22 to 2023-05-29 | el mes pasado: 2023-04-01 to 2023-05-01 |
        el lunes pasado: 2023-05-29 | el 12 de marzo de 2023: 2023-03-12 |
        en marzo: 2023-03-01 to 2023-04-01 | el verano pasado: 2022-06-01 to 2022-09-01 |
        en las últimas dos semanas: 2023-05-17 to 2023-06-01""",
    "French": """
        hier: 2023-05-30 | il y a trois jours: 2023-05-28 | la semaine dernière: 2023-05-22 to 2023-05-29 |
        le mois dernier: 2023-04-01 to 2023-05-01 | l'année dernière: 2022-01-01 to 2023-01-01 |
        lundi dernier: 2023-05-29 | l'été dernier: 2022-06-01 to 2022-09-01 | le 12 mars: 2023-03-12 |
        en mars: 2023-03-01 to 2023-04-01""",
    "Russian": """
        вчера: 2023-05-30 | позавчера: 2023-05-29 | три недели назад: 2023-05-09 to 2023-05-12 |
        неделю назад: 2023-05-23 to 2023-05-26 | на прошлой неделе: 2023-05-22 to 2023-05-29 |
        в прошлом месяце: 2023-04-01 to 2023-05-01 | в прошлом году: 2022-01-01 to 2023-01-01 |
        в прошлый вторник: 2023-05-30 | во вторник: 2023-05-30 | 12 марта 2023: 2023-03-12 |
        в марте: 2023-03-01 to 2023-04-01 | прошлым летом: 2022-06-01 to 2022-09-01 |
        за последние три месяца: 2023-03-01 to 2023-06-01 | пару дней назад: 2023-05-25 to 2023-05-30""",
    "Chinese": """
        昨天: 2023-05-30 | 前天我去了哪里: 2023-05-29 | 三天前: 2023-05-28 |
        两个星期前: 2023-05-16 to 2023-05-19 | 三个月前: 2023-02-24 to 2023-03-07 |
        几个月前: 2022-11-29 to 2023-04-01 | 上周: 2023-05-22 to 2023-05-29 |
        上个月: 2023-04-01 to 2023-05-01 | 去年: 2022-01-01 to 2023-01-01 |
        去年夏天: 2022-06-01 to 2022-09-01 | 上周三: 2023-05-24 | 周三我做了什么: 2023-05-24 |
        2023年3月12日: 2023-03-12 | 3月12日: 2023-03-12 | 3月: 2023-03-01 to 2023-04-01 |
        2022年: 2022-01-01 to 2023-01-01 | 过去两周: 2023-05-17 to 2023-06-01 |
        半年前: 2022-10-15 to 2023-01-14 | 一年前: 2022-04-16 to 2022-07-16""",
}
NO_SPANS = """
    how many days ago did I buy a smoker? | how long ago did I move? | How many weeks ago did I attend |
    What time do I wake up on Tuesdays and Thursdays? | on Saturday mornings | You may go march |
    it may rain in 5 days | I paid $2000 | 2000 calories | next week | the last day of the trip |
    my last year of college | 31.02.2023 | 9999999 years ago | every Tuesday | the other day |
    I have two years of experience | on my way back | The last time we spoke | what is the sept thing |
    多少天前我买了 | see you tomorrow | What shall I cook tonight? | this weekend |
    version 1.2.3 of the tool | the Spring Fling Market | in the Spring Fling Market | I met May and April |
    chapter 12.03 | 每周三我去游泳 | 下周三 | 我去周末市场"""
TIMES = {
    "English": """
        What did I do between March and May?: 2023-03-01 to 2023-06-01 |
        between June and August: 2022-06-01 to 2022-09-01 |
        between November and January: 2022-11-01 to 2023-02-01 |
        from April to July: 2022-04-01 to 2022-08-01 | from 3 May to 9 May 2023: 2023-05-03 to 2023-05-10 |
        between 2019 and 2021: 2019-01-01 to 2022-01-01 | since Christmas: 2022-12-24 to 2023-06-01 |
        What have I read since March?: 2023-03-01 to 2023-06-01 | since 2019: 2019-01-01 to 2023-06-01 |
        before 2023: 2021-01-01 to 2023-01-01 | after 3 May: 2023-05-04 to 2023-06-01 |
        before Easter: 2023-01-07 to 2023-04-07 | until March: 2023-01-01 to 2023-04-01 |
        the weekend before last: 2023-05-20 to 2023-05-22 | the week before last: 2023-05-15 to 2023-05-22 |
        the month before last: 2023-03-01 to 2023-04-01 | the year before last: 2021-01-01 to 2022-01-01 |
        two Fridays ago: 2023-05-19 | three weekends ago: 2023-05-13 to 2023-05-15 |
        at Christmas: 2022-12-24 to 2022-12-27 | at Easter: 2023-04-07 to 2023-04-11 |
        on New Year's Eve: 2022-12-31 to 2023-01-02 | at Christmas 2020: 2020-12-24 to 2020-12-27 |
        on Thanksgiving: 2022-11-24 | on Valentine's Day: 2023-02-14 |
        Christmas of last year: 2022-12-24 to 2022-12-27 | three days before 3 May: 2023-05-03 |
        yesterday: 2023-05-30""",
    "German": """
        zwischen März und Mai: 2023-03-01 to 2023-06-01 |
        vom 3. Mai bis zum 9. Mai 2023: 2023-05-03 to 2023-05-10 |
        seit Weihnachten: 2022-12-24 to 2023-06-01 | seit März: 2023-03-01 to 2023-06-01 |
        vor 2023: 2021-01-01 to 2023-01-01 | nach Ostern: 2023-04-11 to 2023-06-01 |
        vorletztes Wochenende: 2023-05-20 to 2023-05-22 | vorletzte Woche: 2023-05-15 to 2023-05-22 |
        vor zwei Freitagen: 2023-05-19 | an Silvester: 2022-12-31 to 2023-01-02 |
        vor drei Wochen: 2023-05-09 to 2023-05-12 | Weihnachten letztes Jahr: 2022-12-24 to 2022-12-27""",
    "Spanish": """
        entre marzo y mayo: 2023-03-01 to 2023-06-01 | desde marzo: 2023-03-01 to 2023-06-01 |
        antes de 2023: 2021-01-01 to 2023-01-01 | la semana antepasada: 2023-05-15 to 2023-05-22 |
        hace dos viernes: 2023-05-19 | en Navidad: 2022-12-24 to 2022-12-27""",
    "French": """
        entre mars et mai: 2023-03-01 to 2023-06-01 | depuis mars: 2023-03-01 to 2023-06-01 |
        avant 2023: 2021-01-01 to 2023-01-01 | après Pâques: 2023-04-11 to 2023-06-01 |
        il y a deux vendredis: 2023-05-19 | à Noël: 2022-12-24 to 2022-12-27""",
    "Russian": """
        между мартом и маем: 2023-03-01 to 2023-06-01 | с марта по май: 2023-03-01 to 2023-06-01 |
        с марта: 2023-03-01 to 2023-06-01 | до 2023 года: 2021-01-01 to 2023-01-01 |
        после пасхи: 2023-04-18 to 2023-06-01 | на позапрошлой неделе: 2023-05-15 to 2023-05-22 |
        две пятницы назад: 2023-05-19 | на Новый год: 2022-12-31 to 2023-01-02""",
    "Chinese": """
        从3月到5月我在哪里: 2023-03-01 to 2023-06-01 | 自2019年以来: 2019-01-01 to 2023-06-01 |
        2023年之前: 2021-01-01 to 2023-01-01 | 上上周: 2023-05-15 to 2023-05-22 |
        上上个月: 2023-03-01 to 2023-04-01 | 前年: 2021-01-01 to 2022-01-01 |
        春节的时候: 2023-01-22 to 2023-01-29 | 去年春节: 2022-02-01 to 2022-02-08""",
}
NO_TIMES = """
    between you and me | from nine to five | since you ask | before I go to bed | after the rain |
    the chapter before last | next Christmas | an nächsten Ostern | seit langem | vor dem Haus | bis dann |
    antes de comer | avant de partir | de Madrid a Barcelona | de Paris à Lyon | с мамой | до дома |
    после обеда | 从北京到上海 | 以前 | 饭前 | two cats ago"""


def cases(table: dict[str, str]) -> dict[str, list[tuple[str, ...]]]:
    """The messages of each language with their first day and the day after their last."""
    found = {}
    for language, rows in table.items():
        pairs = [row.strip().rpartition(": ")[::2] for row in rows.split("|")]
        found[language] = [(message, *days.split(" to ")) for message, days in pairs]
    return found


@pytest.mark.parametrize("language", SPANS)
@pytest.mark.parametrize(("read", "table"), [(read_span, SPANS), (read_time, TIMES)], ids=["span", "time"])
def test_dates_and_spans_are_read_in_six_languages(read, table, language):
    for message, first, *rest in cases(table)[language]:
        span = read(message, TODAY)
        assert span is not None, message
        end = date.fromisoformat(rest[0]) if rest else span.start + timedelta(days=1)
        assert (span.start, span.end) == (date.fromisoformat(first), end), message
        assert span.words
        assert span.words in message


@pytest.mark.parametrize(("read", "messages"), [(read_span, NO_SPANS), (read_time, NO_TIMES)])
def test_other_words_are_not_read_as_dates(read, messages):
    read_as_dates = [each for each in messages.split("|") if read(each.strip(), TODAY)]
    assert (read_as_dates, read("", TODAY)) == ([], None)


@pytest.mark.parametrize(
    ("times", "close"),
    [
        (("two weeks ago", "8am"), 1.0),
        (("today", "in two days"), 0.0),
        (("next Friday",), 0.0),
        (("over the past three months",), 0.0),
        (("soon", ""), 0.0),
        ((), 0.0),
        (("on 14 May",), 0.5),
    ],
)
def test_events_are_close_to_a_span_if_they_happened_in_it(times, close):
    span = DateSpan(date(2023, 5, 16), date(2023, 5, 18), "then", 4)
    assert closeness_of_events(times, TODAY, span) == close


@pytest.mark.parametrize(
    ("read", "message", "today", "start"),
    [
        (read_span, "yesterday", date(2024, 3, 1), date(2024, 2, 29)),
        (read_span, "last month", date(2024, 1, 31), date(2023, 12, 1)),
        (read_span, "in December", date(2024, 1, 5), date(2023, 12, 1)),
        (read_span, "in May", date(2024, 5, 1), date(2024, 5, 1)),
        (read_span, "29 February", date(2025, 6, 1), date(2024, 2, 29)),
        (read_span, "last Monday", date(2023, 5, 29), date(2023, 5, 22)),
        (read_span, "last weekend", date(2023, 5, 28), date(2023, 5, 20)),
        (read_span, "last winter", date(2024, 2, 10), date(2022, 12, 1)),
        (read_span, "this winter", date(2024, 2, 10), date(2023, 12, 1)),
        (read_span, "on 30 December", date(2024, 1, 5), date(2023, 12, 30)),
        (read_span, "04/05/2023", date(2023, 5, 20), date(2023, 5, 4)),
        (read_span, "04/05/2023", date(2023, 4, 20), date(2023, 4, 5)),
        (read_span, "900 years ago", date(500, 1, 1), None),
        (read_time, "at Christmas", date(2023, 12, 24), date(2023, 12, 24)),
        (read_time, "at Christmas", date(2023, 12, 23), date(2022, 12, 24)),
        (read_time, "on New Year's Eve", date(2024, 1, 1), date(2023, 12, 31)),
        (read_time, "on New Year's Eve", date(2023, 12, 31), date(2023, 12, 31)),
        (read_time, "the month before last", date(2024, 1, 31), date(2023, 11, 1)),
        (read_time, "the weekend before last", date(2023, 5, 28), date(2023, 5, 13)),
        (read_time, "since 29 February", date(2025, 6, 1), date(2024, 2, 29)),
        (read_time, "after 31 December", date(2024, 1, 1), date(2024, 1, 1)),
        (read_time, "after yesterday", date(2024, 3, 1), date(2024, 3, 1)),
        (read_time, "before 2023", date(1, 1, 1), None),
        (read_time, "the year before last", date(2, 1, 1), None),
        (read_time, "at Easter 2021", date(2036, 1, 1), date(2021, 4, 2)),
        (read_time, "at Easter 2024", date(2036, 1, 1), date(2024, 3, 29)),
        (read_time, "на пасху 2021", date(2036, 1, 1), date(2021, 5, 2)),
        (read_time, "на пасху 2024", date(2036, 1, 1), date(2024, 5, 5)),
        (read_time, "lunar new year of 2015", date(2036, 1, 1), date(2015, 2, 19)),
        (read_time, "2035年春节", date(2036, 1, 1), date(2035, 2, 8)),
        (read_time, "2031年中秋节", date(2036, 1, 1), date(2031, 10, 1)),
        (read_time, "Thanksgiving 2022", date(2036, 1, 1), date(2022, 11, 24)),
        (read_time, "pentecost 2023", date(2036, 1, 1), date(2023, 5, 28)),
    ],
)
def test_turns_of_the_year_leap_days_and_movable_festivals(read, message, today, start):
    span = read(message, today)
    assert (span.start if span else None) == start


def test_the_most_precise_date_of_a_message_is_read():
    for message, words in (
        ("How many days before 3 May did I call, not last week?", "3 May"),
        ("What did I buy yesterday at the March fair?", "yesterday"),
        ("I read last year's report 2 weeks ago", "2 weeks ago"),
    ):
        span = read_span(message, TODAY)
        assert span is not None
        assert span.words == words


def test_vaguer_dates_have_a_wider_tolerance():
    messages = ["yesterday", "ten days ago", "two weeks ago", "two months ago", "two years ago"]
    spans = [read_span(message, TODAY) for message in messages]
    widths = [span.tolerance_days for span in spans if span is not None]
    assert len(widths) == len(messages)
    assert widths == sorted(set(widths))


def test_closeness_is_one_inside_and_fades_outside_more_slowly_after_the_span():
    span = DateSpan(date(2023, 5, 10), date(2023, 5, 12), "", tolerance_days=4)
    near = [closeness(date(2023, 5, day), span) for day in range(5, 20)]
    assert near[:8] == [0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 0.875]
    assert near[8:] == [0.75, 0.625, 0.5, 0.375, 0.25, 0.125, 0.0]


@given(st.text(max_size=200), st.dates())
def test_any_text_on_any_day_is_read_without_failing(message, today):
    span = read_span(message, today)
    if span is not None:
        assert span.start < span.end
        assert closeness(span.start, span) == 1.0
        assert closeness(span.end - timedelta(days=1), span) == 1.0


dated = st.sampled_from(["{n} days ago", "{n} weeks ago", "{n}.{m}.{y}", "{y}-{m}-{n}", "{y}年{m}月{n}日"])


@given(dated, st.integers(0, 999), st.integers(0, 99), st.integers(0, 9999), st.dates())
def test_impossible_numbers_are_not_read_as_dates(form, n, m, y, today):
    span = read_span(form.format(n=n, m=m, y=y), today)
    assert span is None or span.start < span.end


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
