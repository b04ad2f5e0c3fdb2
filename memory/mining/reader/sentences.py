"""Split a message into sentences, and sentences into windows for the encoder."""

import bisect
from collections.abc import Iterator, Sequence
from itertools import pairwise

from llm.multilingual.tokens import Span
from memory.text.patterns import compile_pattern

_END = compile_pattern(r"[.!?…]+[\"'”’»)\]]*(?:\s|$)|[。！？]+[”」』）]*|\n+")
# Full stops that do not end a sentence: in abbreviations, and in German ordinals before a month.
_ABBREVIATED = compile_pattern(
    r"(?:^|[^\pL\pN])(?:dr|mr|mrs|ms|prof|st|sr|sra|mme|bzw|ca|z\.? ?b|d\.? ?h|e\.g|i\.e|vs)\.\s$",
    ignore_case=True,
)
_ORDINAL = compile_pattern(r"(?:^|[^\pL\pN])\d\d?\.\s$")
_MONTH = compile_pattern(r"(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)", ignore_case=True)
_CONTEXT_LENGTH = 16


def sentences(text: str) -> list[Span]:
    """Half-open ranges of the sentences of `text`, which cover all of it."""
    found = (match.end() for match in _END.finditer(text))
    ends = [0, *(end for end in found if not _is_mid_sentence(text, end)), len(text)]
    return [(start, end) for start, end in pairwise(ends) if end > start]


def _is_mid_sentence(text: str, end: int) -> bool:
    before = text[max(0, end - _CONTEXT_LENGTH) : end]
    if _ABBREVIATED.search(before):
        return True
    return bool(_ORDINAL.search(before) and _MONTH.match(text[end : end + _CONTEXT_LENGTH]))


def sentence_of(place: int, ranges: Sequence[Span]) -> Span:
    """The sentence that contains the character at `place`."""
    return next((found for found in ranges if found[0] <= place < found[1]), ranges[-1])


def overlaps_any(place: Span, ranges: Sequence[Span]) -> bool:
    """Whether a span overlaps any of the ordered `ranges`."""
    at = bisect.bisect_right(ranges, (place[0], len(ranges) and ranges[-1][1] + 1)) - 1
    near = ranges[max(at, 0) : at + 2]
    return any(start < place[1] and place[0] < end for start, end in near)


def windows(lengths: Sequence[int], longest: int) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive sentences with at most `longest` tokens in total; a longer sentence is a range of
    its own."""
    start = total = 0
    for at, length in enumerate(lengths):
        if at > start and total + length > longest:
            yield start, at
            start, total = at, 0
        total += length
    if start < len(lengths):
        yield start, len(lengths)


def sentence_numbers(spans: Sequence[Span], ranges: Sequence[Span]) -> list[int]:
    """The number of the sentence that each token belongs to."""
    numbers, at = [], 0
    for start, end in spans:
        while end > start and at + 1 < len(ranges) and end > ranges[at][1]:
            at += 1
        numbers.append(at)
    return numbers
