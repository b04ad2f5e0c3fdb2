from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.lexical import index_text
from memory.stemming import forms, stem


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "fahrrad", "fahrräder"),
        ("de", "gekauft", "kaufen"),
        ("de", "gekauft", "kaufte"),
        ("de", "abgeholt", "holen"),
        ("de", "hausschlüssel", "schlüssel"),
        ("de", "zahnarzttermin", "zahnarzt"),
        ("de", "straße", "straßen"),
        ("es", "compré", "compraste"),
        ("es", "bicicleta", "bicicletas"),
        ("fr", "achetée", "acheter"),
        ("fr", "chevaux", "chevaux"),
        ("it", "comprato", "comprare"),
        ("pt", "comprei", "comprar"),
        ("nl", "fietsen", "fiets"),
        ("sv", "hundarna", "hund"),
        ("ar", "مكتبات", "المكتبة"),
        ("ar", "كتاب", "كتب"),
        ("hi", "किताबें", "किताब"),
        ("el", "σκύλος", "σκύλο"),
    ],
)
def test_forms_of_one_word_meet(language, one, other):
    met = {*forms(one, language), index_text(one)} & {*forms(other, language), index_text(other)}
    assert met


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "nachbar", "bar"),
        ("de", "unterricht", "richten"),
        ("de", "gemüse", "müsli"),
        ("es", "casa", "cosa"),
        ("fr", "poisson", "poison"),
        ("ar", "بيت", "كتاب"),
    ],
)
def test_other_words_stay_apart(language, one, other):
    assert not {*forms(one, language)} & {*forms(other, language)}


@pytest.mark.parametrize("language", ["en", "", "zh", "xx", "ru"])
def test_without_a_stemmer_of_its_own_there_is_no_other_form(language):
    assert forms("kittens", language) == ()


def test_a_foreign_script_keeps_its_own_rules_inside_any_text():
    assert forms("المكتبة", "de") == forms("المكتبة", "ar") != ()
    assert forms("haus", "ar") == ()


@given(st.text(), st.sampled_from(["de", "ar", "hi", "fr", "tr", ""]))
def test_forms_are_plain_words(word, language):
    assert all(form and not set(form) & set("|&!:*' ") for form in forms(word, language))


def test_many_threads_get_the_stems_that_one_gets():
    words = [f"{start}ungen" for start in ("handl", "zeit", "wohn", "les", "hoff", "reg")] * 300
    alone = [stem(word, "german") for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda word: stem(word, "german"), words)) == alone
