"""Words of texts and queries, names and quoted phrases, sentences, and chunks."""

import time
from itertools import pairwise

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from memory.text.chunking import LIMIT, OVERLAP, SIZE, chunks
from memory.text.sentences import sentences
from memory.text.tokenization import index_text, proper_names, query_words, quoted_phrases
from tests.cases import cases

CASES = cases(__file__, "tokenization.txt")
SENTENCE = "The quick brown fox jumps over the lazy dog. "


def test_index_text_of_every_script():
    for text, prepared in (line.split(" → ") for line in CASES["text → index text"]):
        assert index_text(text) == prepared
    assert index_text("a\x00b") == "a b"
    assert index_text("") == index_text("!?… — ()") == ""


def test_queries_match_indexed_text_but_not_different_words():
    for query, text in (line.split(" | ") for line in CASES["query | text with it"]):
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


def test_a_megabyte_is_tokenized_and_chunked_quickly():
    started = time.process_time()
    for text in ("word " * 200_000, "你好" * 500_000, "x" * 1_000_000, "ﷺ" * 300_000):
        index_text(text)
    assert time.process_time() - started < 10
    started = time.process_time()
    for text in (SENTENCE * 23_000, "x" * 1_000_000, "\n" * 1_000_000, "你" * 1_000_000):
        chunks(text)
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
            cursor.execute("SELECT tsvector_to_array(to_tsvector('simple', %s))", [prepared])
            lexemes = set(cursor.fetchone()[0])
        words = set(prepared.split())
        # A vowel sign that stands alone is read as the mark it is; it never carries a word.
        assert {word for word in words - lexemes if len(word) > 2} == set()
        assert lexemes <= words | {word[1:] for word in words}
    rare = "".join(chr(0x20000 + i * 7919 % 42_000) for i in range(300_000))
    with connection.cursor() as cursor:
        cursor.execute("SELECT length(to_tsvector('english', %s))", [index_text(rare)])
        assert cursor.fetchone()[0] > 10_000, "the largest text fits"


def test_quoted_phrases_and_proper_names():
    for text, phrases in (
        ('He said "hello there" twice: "hello there"', ("hello there",)),
        ("“curly” and „deutsch“ and «мир»", ("curly", "deutsch", "мир")),
        ("「東京」と『千と千尋』", ("東京", "千と千尋")),
        ("'The Hitchhiker's Guide to the Galaxy' is mine", ("The Hitchhiker's Guide to the Galaxy",)),
    ):
        assert quoted_phrases(text) == phrases
    for text in ("don't and it's and rock 'n' roll", "the dogs' bowl", 'an open " quote', '""'):
        assert quoted_phrases(text) == ()
    for text, names in (line.split(" → ") for line in CASES["text → names"]):
        assert ", ".join(proper_names(text)) == names
    assert [text for text in CASES["no names"] if proper_names(text)] == []


def test_chunks_of_blank_short_and_unbreakable_texts():
    for text in ("", " ", "\n\n\t \u3000"):
        assert chunks(text) == ()
    (only,) = chunks("Hello there.")
    assert (only.start, only.end, only.text) == (0, 12, "Hello there.")
    sizes = [len(piece.text) for piece in chunks("x" * 3000)]
    assert sizes == [SIZE, SIZE, 3000 - 2 * (SIZE - OVERLAP)]


def test_chunks_break_at_paragraphs():
    first = "One sentence. " * 70
    assert chunks(first + "\n\n" + "Another one. " * 70)[0].text == first + "\n\n"


def test_chunks_are_shorter_in_dense_scripts_and_never_split_a_character():
    for script in ("你好世界", "привет ", "안녕하세요 ", "ภาษาไทย"):
        assert max(len(piece.text) for piece in chunks(script * 1000)) <= SIZE // 3 + SIZE // 12
    for piece in chunks("👨‍👩‍👧" * 500):
        assert (piece.text[0], piece.text[-1]) == ("👨", "👧")


def test_chunks_end_with_sentences_and_overlap():
    text = SENTENCE * 100
    found = chunks(text)
    assert [piece for piece in found if not piece.text.endswith(". ")] == []
    for one, following in pairwise(found):
        assert 0 < one.end - following.start <= OVERLAP
        assert text[following.start - 1] == " "


def test_a_very_long_text_keeps_its_beginning_and_end():
    text = SENTENCE * 10_000
    found = chunks(text)
    assert len(found) == LIMIT == 64
    assert (found[0].start, found[-1].end) == (0, len(text))
    assert [one for one, following in pairwise(found) if one.end < following.start] == [found[47]]


@given(st.text(max_size=400), st.integers(5, 60))
def test_chunks_cover_the_text_verbatim_in_order(text, size):
    found = chunks(text, size=size, limit=10_000)
    covered: set[int] = set()
    for piece in found:
        assert piece.text == text[piece.start : piece.end]
        assert 0 < len(piece.text) <= size
        covered.update(range(piece.start, piece.end))
    assert [char for i, char in enumerate(text) if i not in covered and not char.isspace()] == []
    assert [piece.start for piece in found] == sorted({piece.start for piece in found})


def _parts(text):
    return [text[start:end].strip() for start, end in sentences(text)]


def test_sentences_cover_the_text():
    text = "Hi! I'm Jo.\nI live in Porto… 我住在上海。你呢？ The end"
    ranges = sentences(text)
    assert "".join(text[start:end] for start, end in ranges) == text
    assert text[slice(*ranges[0])] == "Hi! "
    assert sentences("") == sentences(" \n") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Who was born am 14. Mai 1992.",
        "Mama kommt vom 12. bis 22. August zu Besuch.",
        "Wir sind zwischen dem 3. und 9. Mai in Rom.",
        "Urlaub vom 28.12. bis 2.1. in Rom.",
        "Am 12. habe ich frei.",
        "Sie ist in der 12. Klasse.",
        "We met on Feb. 12 in Bath.",
        "La Dra. Ferrer y el Sr. López me conocen.",
        "C'est Mme. Dubois avec M. Petit.",
        "Das ist Hr. Yilmaz.",
        "Это проф. Иванов.",
    ],
)
def test_a_sentence_is_not_cut_after_titles_and_ordinals(sentence):
    assert _parts(f"{sentence} So ist es.") == [sentence, "So ist es."]


@pytest.mark.parametrize(
    "text",
    [
        "I am 36. I live here.",
        "i am 12. and you?",
        "He had 3. Then he left.",
        "It took 1 hr. Then I left.",
        "It is size M. I like it.",
    ],
)
def test_a_number_or_lowercase_word_ends_a_sentence(text):
    assert len(_parts(text)) == 2
