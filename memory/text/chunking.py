"""Split long messages into overlapping chunks that fit an embedding model's window."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import category

SIZE = 1200
OVERLAP = 150
LIMIT = 64

# Outside Latin script a token is about one character instead of four.
_COSTLY = re.compile("[\u0370-\u1dff\u2e80-\U0003ffff]")
_BREAKS = (
    re.compile(r"\n[ \t]*\n\s*"),
    re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？؟।]+[」』”]*\s*|\n+"),
    re.compile(r"\s+|[，、；：]+"),
)
_COMBINING = ("Mn", "Mc", "Me", "Cf", "Sk")
_MAX_CLUSTER_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Chunk:
    """The half-open character range `start` to `end` of a text."""

    start: int
    end: int
    text: str


def chunks(text: str, size: int = SIZE, limit: int = LIMIT) -> tuple[Chunk, ...]:
    """Chunks of at most `size` characters (a third of that outside Latin script), in order and overlapping.
    Beyond `limit` chunks, the first three quarters and the last quarter of that number are kept. Blank text
    has none."""
    ranges = [found for found in _ranges(text, size) if text[slice(*found)].strip()]
    if len(ranges) > limit:
        tail = limit // 4
        ranges = ranges[: limit - tail] + ranges[len(ranges) - tail :]
    return tuple(Chunk(start, end, text[start:end]) for start, end in ranges)


def _ranges(text: str, size: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        capacity = _capacity(text[start : start + size], size)
        end = len(text) if start + capacity >= len(text) else _end(text, start, capacity)
        yield start, end
        if end == len(text):
            return
        start = _next_start(text, start, end, min(OVERLAP, capacity // 4))


def _capacity(window: str, size: int) -> int:
    """How many of the next characters fill a chunk, given their token cost."""
    costly = sum(1 for _ in _COSTLY.finditer(window))
    return max(1, size * len(window) // (len(window) + 2 * costly))


def _end(text: str, start: int, capacity: int) -> int:
    earliest, latest = start + capacity * 3 // 5, start + capacity
    for pattern in _BREAKS:
        ends = [found.end() for found in pattern.finditer(text, earliest, latest)]
        if ends:
            return ends[-1]
    return _cluster_boundary(text, start + 1, latest)


def _next_start(text: str, start: int, end: int, overlap: int) -> int:
    earliest = max(start + 1, end - overlap)
    found = _BREAKS[2].search(text, earliest, end)
    if found and found.end() < end:
        return found.end()
    return _cluster_boundary(text, start + 1, earliest)


def _cluster_boundary(text: str, earliest: int, position: int) -> int:
    """`position`, or slightly earlier, so that no letter is separated from its marks."""
    for candidate in range(position, max(earliest, position - _MAX_CLUSTER_LENGTH), -1):
        if category(text[candidate]) not in _COMBINING and text[candidate - 1] != "\u200d":
            return candidate
    return position
