import time

from hypothesis import given
from hypothesis import strategies as st

from memory.text.languages import language_of

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


def test_a_long_text_is_read_quickly():
    started = time.process_time()
    for text in ("und " * 100_000, "的" * 500_000, "é" * 500_000):
        language_of(text)
    assert time.process_time() - started < 2
