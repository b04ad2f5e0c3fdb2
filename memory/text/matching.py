"""Matches the words of one text with those of another, in any inflected form."""

import re
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from typing import NamedTuple

from memory.text import tokenization
from memory.text.languages import language_of
from memory.text.sentences import Range
from memory.text.stemming import FORMS, filed_forms, forms
from memory.text.stop_words import COMMON_CHARACTERS, COMMON_WORDS
from memory.text.tokenization import DENSE_RUN, index_text, query_words

JOINED, SEPARATE = re.compile(r"\S+"), re.compile(r"\w+")
"""Words with the punctuation inside them (`node.js`), and without."""
_EDGES = " \t.,;:!?…\"'`()[]{}<>*_~|/\\¿¡“”„‘’«»‹›。？！、，：；「」『』（）《》؟،؛"
_GRAMMAR = "".join(sorted(COMMON_CHARACTERS))
_LATIN = re.compile(r"[a-z0-9]+")


class _Word(NamedTuple):
    """The range of a word and the forms it is compared by; without forms, of a run of unspaced script."""

    start: int
    end: int
    forms: frozenset[str] = frozenset()


def matches(text: str, known: Set[str], words: re.Pattern[str] = SEPARATE) -> Iterator[Range]:
    """The ranges of the content words of a text that are `known` in any form, in order; in unspaced scripts,
    the longest runs of which all character pairs are."""
    for word in _words(text, words):
        if not word.forms:
            yield from _runs(text, word, known)
        elif not word.forms.isdisjoint(known):
            yield word.start, word.end


@lru_cache(maxsize=1_000)
def lexemes(text: str) -> frozenset[str]:
    """The forms by which the words of a text are compared, cached because unfiled messages are
    compared again in every recall."""
    return frozenset(map(stem, (*index_text(text).split(), *filed_forms(text).split())))


def lexemes_of_terms(terms: Iterable[str]) -> frozenset[str]:
    """The forms by which the content words among search terms are compared."""
    return frozenset(stem(form) for term in terms if term not in COMMON_WORDS for form in term.split(FORMS))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The form by which a prepared word is compared."""
    return tokenization.stem(word, "english") if _LATIN.fullmatch(word) else word


@lru_cache(maxsize=8)
def _words(text: str, words: re.Pattern[str]) -> tuple[_Word, ...]:
    """The content words of a text, cached because a question is compared with many texts."""
    language = language_of(text)
    return tuple(word for token in words.finditer(text) for word in _words_in(text, *token.span(), language))


def _words_in(text: str, start: int, end: int, language: str) -> Iterator[_Word]:
    for run in DENSE_RUN.finditer(text, start, end):
        yield from _word(text, start, run.start(), language)
        yield _Word(*run.span())
        start = run.end()
    yield from _word(text, start, end, language)


def _word(text: str, start: int, end: int, language: str) -> Iterator[_Word]:
    written = text[start:end].strip(_EDGES)
    if written.casefold() in COMMON_WORDS:
        return
    content_words = (word for word in query_words(written) if word not in COMMON_WORDS)
    compared = frozenset(map(stem, (*content_words, *forms(written.casefold(), language))))
    if compared:
        start = text.index(written, start)
        yield _Word(start, start + len(written), compared)


def _runs(text: str, run: _Word, known: Set[str]) -> Iterator[Range]:
    """The longest parts of a run whose character pairs are all known, without grammar at their edges."""
    start = run.start
    for place in range(run.start + 1, run.end + 1):
        if place < run.end and text[place - 1 : place + 1] in known:
            continue
        part = text[start:place].strip(_GRAMMAR)
        if len(part) > 1 or part in known:
            start = text.index(part, start)
            yield start, start + len(part)
        start = place
