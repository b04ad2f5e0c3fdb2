"""The words of a question that a text shares with it, as they stand in the question."""

import re
from collections.abc import Iterator, Set
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
class _Piece:
    """A word of a question with the forms in which it is compared, or a run of a script without
    spaces, which is compared by its characters."""

    written: str
    forms: frozenset[str] = frozenset()
    unspaced: bool = False


def shared_words(question: str, text: str) -> tuple[str, ...]:
    """The telling words of `question` that `text` has in any form, in their order, each once. Of a
    script without spaces, the longest runs of characters that both have."""
    read = text[:LONGEST_READ]
    known = frozenset(map(stem, (*index_text(read).split(), *filed_forms(read).split())))
    found = (word for piece in _pieces(question) for word in _shared(piece, known))
    return tuple({word.casefold(): word for word in reversed([*found])}.values())[::-1]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The form under which a prepared word is compared with others."""
    return stemming.stem(word, "english") if _LATIN.fullmatch(word) else word


@lru_cache(maxsize=8)
def _pieces(question: str) -> tuple[_Piece, ...]:
    """The telling pieces of a question, which is held against one text after another."""
    language = language_of(question)
    tokens = (token.strip(_EDGES) for token in question.split())
    return tuple(piece for token in tokens for piece in _pieces_of(token, language))


def _pieces_of(token: str, language: str) -> Iterator[_Piece]:
    position = 0
    for run in _UNSPACED.finditer(token):
        yield from _word(token[position : run.start()], language)
        yield _Piece(run[0], unspaced=True)
        position = run.end()
    yield from _word(token[position:], language)


def _word(token: str, language: str) -> Iterator[_Piece]:
    if token.casefold() in COMMON_WORDS:
        return
    telling = (word for word in query_words(token) if word not in COMMON_WORDS)
    compared = frozenset(map(stem, (*telling, *forms(token.casefold(), language))))
    if compared:
        yield _Piece(token, compared)


def _shared(piece: _Piece, known: Set[str]) -> Iterator[str]:
    if piece.unspaced:
        yield from _runs(piece.written, known)
    elif not piece.forms.isdisjoint(known):
        yield piece.written


def _runs(run: str, known: Set[str]) -> Iterator[str]:
    """The longest pieces of a run whose pairs of characters are all known."""
    start = 0
    for place in range(1, len(run) + 1):
        if place < len(run) and run[place - 1 : place + 1] in known:
            continue
        piece = run[start:place].strip(_GRAMMAR)
        if len(piece) > 1 or piece in known:
            yield piece
        start = place
