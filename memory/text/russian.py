"""Dictionary forms of Russian words, by pymorphy3."""

from functools import cache
from itertools import takewhile
from typing import Protocol

import pymorphy3

from memory.text.patterns import compile_pattern

MAX_WORDS = 4
_RUSSIAN = compile_pattern(r"[а-яё]+(?:-[а-яё]+)*", ignore_case=True)
_PREPOSITIONS = frozenset(
    (
        *(
            "без",
            "в",
            "во",
            "вместо",
            "для",
            "до",
            "за",
            "из",
            "изо",
            "к",
            "ко",
            "кроме",
            "между",
            "на",
            "над",
        ),
        *(
            "о",
            "об",
            "обо",
            "около",
            "от",
            "ото",
            "по",
            "под",
            "после",
            "при",
            "про",
            "с",
            "со",
            "у",
            "через",
        ),
    )
)
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
    is_known: bool

    def inflect(self, grammemes: set[str]) -> "_Reading | None": ...


def dictionary_forms(word: str) -> frozenset[str]:
    """The dictionary words, in lower case, that a Russian word may be a form of; empty for other words."""
    return frozenset(reading.normal_form for reading in _readings(word))


def nominative(phrase: str, before: str = "") -> str:
    """A short noun phrase in the nominative: "детской больнице" becomes "детская больница". `before` is the
    text in front of it, because no nominative follows a preposition.

    Only its adjectives, its first noun and names that agree with that change ("Ольге Петровне", but
    "учителем математики" becomes "учитель математики"). Other phrases stay as they are.
    """
    words = phrase.split()
    last = before.split()[-1:]
    governed = bool(last) and last[0].casefold() in _PREPOSITIONS
    if len(words) > MAX_WORDS:
        return phrase
    for at in reversed(range(len(words))):
        noun = _noun(words[at], governed=governed)
        adjectives = [_agreeing(word, noun, "ADJF") for word in words[:at]] if noun else [None]
        if noun and all(adjectives):
            names = [_agreeing(word, noun, "NOUN") if word[0].isupper() else None for word in words[at + 1 :]]
            changed = zip(words, [*adjectives, noun, *names], strict=True)
            return " ".join(_in_nominative(word, reading) for word, reading in changed)
    return phrase


@cache
def _analyser() -> pymorphy3.MorphAnalyzer:
    return pymorphy3.MorphAnalyzer()


def _noun(word: str, *, governed: bool) -> _Reading | None:
    """The most likely reading of a word as a noun, if it may be one."""
    readings = [each for each in _readings(word) if "NOUN" in each.tag]
    if governed:
        readings = [each for each in readings if "nomn" not in each.tag] or readings
    elif readings and not readings[0].is_known and word.islower():
        readings.sort(key=lambda each: "nomn" not in each.tag)
    return next(iter(readings), None)


def _readings(word: str) -> list[_Reading]:
    """What a word may be, most likely first; a capitalised one is most likely a name ("Костей")."""
    found = _analyser().parse(word) if _RUSSIAN.fullmatch(word) else []
    return sorted(found, key=lambda each: word[0].isupper() and not any(mark in each.tag for mark in _PROPER))


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
