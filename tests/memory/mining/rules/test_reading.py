import re

from memory.mining.rules.reading import as_said, rewritten


def test_every_character_knows_where_it_was_said():
    said = "im  really Ana"
    reading = rewritten(as_said(said), re.compile(r"\bim\b"), lambda found: "I'm")
    reading = rewritten(reading, re.compile(r"\s+really\s+"), lambda found: " ")
    assert reading.text == "I'm Ana"
    start, end = reading.span(0, 3)
    assert said[start:end] == "im"
    start, end = reading.span(4, 7)
    assert said[start:end] == "Ana"


def test_a_part_has_no_blanks_and_commas_around_it():
    part = as_said("so, I live here, ").part(2, 17)
    assert part.text == "I live here"
    assert part.span(0, len(part.text)) == (4, 15)
    assert not part.whole


def test_words_that_are_only_meant_stand_where_the_others_begin():
    reading = as_said("started at noon").headed("I ")
    assert reading.text == "I started at noon"
    assert reading.span(0, 9) == (0, 7)
