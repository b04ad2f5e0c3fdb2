"""Words and phrases that keep a message out of memory."""

from collections.abc import Callable
from functools import lru_cache

import re2

from memory.text.patterns import UNSPACED, Pattern, compile_pattern, compile_words
from memory.text.sanitizing import normalise

_UNSPACED = compile_pattern(f"[{UNSPACED}]")


def excluding(never_remember: str) -> Callable[[str], bool]:
    """A test for text that contains one of these words and phrases, which are one per line, ignoring case."""
    pattern = _pattern(never_remember)
    return lambda text: pattern is not None and pattern.search(_folded(text)) is not None


@lru_cache(maxsize=256)
def _pattern(lines: str) -> Pattern | None:
    phrases = [phrase for line in lines.splitlines() if (phrase := _folded(line))]
    if not phrases:
        return None
    unspaced = [re2.escape(phrase) for phrase in phrases if _UNSPACED.search(phrase)]
    return compile_words("|".join(re2.escape(phrase) for phrase in phrases), "|".join(unspaced))


def _folded(text: str) -> str:
    return " ".join(normalise("NFKC", text).casefold().split())
