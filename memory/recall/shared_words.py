"""The words of a question that a text shares with it, as they stand in the question."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory import stemming
from memory.common_words import COMMON_CHARACTERS, COMMON_WORDS
from memory.languages import language_of
from memory.lexical import index_text, query_words
from memory.stemming import forms
from memory.word_forms import filed_forms

LONGEST_READ = 50_000

_EDGES = " \t.,;:!?…\"'`()[]{}<>*_~|/\\¿¡“”„‘’«»‹›。？！、，：；「」『』（）《》؟،؛"
_GRAMMAR = "".join(sorted(COMMON_CHARACTERS))
_LATIN = re.compile(r"[a-z0-9]+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7ff]+"
)


@dataclass(frozen=True, slots=True)
class _Known:
    """The words of a text in the form in which they are compared, and the question's language."""

    words: frozenset[str]
    language: str


def shared_words(question: str, text: str) -> tuple[str, ...]:
    """The telling words of `question` that `text` has in any form, in their order, each once. Of a
    script without spaces, the longest runs of characters that both have."""
    read = text[:LONGEST_READ]
    filed = (*index_text(read).split(), *filed_forms(read).split())
    known = _Known(frozenset(map(stem, filed)), _spoken(question))
    tokens = (token.strip(_EDGES) for token in question.split())
    found = (word for token in tokens for word in _shared(token, known))
    return tuple({word.casefold(): word for word in reversed([*found])}.values())[::-1]


@lru_cache(maxsize=8)
def _spoken(question: str) -> str:
    """The language of a question, which is held against one text after another."""
    return language_of(question)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The form under which a prepared word is compared with others."""
    return stemming.stem(word, "english") if _LATIN.fullmatch(word) else word


def _shared(token: str, known: _Known) -> Iterator[str]:
    position = 0
    for run in _UNSPACED.finditer(token):
        yield from _word(token[position : run.start()], known)
        yield from _runs(run[0], known)
        position = run.end()
    yield from _word(token[position:], known)


def _word(token: str, known: _Known) -> Iterator[str]:
    telling = (word for word in query_words(token) if word not in COMMON_WORDS)
    other = forms(token.casefold(), known.language)
    if token.casefold() not in COMMON_WORDS and any(
        stem(word) in known.words for word in (*telling, *other)
    ):
        yield token


def _runs(run: str, known: _Known) -> Iterator[str]:
    """The longest pieces of a run whose pairs of characters are all known."""
    start = 0
    for place in range(1, len(run) + 1):
        if place < len(run) and run[place - 1 : place + 1] in known.words:
            continue
        piece = run[start:place].strip(_GRAMMAR)
        if len(piece) > 1 or piece in known.words:
            yield piece
        start = place
