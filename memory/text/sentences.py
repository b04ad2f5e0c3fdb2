"""Splits text of any script into sentences."""

from collections.abc import Iterator
from itertools import pairwise

from memory.text.patterns import compile_pattern

Range = tuple[int, int]

_END = compile_pattern(r"[.!?…]+[\"'”’)\]]*\s+|[。！？؟।]+[」』”]*\s*|\n+")


def sentences(text: str) -> Iterator[Range]:
    """The half-open ranges of the sentences and lines of a text, each with the space after it; no blank
    ones."""
    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    return ((start, end) for start, end in pairwise(ends) if text[start:end].strip())
