"""Whether something an extractor claims was said, and where exactly."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

QUOTE_LENGTH = 2_000
AROUND = 400

_SAME_MARKS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"'})
_LETTER = re.compile(r"[^\W_]")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_RUN = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+")
_END = re.compile(r"[.!?](?=\s|$)|[。！？\n]")


def locate(quote: str, content: str) -> tuple[int, int] | None:
    """The half-open range of `quote` in `content`, or None when it was not said.

    White space may differ and curly marks may stand for straight ones; a quote with less than
    three letters (two ideographs) proves nothing and is not found.
    """
    wanted = quote.strip()
    if not _says_something(wanted) or len(wanted) > QUOTE_LENGTH:
        return None
    start = content.find(wanted)
    if start >= 0:
        return start, start + len(wanted)
    return _locate_loosely(" ".join(wanted.translate(_SAME_MARKS).split()), content)


def _locate_loosely(wanted: str, content: str) -> tuple[int, int] | None:
    """Where `wanted` (single blanks, straight marks) stands in `content` whatever its blanks. Takes
    time in proportion to the content, also when a quote nearly fits in very many places."""
    words = [match.span() for match in _RUN.finditer(content)]
    plain = " ".join(content[start:end] for start, end in words).translate(_SAME_MARKS)
    found = plain.find(wanted)
    if found < 0:
        return None
    starts = list(accumulate((end - start + 1 for start, end in words), initial=0))

    def original(place: int) -> int:
        word = bisect_right(starts, place) - 1
        return words[word][0] + place - starts[word]

    return original(found), original(found + len(wanted) - 1) + 1


def sentence_around(span: tuple[int, int], content: str) -> tuple[int, int]:
    """The half-open range of the sentence or line of `content` in which `span` lies; it reaches at
    most 400 characters beyond either side of the span."""
    start, end = span
    first = max(0, start - AROUND)
    for earlier in _END.finditer(content, first, start):
        first = earlier.end()
    closing = _END.search(content, end - 1, end + AROUND)
    last = closing.end() if closing else end + AROUND
    blanks = start - first - len(content[first:start].lstrip())
    return first + blanks, end + len(content[end:last].rstrip())


def mentions(name: str, texts: Iterable[str]) -> bool:
    """Whether any of the casefolded `texts` contains `name`, whatever its case and spacing."""
    wanted = " ".join(name.casefold().split())
    return bool(wanted) and any(wanted in text for text in texts)


def shares_words(claim: str, quote: str) -> bool:
    """Whether a word (or for ideographs a character) of `claim` stands in `quote`."""
    said = set(_units(quote))
    return any(unit in said for unit in _units(claim))


def _units(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.casefold()):
        if _IDEOGRAPH.search(word):
            yield from word
        else:
            yield word


def _says_something(quote: str) -> bool:
    letters = _LETTER.findall(quote)
    return len(letters) >= 3 or len(_IDEOGRAPH.findall(quote)) >= 2
