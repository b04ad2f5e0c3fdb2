"""Detect the language of a text by its script and function words."""

import re
import unicodedata
from collections import Counter

from memory.text.stop_words import FUNCTION_WORDS, TELLING_LETTERS

READ = 2_000
EVIDENCE = 2

# The script with the most letters decides; weights account for dense scripts.
_SCRIPTS = (
    (re.compile("[\u3041-\u30ff]"), "ja", 4),
    (re.compile("[\u3400-\u9fff\uf900-\ufaff]"), "zh", 2),
    (re.compile("[\u1100-\u11ff\uac00-\ud7ff]"), "ko", 2),
    (re.compile("[\u0e00-\u0e7f]"), "th", 1),
    (re.compile("[\u0400-\u04ff]"), "ru", 1),
    (re.compile("[\u0600-\u06ff\u0750-\u077f]"), "ar", 1),
    (re.compile("[\u0900-\u097f]"), "hi", 1),
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), "el", 1),
    (re.compile("[\u0590-\u05ff]"), "he", 1),
)
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_WORD = re.compile("[a-z\u00df-\u024f]{2,}")
_FIRST_PERSON = re.compile(r"\bI(?= [a-z]|['’])")
_UNCAPITALISED = re.compile("\\b[a-z\u00df-\u024f]{2}")
_SPOKEN_IN = {
    word: tuple(code for code, words in FUNCTION_WORDS.items() if word in words)
    for word in frozenset().union(*FUNCTION_WORDS.values())
}


def language_of(text: str, evidence: int = EVIDENCE) -> str:
    """The ISO 639-1 code of the language, or "" if the text is inconclusive, like a name or number alone.

    Reads the first 2,000 characters. `evidence` is how many function words or telling letters a Latin-script
    language other than English needs.
    """
    begun = unicodedata.normalize("NFC", text[:READ])
    if begun.isascii():
        return _latin_language(begun, evidence)
    weights = {code: len(script.findall(begun)) * heft for script, code, heft in _SCRIPTS}
    best = max(weights, key=lambda code: weights[code])
    if weights[best] > len(_LATIN.findall(begun)):
        return best
    return _latin_language(begun, evidence)


def is_english(sentence: str) -> bool:
    """Whether a sentence is certainly English: it has an English "I", or more English function words than
    those of any other language; or it is a name or number alone."""
    language = language_of(sentence, 1)
    is_name = not language and not _UNCAPITALISED.search(sentence)
    return language == "en" or is_name or bool(_FIRST_PERSON.search(sentence))


def _latin_language(text: str, least: int) -> str:
    lowered = text.lower()
    known = (_SPOKEN_IN[word] for word in _WORD.findall(lowered) if word in _SPOKEN_IN)
    met = Counter(code for codes in known for code in codes)
    signs = {code: met[code] + _letters(lowered, code) for code in FUNCTION_WORDS}
    # English comes first and wins ties.
    best = max(signs, key=lambda code: signs[code])
    return best if signs[best] >= (1 if best == "en" else least) else ""


def _letters(text: str, code: str) -> int:
    if text.isascii():
        return 0
    letters = TELLING_LETTERS.get(code, "")
    return min(2, sum(letter in text for letter in letters))
