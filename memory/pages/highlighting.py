"""Splits text into pieces that a template can highlight, without building markup."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memory.recall.reasons import stem
from memory.text.languages import language_of
from memory.text.stemming import FORMS, forms
from memory.text.stop_words import COMMON_WORDS
from memory.text.tokenization import query_words

PASSAGE_LENGTH = 400
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Mark:
    """A half-open character range, with the number of its note (0 for none) and its link."""

    start: int
    end: int
    number: int = 0
    link: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text: whether it is marked, the numbers of the notes that end here, and the link of the first
    mark over it."""

    text: str
    marked: bool = False
    ends: tuple[int, ...] = ()
    link: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a text in pieces; `before` and `after` tell whether there is more."""

    pieces: tuple[Piece, ...]
    before: bool
    after: bool


def pieces(text: str, marks: Iterable[Mark]) -> tuple[Piece, ...]:
    """Split the whole text. Marks may overlap; parts outside the text are ignored."""
    inside = (replace(mark, start=max(0, mark.start), end=min(len(text), mark.end)) for mark in marks)
    kept = [mark for mark in inside if mark.start < mark.end]
    cuts = sorted({0, len(text), *(m.start for m in kept), *(m.end for m in kept)})
    return tuple(
        Piece(
            text[start:end],
            any(mark.start <= start and end <= mark.end for mark in kept),
            tuple(sorted({mark.number for mark in kept if mark.end == end and mark.number})),
            next((mark.link for mark in kept if mark.start <= start and end <= mark.end), ""),
        )
        for start, end in pairwise(cuts)
    )


def passage(text: str, span: tuple[int, int], words: Sequence[str]) -> Passage:
    """The part of a text to show in search results, with the search words marked. `span` is the passage that
    was found, (0, 0) if unknown."""
    start = _passage_start(text, span, words)
    end = min(len(text), start + PASSAGE_LENGTH)
    shown = text[start:end]
    marks = [Mark(begin, stop) for begin, stop in match_ranges(shown, words)]
    return Passage(pieces(shown, marks), start > 0, end < len(text))


def match_ranges(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """The character ranges of the search words in a text, in any inflected form."""
    wanted = {stem(form) for word in words if word not in COMMON_WORDS for form in word.split(FORMS)}
    language = language_of(text)
    ranges = []
    for token in _WORD.finditer(text):
        parts = (*query_words(token[0]), *forms(token[0].lower(), language))
        if wanted.intersection(map(stem, parts)):
            ranges += _ranges_within(token, wanted) or [token.span()]
    return ranges


def _ranges_within(token: re.Match[str], wanted: set[str]) -> list[tuple[int, int]]:
    """In scripts without spaces, the ranges of the search words within a token."""
    if len(token[0]) == 1 or not any(ord(char) > 0x0DFF for char in token[0]):
        return []
    lowered = token[0].casefold()
    found = []
    for word in wanted:
        index = lowered.find(word)
        while index >= 0:
            found.append((token.start() + index, token.start() + index + len(word)))
            index = lowered.find(word, index + 1)
    return found


def _passage_start(text: str, span: tuple[int, int], words: Sequence[str]) -> int:
    if len(text) <= PASSAGE_LENGTH:
        return 0
    start, end = span
    if end <= start:
        near = match_ranges(text[:20_000], words)
        start = max(0, near[0][0] - PASSAGE_LENGTH // 4) if near else 0
    gap = text.rfind(" ", max(0, start - 30), start) if start else 0
    return max(0, gap + 1 if gap > 0 else start)
