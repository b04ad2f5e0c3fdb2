import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.festivals import easter_sunday, orthodox_easter_sunday
from memory.recall.times import read_time

TODAY = date(2023, 5, 31)
assert TODAY.strftime("%A") == "Wednesday"

TIMES = [
    ("What did I do between March and May?", "2023-03-01", "2023-06-01"),
    ("between June and August", "2022-06-01", "2022-09-01"),
    ("between November and January", "2022-11-01", "2023-02-01"),
    ("from April to July", "2022-04-01", "2022-08-01"),
    ("from 3 May to 9 May 2023", "2023-05-03", "2023-05-10"),
    ("between 2019 and 2021", "2019-01-01", "2022-01-01"),
    ("since Christmas", "2022-12-24", "2023-06-01"),
    ("What have I read since March?", "2023-03-01", "2023-06-01"),
    ("since 2019", "2019-01-01", "2023-06-01"),
    ("before 2023", "2021-01-01", "2023-01-01"),
    ("after 3 May", "2023-05-04", "2023-06-01"),
    ("before Easter", "2023-01-07", "2023-04-07"),
    ("until March", "2023-01-01", "2023-04-01"),
    ("the weekend before last", "2023-05-20", "2023-05-22"),
    ("the week before last", "2023-05-15", "2023-05-22"),
    ("the month before last", "2023-03-01", "2023-04-01"),
    ("the year before last", "2021-01-01", "2022-01-01"),
    ("two Fridays ago", "2023-05-19", "2023-05-20"),
    ("three weekends ago", "2023-05-13", "2023-05-15"),
    ("at Christmas", "2022-12-24", "2022-12-27"),
    ("at Easter", "2023-04-07", "2023-04-11"),
    ("on New Year's Eve", "2022-12-31", "2023-01-02"),
    ("at Christmas 2020", "2020-12-24", "2020-12-27"),
    ("on Thanksgiving", "2022-11-24", "2022-11-25"),
    ("on Valentine's Day", "2023-02-14", "2023-02-15"),
    ("zwischen März und Mai", "2023-03-01", "2023-06-01"),
    ("vom 3. Mai bis zum 9. Mai 2023", "2023-05-03", "2023-05-10"),
    ("seit Weihnachten", "2022-12-24", "2023-06-01"),
    ("seit März", "2023-03-01", "2023-06-01"),
    ("vor 2023", "2021-01-01", "2023-01-01"),
    ("nach Ostern", "2023-04-11", "2023-06-01"),
    ("vorletztes Wochenende", "2023-05-20", "2023-05-22"),
    ("vorletzte Woche", "2023-05-15", "2023-05-22"),
    ("vor zwei Freitagen", "2023-05-19", "2023-05-20"),
    ("an Silvester", "2022-12-31", "2023-01-02"),
    ("entre marzo y mayo", "2023-03-01", "2023-06-01"),
    ("desde marzo", "2023-03-01", "2023-06-01"),
    ("antes de 2023", "2021-01-01", "2023-01-01"),
    ("la semana antepasada", "2023-05-15", "2023-05-22"),
    ("hace dos viernes", "2023-05-19", "2023-05-20"),
    ("en Navidad", "2022-12-24", "2022-12-27"),
    ("entre mars et mai", "2023-03-01", "2023-06-01"),
    ("depuis mars", "2023-03-01", "2023-06-01"),
    ("avant 2023", "2021-01-01", "2023-01-01"),
    ("après Pâques", "2023-04-11", "2023-06-01"),
    ("il y a deux vendredis", "2023-05-19", "2023-05-20"),
    ("à Noël", "2022-12-24", "2022-12-27"),
    ("между мартом и маем", "2023-03-01", "2023-06-01"),
    ("с марта по май", "2023-03-01", "2023-06-01"),
    ("с марта", "2023-03-01", "2023-06-01"),
    ("до 2023 года", "2021-01-01", "2023-01-01"),
    ("после пасхи", "2023-04-18", "2023-06-01"),
    ("на позапрошлой неделе", "2023-05-15", "2023-05-22"),
    ("две пятницы назад", "2023-05-19", "2023-05-20"),
    ("на Новый год", "2022-12-31", "2023-01-02"),
    ("从3月到5月我在哪里", "2023-03-01", "2023-06-01"),
    ("自2019年以来", "2019-01-01", "2023-06-01"),
    ("2023年之前", "2021-01-01", "2023-01-01"),
    ("上上周", "2023-05-15", "2023-05-22"),
    ("上上个月", "2023-03-01", "2023-04-01"),
    ("前年", "2021-01-01", "2022-01-01"),
    ("春节的时候", "2023-01-22", "2023-01-29"),
    ("去年春节", "2022-02-01", "2022-02-08"),
    ("Weihnachten letztes Jahr", "2022-12-24", "2022-12-27"),
    ("Christmas of last year", "2022-12-24", "2022-12-27"),
    ("three days before 3 May", "2023-05-03", "2023-05-04"),
    ("yesterday", "2023-05-30", "2023-05-31"),
    ("vor drei Wochen", "2023-05-09", "2023-05-12"),
]
NO_TIMES = [
    "between you and me",
    "from nine to five",
    "since you ask",
    "before I go to bed",
    "after the rain",
    "the chapter before last",
    "next Christmas",
    "an nächsten Ostern",
    "seit langem",
    "vor dem Haus",
    "bis dann",
    "antes de comer",
    "avant de partir",
    "de Madrid a Barcelona",
    "de Paris à Lyon",
    "с мамой",
    "до дома",
    "после обеда",
    "从北京到上海",
    "以前",
    "饭前",
    "two cats ago",
    "",
]


