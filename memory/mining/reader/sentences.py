"""Find the sentences of words and tokens."""

import bisect
from collections.abc import Sequence

from llm.multilingual.tokens import Span


def sentence_of(place: int, ranges: Sequence[Span]) -> Span:
    """The sentence that contains the character at `place`."""
    return next((found for found in ranges if found[0] <= place < found[1]), ranges[-1])


def overlaps_any(place: Span, ranges: Sequence[Span]) -> bool:
    """Whether a span overlaps any of the ordered `ranges`."""
    at = bisect.bisect_right(ranges, (place[0], len(ranges) and ranges[-1][1] + 1)) - 1
    near = ranges[max(at, 0) : at + 2]
    return any(start < place[1] and place[0] < end for start, end in near)


def sentence_numbers(spans: Sequence[Span], ranges: Sequence[Span]) -> list[int]:
    """The number of the sentence that each token belongs to."""
    numbers, at = [], 0
    for start, end in spans:
        while end > start and at + 1 < len(ranges) and end > ranges[at][1]:
            at += 1
        numbers.append(at)
    return numbers
