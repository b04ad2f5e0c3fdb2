"""What is filed beside the words of a text, and what a question is searched by, so that words are
found in other forms than they were said.

English is left to PostgreSQL's own dictionary, and scripts without spaces to pairs of characters.
"""

import re
import unicodedata
from collections.abc import Iterator

from memory.function_words import FUNCTION_WORDS, GRAMMAR_RUNS, GRAMMAR_WORDS
from memory.languages import language_of
from memory.lexical import index_text, query_words
from memory.stemming import forms

FORMS = "|"
"""Stands between the forms of one word of a question."""

_WORD = re.compile(r"[^\W\d_]+")
_WITHOUT_STEMS = frozenset({"en", "ru", "zh", "ja", "ko", "th"})
_NOTHING: frozenset[str] = frozenset()
_GRAMMAR = {language: re.compile(runs) for language, runs in GRAMMAR_RUNS.items()}


def filed_forms(text: str, limit: int = 60_000) -> str:
    """The other forms of the words of a text, to be filed after its prepared words. Empty for
    English and where no stemmer is at hand."""
    language = language_of(text, evidence=1)
    if language in _WITHOUT_STEMS:
        return ""
    words = _WORD.findall(unicodedata.normalize("NFKC", text[:limit]).lower())
    empty = _grammar(language)
    found = (form for word in words if word not in empty for form in forms(word, language))
    return " ".join(found)[:limit]


def search_terms(text: str, limit: int = 32) -> tuple[str, ...]:
    """The words of a question as `lexical.query_words` prepares them, each followed by its other
    forms (`fahrrader|fahrrad`). Outside English, words that are mere grammar are left out."""
    language = language_of(text)
    if language in {"en", ""}:
        return query_words(text, limit)
    telling = _telling(text, language)
    terms = tuple(dict.fromkeys(_terms(telling, language)))
    return terms[:limit] or query_words(text, limit)


def _telling(text: str, language: str) -> str:
    normal = unicodedata.normalize("NFKC", text[:20_000])
    if language in _GRAMMAR:
        return _GRAMMAR[language].sub(" ", normal)
    empty = _grammar(language)
    return _WORD.sub(lambda word: " " if word[0].lower() in empty else word[0], normal)


def _grammar(language: str) -> frozenset[str]:
    return FUNCTION_WORDS.get(language) or GRAMMAR_WORDS.get(language, _NOTHING)


def _terms(text: str, language: str) -> Iterator[str]:
    for token in text.split():
        other = {index_text(word): forms(word, language) for word in _WORD.findall(token.lower())}
        for word in query_words(token):
            yield FORMS.join(dict.fromkeys((word, *other.get(word, ()))))
