import time

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from memory.text.tokenization import index_text, proper_names, query_words, quoted_phrases


@pytest.mark.parametrize(
    ("text", "prepared"),
    [
        ("The quick fox", "the quick fox"),
        ("foo_bar", "foo bar foobar"),
        ("e-mail, Wi-Fi", "e mail email wi fi wifi"),
        ("node.js v1.2", "node js nodejs v1 2 v12"),
        ("anna@example.org", "anna example org annaexampleorg"),
        ("https://example.org/a/b-c?x=1", "https example org exampleorg a b c bc x 1"),
        ("C++ or C#", "c cplusplus or c csharp"),
        ("AT&T and AAPL", "at t att and aapl"),
        ("3.14 and 3,14", "3.14 and 3.14"),
        ("1,000,000 or 1.000", "1000000 or 1000"),
        ("12.03.2023 10:30", "12 03 2023 10 30"),
        ("Anna's dog, I'm off", "anna dog i off"),
        ("Café Müller in Łódź, Straße", "cafe muller in lodz strasse"),
        ("cafe\u0301", "cafe"),
        ("ＦＵＬＬ ｗｉｄｔｈ １２", "full width 12"),
        ("ёлка и Кошками", "елк и кошк"),
        ("مَرْحَبًا أحمد", "مرحبا احمد"),
        ("مدرسة", "مدرسه"),
        ("بالكتاب والكتاب الكتاب", "كتاب كتاب كتاب"),
        ("नमस्ते १२", "नमस्ते 12"),
        ("東京に", "東京 京に 東 京"),
        ("猫", "猫"),
        ("한국어 책", "한국 국어 책"),
        ("ไทย", "ไท ทย"),
        ("iPhone13で撮る", "iphone13 i phone13 で撮 撮る 撮"),
        ("👍🏽 👨‍👩‍👧", "emoji1f44d emoji1f468 emoji1f469 emoji1f467"),
        ("🇩🇪 ❤️", "emoji1f1e91f1ea emoji2764"),
        ("a\x00b", "a b"),
        ("ig\u200bnore", "ignore"),
        ("", ""),
        ("!?… — ()", ""),
    ],
)
def test_index_text_of_every_script(text, prepared):
    assert index_text(text) == prepared


MATCHING = {
    "wifi": "We adopted a wi-fi router",
    "Wi-Fi": "the wifi router",
    "username user": "I use getUserName daily",
    "email": "my e-mail address",
    "我的猫叫什么？": "我养了一只猫。",
    "东京": "去东京旅行",
    "한국어": "친구와 한국어를 공부했다",
    "кошка": "Мы купили кошку",
    "елка": "Ёлка в лесу",
    "مدرسه": "زرت المدرسة",
    "🍕?": "we had 🍕 tonight",
    "👍": "👍🏿 from Bob",
    "creme brulee": "Crème brûlée",
    "978-3-16": "ISBN 978-3-16",
    "1200": "the ticket costs 1,200 euros",
    "C++": "I write C++ at work",
}


def test_queries_match_indexed_text_but_not_different_words():
    for query, text in MATCHING.items():
        assert set(query_words(query)) & set(index_text(text).split()), query
    for text, query in (("vitamin C", "C++"), ("I like C#", "C++"), ("🍕", "🍔"), ("привет", "ответ")):
        words = {word for word in query_words(query) if len(word) > 1}
        assert words
        assert not words & set(index_text(text).split())


def test_query_words_are_distinct_ordered_and_free_of_operators():
    assert query_words("The dog and the other dog") == ("the", "dog", "and", "other")
    for text in ("a & b | !c", "foo:* <-> bar", "(x) 'y' \\z", "a:b:c:d"):
        assert not set("".join(query_words(text))) & set("&|!:*<>()'\\")


