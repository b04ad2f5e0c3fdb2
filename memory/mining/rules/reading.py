"""A sentence as it is read: put into one form, while every character knows where it was said."""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """`text` to be matched, and for each of its characters the place it has in what was said.

    A `whole` sentence is read by the rules that need all of it, a clause by the others.
    """

    text: str
    origins: tuple[int, ...]
    whole: bool = False

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The half-open range, in what was said, of the non-empty part from `start` to `end`."""
        return self.origins[start], self.origins[end - 1] + 1

    def part(self, start: int, end: int) -> "Reading":
        """The part from `start` to `end`, without blanks and commas around it."""
        while start < end and self.text[start] in " ,;:.-–—":
            start += 1
        while end > start and self.text[end - 1] in " ,;:-–—":
            end -= 1
        return Reading(self.text[start:end], self.origins[start:end])

    def headed(self, words: str) -> "Reading":
        """The same with `words` that are only meant put before it."""
        return Reading(words + self.text, self.origins[:1] * len(words) + self.origins)


def as_said(text: str) -> Reading:
    """`text` read as it stands, as a whole."""
    return Reading(text, tuple(range(len(text))), whole=True)


def rewritten(reading: Reading, pattern: re.Pattern[str], word: Callable[[re.Match[str]], str]) -> Reading:
    """The reading with each match of `pattern` replaced by what `word` makes of it."""
    pieces: list[str] = []
    origins: list[int] = []
    done = 0
    for match in pattern.finditer(reading.text):
        pieces.append(reading.text[done : match.start()])
        origins += reading.origins[done : match.start()]
        new = word(match)
        pieces.append(new)
        origins += _spread(reading.origins[match.start() : match.end()], len(new))
        done = match.end()
    if not done:
        return reading
    text = "".join([*pieces, reading.text[done:]])
    return Reading(text, (*origins, *reading.origins[done:]), whole=reading.whole)


def _spread(origins: tuple[int, ...], length: int) -> tuple[int, ...]:
    """`length` places among `origins`, the last of them at the end."""
    if not length:
        return ()
    return (*(origins[min(at, len(origins) - 1)] for at in range(length - 1)), origins[-1])
