"""Sentences of a message, and the windows of them that the encoder reads at once."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from llm.multilingual.tokens import Span
from memory.text.patterns import compile_pattern

_END = compile_pattern(r"[.!?…]+[\"'”’»)\]]*(?:\s|$)|[。！？]+[”」』）]*|\n+")


def sentences(text: str) -> list[Span]:
    """Half-open ranges of the sentences of `text`, which cover all of it."""
    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    return [(start, end) for start, end in pairwise(ends) if end > start]


def sentence_of(place: int, ranges: Sequence[Span]) -> Span:
    """The sentence in which the character at `place` stands."""
    return next((found for found in ranges if found[0] <= place < found[1]), ranges[-1])


def windows(lengths: Sequence[int], longest: int) -> Iterator[tuple[int, int]]:
    """Ranges of consecutive sentences with at most `longest` tokens together; a longer sentence stands
    alone."""
    start = total = 0
    for at, length in enumerate(lengths):
        if at > start and total + length > longest:
            yield start, at
            start, total = at, 0
        total += length
    if start < len(lengths):
        yield start, len(lengths)


def numbered(spans: Sequence[Span], ranges: Sequence[Span]) -> list[int]:
    """The number of the sentence that each token belongs to."""
    numbers, at = [], 0
    for start, end in spans:
        while end > start and at + 1 < len(ranges) and end > ranges[at][1]:
            at += 1
        numbers.append(at)
    return numbers
