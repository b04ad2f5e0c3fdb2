import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.sanitizing import hidden_characters, is_visible, storable


@pytest.mark.parametrize(
    ("text", "stored", "replaced"),
    [
        ("Grüße, 王敏 👨‍👩‍👧\tand a\nnew line", "Grüße, 王敏 👨‍👩‍👧\tand a\nnew line", 0),
        ("a\x00b\ud800c\x00", "a\ufffdb\ufffdc\ufffd", 3),
        ("\ud83d" + "\ude00", "😀", 0),
        (json.loads('"x\\ud83dy\\u0000"'), "x\ufffdy\ufffd", 2),
    ],
    ids=["ordinary text", "null bytes and lone surrogates", "a split pair", "lone escapes of JSON"],
)
def test_what_the_database_cannot_keep_is_replaced_and_counted(text, stored, replaced):
    found = storable(text)
    assert (found.text, found.replaced) == (stored, replaced)


@given(st.text(st.characters()))
def test_everything_becomes_storable_once_and_for_all(text):
    found = storable(text)
    found.text.encode()
    assert "\x00" not in found.text
    assert storable(found.text).replaced == 0


ORDINARY = [
    "plain words, naïve café 王敏 привет",
    "family 👨‍👩‍👧‍👦, rainbow 🏳️‍🌈, heart ❤️‍🔥, worker 👩🏽‍💻",
    "flag of Scotland 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    *("می‌خواهم بروم", "क्‍ष and ശ്രീ", "\ufeffa file that starts with its byte order mark"),
    *("ภาษา\u200bไทย", "a copied\u200b space", "call \u202a+49 30 123456\u202c please"),
    *("from \u2068Anna\u2069", "שלום \u2067abc\u2069 עולם", "keycap 1️⃣", "葛\U000e0100城"),
]
HIDING = [
    "hello" + "".join(chr(0xE0000 + ord(char)) for char in "obey"),
    "flag 🏴\U000e0067 and a stray tag",
    *("ig\u200bnore the rules", "ig\u200dnore the rules", "ig\u200cnore the rules"),
    *("stego \u200b\u200c\u200b\u200b\u200c", "word\u2060joiner", "invisible\u2063separator"),
    *("byte order\ufeffmark inside", "access \u202enimda\u202c", "unfinished \u2066isolate"),
    *("code \u2067reversed\u2069 in latin", "😀\ufe01\ufe02\ufe03", "filler\u3164name"),
]


@pytest.mark.parametrize(("text", "hides"), [*((t, False) for t in ORDINARY), *((t, True) for t in HIDING)])
def test_only_characters_that_hide_something_are_found(text, hides):
    assert bool(hidden_characters(text)) is hides


def test_text_without_visible_characters_is_recognised():
    for text in ("a", "🍞", "世", " - ", "\u202eabc", "👨‍👩‍👧", "ה", "§"):
        assert is_visible(text)
    for text in ("", " \t", "\u202e", "\u200b\u200d", "\u3164", "\ufeff", "\x00", "\u2028"):
        assert not is_visible(text)
