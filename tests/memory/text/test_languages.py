import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.languages import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where did I park the car?", "en"),
        ("What was her name again?", "en"),
        ("Luna's a great name!", ""),
        ("Wo habe ich das Auto geparkt?", "de"),
        ("Was war in der Kiste?", "de"),
        ("¿Dónde aparqué el coche?", "es"),
        ("Où est-ce que j'ai garé la voiture ?", "fr"),
        ("Dove ho messo le chiavi della macchina?", "it"),
        ("Onde estão as chaves do meu carro?", "pt"),
        ("Waar heb ik de sleutels van mijn fiets?", "nl"),
        ("Var har jag lagt nycklarna till båten?", "sv"),
        ("Gdzie są klucze do mojego samochodu?", "pl"),
        ("Arabanın anahtarlarını nereye koydum, biliyor musun ve neden?", "tr"),
        ("Где мои ключи?", "ru"),
        ("我的钥匙在哪里？", "zh"),
        ("鍵はどこ？", "ja"),
        ("열쇠가 어디 있지?", "ko"),
        ("กุญแจอยู่ที่ไหน", "th"),
        ("أين المفاتيح؟", "ar"),
        ("मेरी चाबी कहाँ है?", "hi"),
        ("Πού είναι τα κλειδιά;", "el"),
        ("איפה המפתחות?", "he"),
        ("我的 MacBook 密码是什么", "zh"),
        ("My friend 明 lives in the city where we met", "en"),
        ("Bruno", ""),
        ("42 / 7", ""),
        ("🍕", ""),
        ("", ""),
    ],
)
def test_a_text_tells_its_language(text, language):
    assert language_of(text) == language


@given(st.text(st.characters()))
def test_any_text_is_of_some_language_or_none(text):
    assert len(language_of(text)) in {0, 2}


def test_a_long_text_is_read_quickly():
    started = time.process_time()
    for text in ("und " * 100_000, "的" * 500_000, "é" * 500_000):
        language_of(text)
    assert time.process_time() - started < 2
