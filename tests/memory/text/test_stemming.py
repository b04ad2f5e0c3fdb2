"""The language of a text, stems and other word forms in the index and in queries, and Russian nominatives."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.languages import language_of
from memory.text.russian import dictionary_forms, nominative
from memory.text.stemming import FORMS, filed_forms, forms, search_terms, stem
from memory.text.tokenization import index_text, query_words
from tests.cases import cases

CASES = cases(__file__, "stemming.txt")


def test_forms_of_one_word_match_and_other_words_do_not():
    for line in CASES["same word"]:
        language, one, other = re.split(": |=", line)
        shared = {*forms(one, language), index_text(one)} & {*forms(other, language), index_text(other)}
        assert shared, line
    for line in CASES["other words"]:
        language, one, other = re.split(": |=", line)
        assert not {*forms(one, language)} & {*forms(other, language)}, line


def test_forms_depend_on_the_stemmer_of_a_language_and_on_the_script():
    assert {forms("kittens", language) for language in ("en", "", "zh", "xx", "ru")} == {()}
    assert forms("المكتبة", "de") == forms("المكتبة", "ar") != ()
    assert forms("haus", "ar") == ()


@given(st.text(), st.sampled_from(["de", "ar", "hi", "fr", "tr", ""]))
def test_forms_are_plain_words(word, language):
    assert [form for form in forms(word, language) if not form or set(form) & set("|&!:*' ")] == []


def test_stemming_is_thread_safe():
    words = [f"{start}ungen" for start in ("handl", "zeit", "wohn", "les", "hoff", "reg")] * 300
    alone = [stem(word, "german") for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda word: stem(word, "german"), words)) == alone


ENGLISH = (
    "Where did I park the car that Anna's brother sold me for 1,200 euros?",
    "I bought Möller's café table on the Wi-Fi-enabled flea market, didn't I?",
    "What was the name of the dog?",
    "remind me of our trip to São Paulo",
    "The die is cast, as he was wont to say in the hall",
)


def test_english_text_gets_no_other_forms():
    for text in ENGLISH:
        assert search_terms(text) == query_words(text)
        assert filed_forms(text) == ""


def test_queries_match_other_forms_of_filed_words():
    for text, query in (line.split(" | ") for line in CASES["filed text | query"]):
        filed = {*index_text(text).split(), *filed_forms(text).split()}
        shared = [term for term in search_terms(query) if filed & set(term.split(FORMS))]
        assert len(shared) * 2 > len(search_terms(query)) or len(shared) >= 2, query


def test_search_terms_of_a_question_omit_common_words():
    for query, terms in (line.split(" | ") for line in CASES["query | terms"]):
        assert set(search_terms(query)) == set(terms.split())
    assert len(search_terms("Wo steht " + " ".join(f"Haus{n}" for n in range(90)))) == 32


@given(st.text(st.characters()))
def test_search_terms_of_any_text_contain_no_operators(text):
    for term in search_terms(text):
        assert term
        assert not set(term.replace(FORMS, "")) & set("\x00&!:*<>()'\"\\ ")
    assert not set(filed_forms(text)) & set("\x00&|!:*<>()'\"\\")


def test_the_language_of_a_text_is_detected():
    known = [line.split(" | ") for line in CASES["language | text"]]
    assert [[language_of(text) or "-", text] for _, text in known] == known
    started = time.process_time()
    for text in ("und " * 100_000, "的" * 500_000, "é" * 500_000):
        language_of(text)
    assert time.process_time() - started < 2


@given(st.text(st.characters()))
def test_any_text_has_one_language_or_none(text):
    assert len(language_of(text)) in {0, 2}


PHRASES = """
Я работаю в | Сбере | Сбер
уволился из | детской больницы | детская больница
уволили из | пекарни | пекарня
живу в | Ростове-на-Дону | Ростов-на-Дону
живём в | Великих Луках | Великие Луки
живу в | Сочи | Сочи
расстались с | лёшей | лёша
в браке с | Ольгой Петровной | Ольга Петровна
зовут | Костей | Костя
работаю | учителем математики | учитель математики
работаю | старшим бухгалтером | старший бухгалтер
завели | рыжего кота Мурзика | рыжий кот Мурзик
учусь в | МГУ | МГУ
работаю в | Toyota | Toyota
живу у | Києві | Києві
люблю | по утрам и никогда не спеша гулять | по утрам и никогда не спеша гулять
"""
PLACES = """
живу в | Вене | Вена
были в | Риме | Рим
летим в | Милан | Милан
родом из | Перми | Пермь
Я | из Перми | из Перми
"""
NAMES = "Дина Мира Ника Яна Жучка Александра Евгения Валерия Влада Любовь Саша Никита Костя горы суши яйца"


def test_noun_phrases_are_put_in_the_nominative_and_places_not_taken_for_people():
    for lines, is_place in ((PHRASES, False), (PLACES, True)):
        for before, phrase, expected in (line.split(" | ") for line in lines.strip().splitlines()):
            assert nominative(phrase, before, is_place=is_place) == expected
    for phrase in ("", "бариста"):
        assert nominative(phrase, "") == phrase


def test_what_may_be_a_nominative_stays_as_it_is():
    assert [nominative(name, "Моя жена") for name in NAMES.split()] == NAMES.split()


@pytest.mark.parametrize("word", ["недо" * 6, "небез" * 5, "не" * 1_000, "а-" * 500 + "а", "я" * 20_000])
def test_long_words_with_many_prefixes_are_left_alone(word):
    assert nominative(word, "в") in (word, word[:1].upper() + word[1:])
    assert isinstance(dictionary_forms(word), frozenset)


def test_forms_of_a_word_share_a_dictionary_word():
    assert "казань" in dictionary_forms("казани") & dictionary_forms("казанью")
    assert not dictionary_forms("leeds")
