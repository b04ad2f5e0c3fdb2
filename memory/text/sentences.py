"""Splits text of any script into sentences, and finds them again."""

import bisect
from collections.abc import Sequence
from itertools import pairwise

from memory.text.patterns import compile_pattern, patterns, table_of

Range = tuple[int, int]

_END = compile_pattern(r"[.!?…]+[\"'”’»)\]]*(?:\s+|$)|[。！？؟।]+[」』”）]*\s*|\n+")
_WORDS = patterns(table_of(__file__))
_ABBREVIATION = compile_pattern(rf"(?:^|[^\pL\pN])(?:{_WORDS['abbreviation']})\. +$", ignore_case=True)
_TITLE = compile_pattern(rf"(?:^|[^\pL\pN])(?:{_WORDS['title']})\. +$")
_MONTH = compile_pattern(rf"(?:^|[^\pL])(?:{_WORDS['short_month']})\. +$", ignore_case=True)
_ORDINAL = compile_pattern(_WORDS["ordinal"], ignore_case=True)
_AFTER_DAY = compile_pattern(
    rf"{_WORDS['month']}(?:[^\pL]|$)|(?:bis|und|oder|[-–—])(?: zum| dem)? ?\d", ignore_case=True
)
_CONTEXT_LENGTH = 24


def sentences(text: str) -> list[Range]:
    """The half-open ranges of the sentences and lines of a text, each with the space after it; no blank
    ones."""
    found = (match.end() for match in _END.finditer(text))
    ends = [0, *(end for end in found if not _is_mid_sentence(text, end)), len(text)]
    return [(start, end) for start, end in pairwise(ends) if text[start:end].strip()]


def _is_mid_sentence(text: str, end: int) -> bool:
    """Whether the full stop before `end` belongs to an abbreviation, an ordinal or a day."""
    before, after = text[max(0, end - _CONTEXT_LENGTH) : end], text[end : end + _CONTEXT_LENGTH]
    if not before.endswith(" ") or not after:
        return False
    if _TITLE.search(before):
        return after[0].isupper() and after[:2].isalpha()
    if _ABBREVIATION.search(before) or (after[0].isdecimal() and _MONTH.search(before)):
        return True
    ordinal = _ORDINAL.search(before)
    if ordinal is None:
        return False
    is_date = (ordinal["date"] or ordinal["day"]) and after[0].islower()
    return bool(is_date or (ordinal["noun"] and after[0].isalpha()) or _AFTER_DAY.match(after))


def sentence_of(place: int, ranges: Sequence[Range]) -> Range:
    """The sentence that contains the character at `place`."""
    return next((found for found in ranges if found[0] <= place < found[1]), ranges[-1])


def overlaps_any(place: Range, ranges: Sequence[Range]) -> bool:
    """Whether a span overlaps any of the ordered `ranges`."""
    at = bisect.bisect_right(ranges, (place[0], len(ranges) and ranges[-1][1] + 1)) - 1
    near = ranges[max(at, 0) : at + 2]
    return any(start < place[1] and place[0] < end for start, end in near)


def sentence_numbers(spans: Sequence[Range], ranges: Sequence[Range]) -> list[int]:
    """The number of the sentence that each token belongs to."""
    numbers, at = [], 0
    for start, end in spans:
        while end > start and at + 1 < len(ranges) and end > ranges[at][1]:
            at += 1
        numbers.append(at)
    return numbers
