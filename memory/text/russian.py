"""Dictionary forms of Russian words, by pymorphy3."""

from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from typing import Protocol

import pymorphy3
from pymorphy3.lang.ru import DEFAULT_UNITS
from pymorphy3.units import KnownPrefixAnalyzer

from memory.text.patterns import compile_pattern

MAX_WORDS, MAX_LENGTH, MAX_PARTS = 4, 25, 3
"""Longer phrases (in words) and longer words (in letters, and in hyphenated parts) stay as they are."""
_RUSSIAN = compile_pattern(r"[а-яё]+(?:-[а-яё]+)*", ignore_case=True)
_OTHER_CYRILLIC = compile_pattern(r"[іїєґўјљњћђџѓќ]", ignore_case=True)
_CASES = {
    "gent": "без вместо для до из из-за из-под изо кроме около от ото после ради с со среди у",
    "datv": "к ко по",
    "ablt": "за между над перед под с со",
    "loct": "в во на о об обо при",
    "accs": "в во за на по под про через",
}
"""The prepositions that govern each case. If one governs several, the likeliest case is listed first."""
_PROPER = ("Name", "Surn", "Patr")


class _Tag(Protocol):
    """The grammar of a word, by the names of OpenCorpora."""

    case: str | None
    number: str | None
    grammemes: frozenset[str]

    def __contains__(self, grammeme: str) -> bool: ...


class _Reading(Protocol):
    """What a word may be: a form of a dictionary word."""

    word: str
    normal_form: str
    tag: _Tag

    def inflect(self, grammemes: set[str]) -> "_Reading | None": ...


def dictionary_forms(word: str) -> frozenset[str]:
    """The dictionary words, in lower case, that a Russian word may be a form of; empty for other words."""
    return frozenset(reading.normal_form for reading in _readings(word))


def nominative(phrase: str, before: str = "", *, is_place: bool = False) -> str:
    """A short noun phrase in the nominative: "детской больнице" becomes "детская больница". `before` is the
    text in front of it, because a preposition decides the case. The words of a place are not read as names
    of people ("в Вене" is Вена, not Веня).

    Only its adjectives, its first noun and names that agree with that change ("Ольге Петровне", but
    "учителем математики" becomes "учитель математики"). What may be a nominative stays as it is.
    """
    words = phrase.split()
    if len(words) > MAX_WORDS or _cases_after(phrase[: phrase.find(" ") + 1]):
        return phrase
    if _OTHER_CYRILLIC.search(before + phrase):
        return phrase
    for at in reversed(range(len(words))):
        noun = _noun(words[at], _cases_after(before), is_place=is_place)
        adjectives = [_agreeing(word, noun, "ADJF") for word in words[:at]] if noun else [None]
        if noun and all(adjectives):
            names = [_agreeing(word, noun, "NOUN") if word[0].isupper() else None for word in words[at + 1 :]]
            changed = zip(words, [*adjectives, noun, *names], strict=True)
            return " ".join(_in_nominative(word, reading) for word, reading in changed)
    return phrase


@cache
def _analyser() -> pymorphy3.MorphAnalyzer:
    """The analyser without the unit that takes time exponential in a word's prefixes ("недонедонедо")."""
    return pymorphy3.MorphAnalyzer(
        units=[unit for unit in DEFAULT_UNITS if not isinstance(unit, KnownPrefixAnalyzer)]
    )


def _cases_after(text: str) -> tuple[str, ...]:
    """The cases that the preposition at the end of a text can govern; none if there is no preposition."""
    last = text.split()[-1:]
    return tuple(case for case, words in _CASES.items() if last and last[0].casefold() in words.split())


def _noun(word: str, cases: Sequence[str], *, is_place: bool) -> _Reading | None:
    """Parse a word as a noun: in one of these cases, if any are given, otherwise in the nominative if
    possible."""
    readings = [each for each in _readings(word) if "NOUN" in each.tag]
    if is_place:
        readings.sort(key=lambda each: ("Geox" not in each.tag, _is_proper(each)))
    if not cases:
        readings.sort(key=lambda each: "nomn" not in each.tag)
    in_case = (each for case in cases for each in readings if case in each.tag)
    return next(in_case, next(iter(readings), None))


def _readings(word: str) -> list[_Reading]:
    """What a word may be, most likely first; a capitalised one is most likely a name ("Костей")."""
    is_short = len(word) <= MAX_LENGTH and word.count("-") < MAX_PARTS
    found = _analyser().parse(word) if is_short and _RUSSIAN.fullmatch(word) else []
    return sorted(found, key=lambda each: word[0].isupper() and not _is_proper(each))


def _is_proper(reading: _Reading) -> bool:
    return any(mark in reading.tag for mark in _PROPER)


def _agreeing(word: str, noun: _Reading, part_of_speech: str) -> _Reading | None:
    """The reading of a word as this part of speech in the case and number of a noun."""
    wanted = {part_of_speech, noun.tag.case, noun.tag.number}
    return next(
        (each for each in _readings(word) if None not in wanted and wanted <= each.tag.grammemes), None
    )


def _in_nominative(word: str, reading: _Reading | None) -> str:
    """The nominative of a word, with its capitals."""
    changed = reading.inflect({"nomn"}) if reading and "nomn" not in reading.tag else None
    if changed is None or word.isupper():
        return word
    same = takewhile(lambda pair: pair[0].lower() == pair[1], zip(word, changed.word, strict=False))
    kept = sum(1 for _ in same)
    parts = zip(word.split("-"), f"{word[:kept]}{changed.word[kept:]}".split("-"), strict=False)
    return "-".join(new[:1].upper() + new[1:] if old[0].isupper() else new for old, new in parts)
