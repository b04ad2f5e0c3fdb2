"""Detect the language of a text by its script and function words."""

import re
import unicodedata
from collections import Counter

from memory.text.stop_words import DISTINCTIVE_LETTERS, FUNCTION_WORDS

MAX_INPUT_LENGTH = 2_000
MIN_EVIDENCE = 2

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
_LANGUAGES_OF = {
    word: tuple(code for code, words in FUNCTION_WORDS.items() if word in words)
    for word in frozenset().union(*FUNCTION_WORDS.values())
}


def language_of(text: str, evidence: int = MIN_EVIDENCE) -> str:
    """The ISO 639-1 code of the language, or "" if the text is inconclusive, such as a name or number.

    Reads the first 2,000 characters. `evidence` is how many function words or distinctive letters a
    Latin-script language other than English needs.
    """
    beginning = unicodedata.normalize("NFC", text[:MAX_INPUT_LENGTH])
    if beginning.isascii():
        return _latin_language(beginning, evidence)
    weights = {code: len(script.findall(beginning)) * weight for script, code, weight in _SCRIPTS}
    best = max(weights, key=lambda code: weights[code])
    if weights[best] > len(_LATIN.findall(beginning)):
        return best
    return _latin_language(beginning, evidence)


def is_english(sentence: str) -> bool:
    """Whether a sentence is certainly English: it contains "I", has more function words of English than of
    any other language, or is only a name or number."""
    language = language_of(sentence, 1)
    is_name = not language and not _UNCAPITALISED.search(sentence)
    return language == "en" or is_name or bool(_FIRST_PERSON.search(sentence))


def _latin_language(text: str, minimum: int) -> str:
    lowered = text.lower()
    known = (_LANGUAGES_OF[word] for word in _WORD.findall(lowered) if word in _LANGUAGES_OF)
    counts = Counter(code for codes in known for code in codes)
    scores = {code: counts[code] + _letter_evidence(lowered, code) for code in FUNCTION_WORDS}
    # English comes first and wins ties.
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] >= (1 if best == "en" else minimum) else ""


def _letter_evidence(text: str, code: str) -> int:
    if text.isascii():
        return 0
    letters = DISTINCTIVE_LETTERS.get(code, "")
    return min(2, sum(letter in text for letter in letters))