@pytest.mark.parametrize(("message", "start", "end"), TIMES)
def test_reads_the_time(message, start, end):
    span = read_time(message, TODAY)
    assert span is not None
    assert (span.start.isoformat(), span.end.isoformat()) == (start, end)
    assert span.words
    assert span.words in message


@pytest.mark.parametrize("message", NO_TIMES)
def test_reads_no_time(message):
    assert read_time(message, TODAY) is None


@pytest.mark.parametrize(
    ("message", "today", "start"),
    [
        ("at Christmas", date(2023, 12, 24), date(2023, 12, 24)),
        ("at Christmas", date(2023, 12, 23), date(2022, 12, 24)),
        ("on New Year's Eve", date(2024, 1, 1), date(2023, 12, 31)),
        ("on New Year's Eve", date(2023, 12, 31), date(2023, 12, 31)),
        ("the month before last", date(2024, 1, 31), date(2023, 11, 1)),
        ("the weekend before last", date(2023, 5, 28), date(2023, 5, 13)),
        ("since 29 February", date(2025, 6, 1), date(2024, 2, 29)),
        ("after 31 December", date(2024, 1, 1), date(2024, 1, 1)),
        ("after yesterday", date(2024, 3, 1), date(2024, 3, 1)),
        ("before 2023", date(1, 1, 1), None),
        ("the year before last", date(2, 1, 1), None),
    ],
)
def test_the_turn_of_the_year_and_other_corners(message, today, start):
    span = read_time(message, today)
    assert (span.start if span else None) == start


@pytest.mark.parametrize(
    ("year", "western", "orthodox"),
    [(2021, (4, 4), (5, 2)), (2023, (4, 9), (4, 16)), (2024, (3, 31), (5, 5))],
)
def test_easter_falls_on_its_days(year, western, orthodox):
    assert easter_sunday(year) == date(year, *western)
    assert orthodox_easter_sunday(year) == date(year, *orthodox)


@given(st.text(), st.dates())
def test_any_text_is_read_without_failing(message, today):
    span = read_time(message, today)
    assert span is None or span.start < span.end


WORDS = st.sampled_from(
    [
        "between",
        "from",
        "since",
        "before",
        "after",
        "until",
        "March",
        "May",
        "and",
        "to",
        "2023",
        "Easter",
        "Christmas",
        "3",
        "two",
        "Fridays",
        "ago",
        "the",
        "last",
        "week",
        "zwischen",
        "und",
        "seit",
        "vor",
        "nach",
        "bis",
        "entre",
        "y",
        "et",
        "с",
        "до",
        "по",
        "从",
        "到",
        "上上周",
        "春节",
        "3月",
        "before",
        "last",
        "31",
    ]
)


@given(st.lists(WORDS, max_size=14).map(" ".join), st.dates())
def test_any_mixture_of_words_gives_a_stretch_with_an_end(message, today):
    span = read_time(message, today)
    assert span is None or (span.start < span.end and span.tolerance_days >= 0)


@pytest.mark.parametrize(
    "piece",
    ["between ", "from a to ", "since ", "vor ", "从到", "3月", "до ", "two ", "the week ", "1"],
)
def test_twenty_thousand_characters_are_read_at_once(piece):
    started = time.process_time()
    read_time((piece * 20_000)[:20_000], TODAY)
    assert time.process_time() - started < 3
