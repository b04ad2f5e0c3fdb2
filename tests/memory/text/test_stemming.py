"""The language of a text, and stems and other word forms in the index and in queries."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.languages import language_of
from memory.text.stemming import FORMS, filed_forms, forms, search_terms
from memory.text.tokenization import index_text, query_words, stem

SAME_WORD = {
    "de": "fahrrad=fahrräder gekauft=kaufen gekauft=kaufte abgeholt=holen hausschlüssel=schlüssel "
    "zahnarzttermin=zahnarzt straße=straßen",
    "es": "compré=compraste bicicleta=bicicletas",
    "fr": "achetée=acheter chevaux=chevaux",
    "it": "comprato=comprare",
    "pt": "comprei=comprar",
    "nl": "fietsen=fiets",
    "sv": "hundarna=hund",
    "ar": "مكتبات=المكتبة كتاب=كتب",
    "hi": "किताबें=किताब",
    "el": "σκύλος=σκύλο",
}
OTHER_WORDS = {
    "de": "nachbar=bar unterricht=richten gemüse=müsli",
    "es": "casa=cosa",
    "fr": "poisson=poison",
    "ar": "بيت=كتاب",
}


@pytest.mark.parametrize("language", SAME_WORD)
def test_forms_of_one_word_match_and_other_words_do_not(language):
    for one, other in (pair.split("=") for pair in SAME_WORD[language].split()):
        shared = {*forms(one, language), index_text(one)} & {*forms(other, language), index_text(other)}
        assert shared, (one, other)
    for one, other in (pair.split("=") for pair in OTHER_WORDS.get(language, "").split()):
        assert not {*forms(one, language)} & {*forms(other, language)}, (one, other)


def test_forms_depend_on_the_stemmer_of_a_language_and_on_the_script():
    for language in ("en", "", "zh", "xx", "ru"):
        assert forms("kittens", language) == ()
    assert forms("المكتبة", "de") == forms("المكتبة", "ar") != ()
    assert forms("haus", "ar") == ()


@given(st.text(), st.sampled_from(["de", "ar", "hi", "fr", "tr", ""]))
def test_forms_are_plain_words(word, language):
    assert all(form and not set(form) & set("|&!:*' ") for form in forms(word, language))


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


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Wir haben zwei grüne Fahrräder gekauft.", "Wo ist mein Fahrrad, das ich kaufte?"),
        ("Der Zahnarzt hat mir zwei Zähne gezogen.", "Wann war ich bei den Zahnärzten?"),
        ("Los tomates amarillos crecen mejor.", "¿Dónde crece el tomate amarillo?"),
        ("Nous avons acheté deux vélos verts.", "Qu'est-ce que j'achète, un vélo vert ?"),
        ("Мы купили два велосипеда.", "Где мой велосипед?"),
        ("我们买了两辆绿色的自行车。", "我的自行车在哪里买的?"),
        ("緑の自転車を二台買いました。", "自転車を買ったのはどこ?"),
        ("نظمت المكتبات معرضا في المدينة", "أين مكتبة المدينة؟"),
    ],
)
def test_queries_match_other_forms_of_filed_words(text, query):
    filed = {*index_text(text).split(), *filed_forms(text).split()}
    shared = [term for term in search_terms(query) if filed & set(term.split(FORMS))]
    assert len(shared) * 2 > len(search_terms(query)) or len(shared) >= 2


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Wo habe ich das denn?", "wo habe ich das denn"),
        ("Wie heißt mein Hund?", "heisst|heiss hund"),
        ("¿Cómo se llama mi perro?", "llama|llam perro|perr"),
        ("Как зовут мою собаку?", "зовут собак"),
        ("我的狗叫什么名字?", "狗叫 叫 名字 名 字 狗"),
    ],
)
def test_search_terms_of_a_question_omit_common_words(query, terms):
    assert set(search_terms(query)) == set(terms.split())
    assert len(search_terms("Wo steht " + " ".join(f"Haus{n}" for n in range(90)), 10)) == 10


@given(st.text(st.characters()))
def test_search_terms_of_any_text_contain_no_operators(text):
    for term in search_terms(text):
        assert term
        assert not set(term.replace(FORMS, "")) & set("\x00&!:*<>()'\"\\ ")
    assert not set(filed_forms(text)) & set("\x00&|!:*<>()'\"\\")


LANGUAGES = {
    "en": "Where did I park the car? | What was her name again? | "
    "My friend 明 lives in the city where we met",
    "de": "Wo habe ich das Auto geparkt? | Was war in der Kiste?",
    "es": "¿Dónde aparqué el coche?",
    "fr": "Où est-ce que j'ai garé la voiture ?",
    "it": "Dove ho messo le chiavi della macchina?",
    "pt": "Onde estão as chaves do meu carro?",
    "nl": "Waar heb ik de sleutels van mijn fiets?",
    "sv": "Var har jag lagt nycklarna till båten?",
    "pl": "Gdzie są klucze do mojego samochodu?",
    "tr": "Arabanın anahtarlarını nereye koydum, biliyor musun ve neden?",
    "ru": "Где мои ключи?",
    "zh": "我的钥匙在哪里？ | 我的 MacBook 密码是什么",
    "ja": "鍵はどこ？",
    "ko": "열쇠가 어디 있지?",
    "th": "กุญแจอยู่ที่ไหน",
    "ar": "أين المفاتيح؟",
    "hi": "मेरी चाबी कहाँ है?",
    "el": "Πού είναι τα κλειδιά;",
    "he": "איפה המפתחות?",
    "": "Luna's a great name! | Bruno | 42 / 7 | 🍕",
}


def test_the_language_of_a_text_is_detected():
    found = {text: language_of(text) for texts in LANGUAGES.values() for text in texts.split(" | ")}
    assert found == {text: language for language, texts in LANGUAGES.items() for text in texts.split(" | ")}


@given(st.text(st.characters()))
def test_any_text_has_one_language_or_none(text):
    assert len(language_of(text)) in {0, 2}


def test_the_language_of_a_long_text_is_detected_quickly():
    started = time.process_time()
    for text in ("und " * 100_000, "的" * 500_000, "é" * 500_000):
        language_of(text)
    assert time.process_time() - started < 2
