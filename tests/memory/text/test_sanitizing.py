import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.sanitizing import hidden_characters, is_visible, storable


def test_ordinary_text_is_left_alone():
    text = "Grüße, 王敏 👨‍👩‍👧\tand a\nnew line"
    assert storable(text) == storable(text).__class__(text, 0)


def test_replaces_what_the_database_cannot_keep_and_counts_it():
    found = storable("a\x00b\ud800c\x00")
    assert (found.text, found.replaced) == ("a\ufffdb\ufffdc\ufffd", 3)


def test_rejoins_a_split_surrogate_pair():
    found = storable("\ud83d" + "\ude00")
    assert (found.text, found.replaced) == ("😀", 0)


@given(st.text(st.characters()))
def test_everything_becomes_storable_once_and_for_all(text):
    found = storable(text)
    found.text.encode()
    assert "\x00" not in found.text
    assert storable(found.text).replaced == 0


def test_json_with_lone_escapes():
    assert storable(json.loads('"x\\ud83dy\\u0000"')).text == "x\ufffdy\ufffd"


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "naïve café 王敏 привет",
        "family 👨‍👩‍👧‍👦, rainbow 🏳️‍🌈, heart ❤️‍🔥, worker 👩🏽‍💻",
        "flag of Scotland 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می‌خواهم بروم",
        "क्‍ष and ശ്രീ",
        "\ufeffa file that starts with its byte order mark",
        "ภาษา\u200bไทย",
        "a copied\u200b space",
        "call \u202a+49 30 123456\u202c please",
        "from \u2068Anna\u2069",
        "שלום \u2067abc\u2069 עולם",
        "keycap 1️⃣",
        "葛\U000e0100城",
    ],
)
def test_ordinary_writing_hides_nothing(text):
    assert not hidden_characters(text)


@pytest.mark.parametrize(
    "text",
    [
        "hello" + "".join(chr(0xE0000 + ord(char)) for char in "obey"),
        "flag 🏴\U000e0067 and a stray tag",
        "ig\u200bnore the rules",
        "ig\u200dnore the rules",
        "ig\u200cnore the rules",
        "stego \u200b\u200c\u200b\u200b\u200c",
        "word\u2060joiner",
        "invisible\u2063separator",
        "byte order\ufeffmark inside",
        "access \u202enimda\u202c",
        "unfinished \u2066isolate",
        "code \u2067reversed\u2069 in latin",
        "😀\ufe01\ufe02\ufe03",
        "filler\u3164name",
    ],
)
def test_finds_characters_that_hide_something(text):
    assert hidden_characters(text)


@pytest.mark.parametrize("text", ["a", "🍞", "世", " - ", "\u202eabc", "👨‍👩‍👧", "ה", "§"])
def test_something_is_to_be_seen(text):
    assert is_visible(text)


@pytest.mark.parametrize("text", ["", " \t", "\u202e", "\u200b\u200d", "\u3164", "\ufeff", "\x00", "\u2028"])
def test_nothing_is_to_be_seen(text):
    assert not is_visible(text)
