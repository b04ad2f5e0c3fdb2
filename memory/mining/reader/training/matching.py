"""Whether a text contains the words of a labelled value."""

import re
import unicodedata

from memory.text.patterns import UNSPACED
from memory.text.russian import dictionary_forms

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(f"[{UNSPACED}]")


def contains(text: str, value: str) -> bool:
    """Whether every word of a value is in the text; beyond ASCII also as a prefix or, in Russian, in another
    form."""
    text, value = _plain(text), _plain(value)
    words = set(_WORD.findall(text))
    parts = value.split() if _UNSPACED.search(value) else _WORD.findall(value)
    return all(_is_in(part, words, text) for part in parts)


def _is_in(word: str, words: set[str], text: str) -> bool:
    if word.isascii():
        return word in words
    if _UNSPACED.search(word):
        return word in text
    forms = dictionary_forms(word)
    return any(one.startswith(word) or forms & dictionary_forms(one) for one in words)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
