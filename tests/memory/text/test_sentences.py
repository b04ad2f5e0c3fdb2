"""Texts are split into sentences, which do not end at abbreviations, titles and ordinals."""

import pytest

from memory.text.sentences import sentences


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
