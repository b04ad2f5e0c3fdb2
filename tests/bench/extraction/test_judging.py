from dataclasses import replace

import pytest

from bench.extraction.judging import judge
from tests.bench.extraction.marked import HOME, TEA, found, reading, sentence


def test_a_fact_is_a_hit_when_kind_and_words_agree():
    fact = found("identity", "zürich (Wiedikon)")
    verdict = judge(reading(sentence("…", HOME), fact))
    assert verdict.hits == ((HOME, fact),)
    assert not any([verdict.missed, verdict.wrong, verdict.reviewed])


@pytest.mark.parametrize(
    "fact",
    [found("experience", "Zürich"), found("identity", "Basel"), found("identity", "Zü rich")],
)
def test_another_kind_or_other_words_are_both_missed_and_wrong(fact):
    verdict = judge(reading(sentence("…", HOME), fact))
    assert verdict.hits == ()
    assert verdict.missed == (HOME,)
    assert verdict.wrong == (fact,)


def test_kinds_a_reader_also_accepts_will_do():
    assert judge(reading(sentence("…", TEA), found("behaviour", "drinks tea"))).hits


def test_the_opposite_is_wrong():
    assert judge(reading(sentence("…", TEA), found("preference", "tea", predicate="likes"))).hits
    turned = found("preference", "tea", predicate="dislikes")
    assert judge(reading(sentence("…", TEA), turned)).wrong == (turned,)


def test_saying_the_same_fact_twice_is_wrong_once():
    first, second = found("identity", "Zürich"), found("identity", "near Zürich")
    verdict = judge(reading(sentence("…", HOME), first, second))
    assert verdict.hits == ((HOME, first),)
    assert verdict.wrong == (second,)


def test_a_fact_that_names_it_goes_before_one_whose_statement_only_repeats_the_sentence():
    other = replace(HOME, objects=("Roche",))
    echo = found("identity", "Roche", statement="The user lives in Zürich and works at Roche.")
    home = found("identity", "Zürich")
    verdict = judge(reading(sentence("…", HOME, other), echo, home))
    assert set(verdict.hits) == {(HOME, home), (other, echo)}


def test_every_word_has_to_be_there_in_any_order_and_script():
    gold = replace(HOME, objects=("Berg See", "成都"))
    assert judge(reading(sentence("…", gold), found("identity", "am See, beim Berg"))).hits
    assert judge(reading(sentence("…", gold), found("identity", "四川成都市"))).hits
    assert judge(reading(sentence("…", gold), found("identity", "am Berg"))).missed


def test_an_optional_fact_counts_neither_way():
    optional = replace(TEA, optional=True)
    absent = judge(reading(sentence("…", HOME, optional), found("identity", "Zürich")))
    assert absent.missed == ()
    present = judge(reading(sentence("…", HOME, optional), found("preference", "tea")))
    assert not any([present.hits, present.wrong])
    assert present.missed == (HOME,)


def test_what_waits_for_review_is_neither_a_hit_nor_wrong():
    unsure = found("identity", "Zürich", confidence=0.45)
    pasted = found("identity", "Zürich", authority="external")
    verdict = judge(reading(sentence("…", HOME), unsure, pasted))
    assert verdict.reviewed == (unsure, pasted)
    assert verdict.missed == (HOME,)
    assert verdict.wrong == ()


def test_the_end_of_a_fact_is_no_fact():
    over = replace(found("preference", "tea", predicate="likes"), ended=True)
    verdict = judge(reading(sentence("…", TEA), over))
    assert (verdict.hits, verdict.missed, verdict.wrong) == ((), (TEA,), ())


def test_the_end_of_the_opposite_is_the_fact():
    over = replace(found("preference", "tea", predicate="dislikes"), ended=True)
    assert judge(reading(sentence("…", TEA), over)).hits
