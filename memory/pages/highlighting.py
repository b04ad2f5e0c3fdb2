"""Splits text into pieces that a template can highlight, without building markup."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from memory.text.matching import lexemes_of_terms, matches

PASSAGE_LENGTH = 400


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
    known = lexemes_of_terms(words)
    start = _passage_start(text, span, known)
    end = min(len(text), start + PASSAGE_LENGTH)
    shown = text[start:end]
    marks = [Mark(begin, stop) for begin, stop in matches(shown, known)]
    return Passage(pieces(shown, marks), start > 0, end < len(text))


def _passage_start(text: str, span: tuple[int, int], known: Set[str]) -> int:
    if len(text) <= PASSAGE_LENGTH:
        return 0
    start, end = span
    if end <= start:
        first, _end = next(matches(text[:20_000], known), (0, 0))
        start = max(0, first - PASSAGE_LENGTH // 4)
    gap = text.rfind(" ", max(0, start - 30), start) if start else 0
    return max(0, gap + 1 if gap > 0 else start)