def test_long_texts_and_words_are_shortened_keeping_rare_words():
    text = "what is the and of to in on at by for with about my your his her its our their " * 3
    assert query_words(text + "zebra crossing", limit=10)[-2:] == ("zebra", "crossing")
    blob = "a1" * 500
    assert query_words(blob)[0] in index_text(blob).split()
    prepared = index_text("你好世界" * 1000, limit=1000)
    assert len(prepared) <= 1000
    assert prepared.endswith(("你好", "好世", "世界", "界你")), "it ends with a whole word"


def test_a_megabyte_is_tokenized_quickly():
    started = time.process_time()
    for text in ("word " * 200_000, "你好" * 500_000, "x" * 1_000_000, "ﷺ" * 300_000):
        index_text(text)
    assert time.process_time() - started < 10


@given(st.text(st.characters()))
def test_index_text_of_any_text_contains_no_operators(text):
    for word in index_text(text).split():
        assert not set(word) & set("\x00&|!:*<>()'\"\\")
    assert len(query_words(text)) <= 32


@pytest.mark.django_db
def test_postgresql_reads_the_same_words_from_index_text():
    for text in (
        "foo_bar e-mail https://example.org/a?b=c anna@example.org C++ 3.14 AAPL",
        "我养了一只猫 東京タワー 한국어 ภาษาไทยที่ နေကောင်းလား ខ្ញុំ",
        "Кошки любят молоко مدرسة जीवन עִבְרִית ქართული",
        "👍🏽 🇩🇪 👨‍👩‍👧",
    ):
        prepared = index_text(text)
        with connection.cursor() as cursor:
            cursor.execute("SELECT to_tsvector('simple', %s)::text", [prepared])
            lexemes = {part.rsplit(":", 1)[0].strip("'") for part in cursor.fetchone()[0].split(" ")}
        words = set(prepared.split())
        # A vowel sign that stands alone is read as the mark it is; it never carries a word.
        assert {word for word in words - lexemes if len(word) > 2} == set()
        assert lexemes <= words | {word[1:] for word in words}


@pytest.mark.django_db
def test_the_largest_text_fits_into_a_tsvector():
    rare = "".join(chr(0x20000 + i * 7919 % 42_000) for i in range(300_000))
    with connection.cursor() as cursor:
        cursor.execute("SELECT length(to_tsvector('english', %s))", [index_text(rare)])
        assert cursor.fetchone()[0] > 10_000


def test_quoted_phrases():
    for text, phrases in (
        ('He said "hello there" twice: "hello there"', ("hello there",)),
        ("“curly” and „deutsch“ and «мир»", ("curly", "deutsch", "мир")),
        ("「東京」と『千と千尋』", ("東京", "千と千尋")),
        ("'The Hitchhiker's Guide to the Galaxy' is mine", ("The Hitchhiker's Guide to the Galaxy",)),
        *(
            (text, ())
            for text in ("don't and it's and rock 'n' roll", "the dogs' bowl", 'an open " quote', '""')
        ),
    ):
        assert quoted_phrases(text) == phrases


NAMES = {
    "Did Rachel call?": "Rachel",
    "I met Sarah Connor in New York.": "Sarah Connor, New York",
    "Sarah called. Then Bob left.": "Sarah, Bob",
    "Where is St. Mary's Church?": "St. Mary's Church",
    "the Museum of Modern Art": "Museum of Modern Art",
    "Dr. Smith and Mr. O'Neil": "Dr. Smith, Mr. O'Neil",
    "Rachel's party": "Rachel",
    "Is AAPL up?": "AAPL",
    "Где живёт Анна Петрова?": "Анна Петрова",
    "¿Dónde vive María?": "María",
    "Anna, Anna and Anna": "Anna",
    "Ask Jean-Luc Picard": "Jean-Luc Picard",
    "Ludwig van Beethoven": "Ludwig van Beethoven",
}
NO_NAMES = (
    "What did I do on Monday in March? | I think I am | The weather is nice. However, it rains. | "
    "WHERE IS MY CAR | no names here | mail me @Home or #Topic | 我住在北京"
)


def test_proper_names():
    assert {text: ", ".join(proper_names(text)) for text in NAMES} == NAMES
    assert [text for text in NO_NAMES.split(" | ") if proper_names(text)] == []
