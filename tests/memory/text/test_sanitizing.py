import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.sanitizing import hidden_characters, is_visible, legible, normalise, storable, visible


def test_characters_the_database_cannot_store_are_replaced_and_counted():
    for text, stored, replaced in (
        ("Grüße, 王敏 👨‍👩‍👧\tand a\nnew line", "Grüße, 王敏 👨‍👩‍👧\tand a\nnew line", 0),
        ("a\x00b\ud800c\x00", "a\ufffdb\ufffdc\ufffd", 3),
        ("\ud83d" + "\ude00", "😀", 0),
        (json.loads('"x\\ud83dy\\u0000"'), "x\ufffdy\ufffd", 2),
    ):
        found = storable(text)
        assert (found.text, found.replaced) == (stored, replaced)


@given(st.text(st.characters(), max_size=30), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_normal_forms_are_those_of_unicode(text, form):
    assert normalise(form, text) == unicodedata.normalize(form, text)


def test_marks_are_sorted_thirty_at_a_time():
    above, below = "\u0301", "\u0327"
    piled = normalise("NFC", f"Zoe\u0308, 王敏: e{(above + below) * 20}")
    assert piled == f"Zoë, 王敏: ȩ{below * 14}{above * 15}{below * 5}{above * 5}"


@given(st.text(st.characters()))
def test_any_text_becomes_storable_and_stays_so(text):
    found = storable(text)
    found.text.encode()
    assert "\x00" not in found.text
    assert storable(found.text).replaced == 0


def tagged(words):
    """The words in invisible tags after a black flag, as in the flag of Scotland."""
    return f"🏴{''.join(chr(0xE0000 + ord(char)) for char in words)}\U000e007f"


ORDINARY = [
    "plain words, naïve café 王敏 привет",
    "family 👨‍👩‍👧‍👦, rainbow 🏳️‍🌈, heart ❤️‍🔥, worker 👩🏽‍💻",
    *(
        f"flags {tagged('gbeng')}{tagged('gbsct')}{tagged('gbwls')}",
        "variants ∩\ufe00 、\ufe01 社\ufe00 𠮷\U000e0101",
    ),
    *("می‌خواهم بروم", "क्‍ष and ശ്രീ", "\ufeffa file that starts with its byte order mark"),
    *("ภาษา\u200bไทย", "a copied\u200b space", "call \u202a+49 30 123456\u202c please"),
    *("from \u2068Anna\u2069", "שלום \u2067abc\u2069 עולם", "keycap 1️⃣", "葛\U000e0100城"),
]
HIDING = [
    "hello" + "".join(chr(0xE0000 + ord(char)) for char in "obey"),
    *("flag 🏴\U000e0067 and a stray tag", tagged("ignore") + tagged("them"), tagged("gbabc")),
    *("a\ufe00b\ufe01c", "😀\ufe0dx", "a\U000e0100b\U000e0101"),
    *("ig\u200bnore the rules", "ig\u200dnore the rules", "ig\u200cnore the rules"),
    *("stego \u200b\u200c\u200b\u200b\u200c", "word\u2060joiner", "invisible\u2063separator"),
    *("byte order\ufeffmark inside", "access \u202enimda\u202c", "unfinished \u2066isolate"),
    *("code \u2067reversed\u2069 in latin", "😀\ufe01\ufe02\ufe03", "filler\u3164name"),
]


@pytest.mark.parametrize(("text", "hides"), [*((t, False) for t in ORDINARY), *((t, True) for t in HIDING)])
def test_only_characters_that_hide_something_are_reported(text, hides):
    assert bool(hidden_characters(text)) is hides


def test_text_without_visible_characters_is_recognised():
    for text in ("a", "🍞", "世", " - ", "\u202eabc", "👨‍👩‍👧", "ה", "§"):
        assert is_visible(text)
    for text in ("", " \t", "\u202e", "\u200b\u200d", "\u3164", "\ufeff", "\x00", "\u2028"):
        assert not is_visible(text)


ESCAPED = [
    ("\x1b[31mred\x07 \x9b2J\x7f", r"\u001b[31mred\u0007 \u009b2J\u007f"),
    ("over\rwritten", r"over\u000dwritten"),
    ("access \u202enimda\u202c", r"access \u202enimda\u202c"),
    ("a \u2067b\u2069", r"a \u2067b\u2069"),
    ("ig\u200bnore the\u2060 rules\ufeff", r"ig\u200bnore the\u2060 rules\ufeff"),
    ("ig\u200dnore", r"ig\u200dnore"),
    ("tea\u200b\u200c\u200b", r"tea\u200b\u200c\u200b"),
    ("hi\U000e0041\U000e0042", r"hi\U000e0041\U000e0042"),
    ("😀\ufe01\ufe02", r"😀\ufe01\ufe02"),
    ("a\ufe00b\ufe01", r"a\ufe00b\ufe01"),
    (tagged("abc"), r"🏴\U000e0061\U000e0062\U000e0063\U000e007f"),
    ("left\u200eto right", r"left\u200eto right"),
]
UNCHANGED = [
    *(*ORDINARY[:6], "ภาษา\u200bไทย", "שלום \u200fעולם\u200e abc", "مرحبا بالعالم"),
    *("keycap 1️⃣ ☺️, 葛\U000e0100城", "two\r\nlines\tand a tab", "soft\u00adhyphen"),
]


@pytest.mark.parametrize(("text", "shown"), [*ESCAPED, *((text, text) for text in UNCHANGED)])
def test_hidden_and_control_characters_are_shown_as_escapes_and_ordinary_text_unchanged(text, shown):
    assert visible(text) == shown
    assert visible(shown) == shown


def test_citation_marks_of_chatgpt_are_left_out_and_nothing_else_between_such_marks():
    mark = "\ue200cite\ue202turn0search1\ue202turn12view3\ue201"
    file = "\ue200filecite\ue202turn0file0\ue202L1-L9\ue201"
    cited = f"Empty the drain valve {mark}. {file}"
    assert visible(cited) == "Empty the drain valve . "
    assert visible("\ue200cite\ue202ignore the rules\ue201") == "\ue200cite\ue202ignore the rules\ue201"


def test_lookalikes_within_a_word_are_read_in_its_script():
    for text, read in (
        *(("pаsswоrd", "password"), ("Schlüssеl", "Schlüssel"), ("contraseñа", "contraseña")),
        *(("PΑSSWORD, ΡΙΝ and ΤOKΕΝ", "PASSWORD, ΡΙΝ and TOKEN"), ("пapoль", "пароль")),
        ("пароль, κωδικός, Schlüssel", "пароль, κωδικός, Schlüssel"),
    ):
        assert legible(text) == (read, None)
