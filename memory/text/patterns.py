r"""Compile patterns for user text with RE2, which matches in time linear in the text, and read tables of
patterns and words from the data file beside a module, as `stop_words.toml` is beside `stop_words.py`.

RE2 has no look-around and no back-references, and its classes are ASCII. `compile_pattern` widens `\w`, `\d`
and `\s` to Unicode; `compile_words` finds whole words, where `re` would use `\b`. Text must hold no lone
surrogates.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import re2

_CLASSES = {
    r"[^\W\d_]": r"[\pL\p{Nl}\p{No}]",
    r"[^\W_]": r"[\pL\pN]",
    r"[\W_]": r"[^\pL\pN]",
    r"\W": r"[^\pL\pN_]",
    r"\S": r"[^\s\x0b\x1c-\x1f\x{85}\p{Z}]",
}
_INSIDE = {r"\w": r"\pL\pN_", r"\d": r"\p{Nd}", r"\s": r"\s\x0b\x1c-\x1f\x{85}\p{Z}"}
_BEFORE, AFTER_WORD = r"(?:^|[^\pL\pN_])", r"(?:$|[^\pL\pN_])"
# A class, an escape, or the opening of a group.
_PIECE = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|\(\?[<!=]*|[^\[\\(]|\(|\[", re.DOTALL)
_REFUSED = ("(?=", "(?!", "(?<=", "(?<!")

# Thai, Lao, Burmese, Khmer, kana and Han: scripts without spaces between words, for a character class.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"

Match = re.Match[str]
Pattern = re.Pattern[str]
"""The types of RE2's matches and patterns, which offer most of what those of `re` do."""


class PatternRefused(ValueError):
    """The pattern needs look-around, a word boundary or a back-reference, which RE2 does not have."""


def compile_pattern(pattern: str, *, ignore_case: bool = False, dot_all: bool = False) -> Pattern:
    """The pattern for RE2, with Unicode classes. Raises PatternRefused for unsupported ones."""
    flags = "i" * ignore_case + "s" * dot_all
    return _compiled(f"(?{flags}:{''.join(_translated(pattern))})", re2.Options())


def compile_ascii(pattern: str) -> Pattern:
    """The pattern for RE2 without changes, so that classes and word boundaries are ASCII. Raises
    PatternRefused."""
    return _compiled(pattern, re2.Options())


def compile_words(words: str, unspaced: str = "") -> Pattern:
    """A case-insensitive pattern for the alternatives `words` as whole words, or `unspaced` anywhere. A
    match includes the characters around the words, so use it to search, not to extract."""
    alternatives = f"{_BEFORE}(?:{words}){AFTER_WORD}"
    return compile_pattern(f"{alternatives}|{unspaced}" if unspaced else alternatives, ignore_case=True)


def compile_set(patterns: Iterable[Pattern]) -> Callable[[str], list[int] | None]:
    """A function that returns the indexes of the patterns that match anywhere in a text, in one pass."""
    options = re2.Options()
    options.max_mem = 64 << 20
    together = re2.Set.SearchSet(options)
    for each in patterns:
        together.Add(each.pattern)
    together.Compile()
    return cast("Callable[[str], list[int] | None]", together.Match)


def table_of(module: str) -> dict[str, Any]:
    """The table beside the module with this file name."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def word_lists(table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The words of each text in a table."""
    return {name: frozenset(words.split()) for name, words in table.items()}


def patterns(table: Mapping[str, str | list[str]]) -> dict[str, str]:
    """The patterns in a table. Their line breaks do not count, and lists hold alternatives."""
    return {name: _pattern(value) for name, value in table.items()}


def compile_table(table: Mapping[str, str | list[str]], *, ignore_case: bool = True) -> dict[str, Pattern]:
    """The patterns in a table, for text in any case unless that matters."""
    return {name: compile_pattern(words, ignore_case=ignore_case) for name, words in patterns(table).items()}


def _pattern(value: str | list[str]) -> str:
    return value.replace("\n", "") if isinstance(value, str) else "|".join(map(_pattern, value))


def _compiled(pattern: str, options: re2.Options) -> Pattern:
    options.log_errors = False
    try:
        return cast("Pattern", re2.compile(pattern, options=options))
    except re2.error as error:
        raise PatternRefused(str(error)) from error


def _translated(pattern: str) -> Iterator[str]:
    for match in _PIECE.finditer(pattern):
        piece = match[0]
        if piece in {r"\b", r"\B"} or piece.startswith(_REFUSED):
            raise PatternRefused(f"RE2 has no {piece}.")
        if piece in _CLASSES:
            yield _CLASSES[piece]
        elif piece in _INSIDE:
            yield f"[{_INSIDE[piece]}]"
        elif piece.startswith("[") and len(piece) > 1:
            yield _widened(piece)
        else:
            yield r"\z" if piece == r"\Z" else piece


def _widened(group: str) -> str:
    """A character class with its ASCII shorthands widened. Raises PatternRefused for negated ones."""
    if r"\W" in group or r"\D" in group or r"\S" in group:
        raise PatternRefused(f"{group} mixes negated classes.")
    for short, wide in _INSIDE.items():
        group = group.replace(short, wide)
    return group
