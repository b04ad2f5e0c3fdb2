"""The forms under which the inflected words of many languages are found."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from threading import local

import snowballstemmer

from memory.compounds import HEADS, LINKS, PREFIXES

_ALGORITHMS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "es": "spanish",
    "fr": "french", "hi": "hindi", "it": "italian", "nl": "dutch", "pl": "polish",
    "pt": "portuguese", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
_BY_SCRIPT = (
    (re.compile("[\u0621-\u064a]+"), "ar"),
    (re.compile("[\u0900-\u097f]+"), "hi"),
    (re.compile("[\u0370-\u03ff]+"), "el"),
)
_LATIN = re.compile("[a-z\u00df-\u024f]+")
_SHORTEST = 3
_LONGEST = 40

_PARTICIPLE = re.compile(
    "(?:ab|an|auf|aus|bei|durch|ein|fest|her|hin|los|mit|nach|um|vor|weg|zu|zurück|zusammen)?"
    "(?:ge|zu)(?P<stem>.{3,}?)(?:en|e?t)"
)
_PAST = re.compile("(?<=...)t(?:e|en|est|et)?$")
_ARABIC_WEAK = re.compile("[اويءأإؤئآىة]")
_ARABIC_PREFIXES = "متن"
_LEAST_CONSONANTS = 3

_stemmers = local()


def stem(word: str, algorithm: str) -> str:
    """The stem of a word in lower case by a Snowball algorithm, safely in any thread."""
    known = getattr(_stemmers, algorithm, None)
    if known is None:
        known = snowballstemmer.stemmer(algorithm)
        setattr(_stemmers, algorithm, known)
    return str(known.stemWord(word))


@lru_cache(maxsize=50_000)
def forms(word: str, language: str) -> tuple[str, ...]:
    """Other words under which `word`, in lower case with its accents, is filed and looked for
    when it stands in a text of this language; empty where no stemmer knows it."""
    if not _SHORTEST <= len(word) <= _LONGEST:
        return ()
    spoken = _language_of_word(word, language)
    if spoken not in _ALGORITHMS:
        return ()
    found = (_plain(form) for form in _forms(word, spoken))
    return tuple(form for form in dict.fromkeys(found) if len(form) >= _SHORTEST - 1)


def _language_of_word(word: str, language: str) -> str:
    for script, code in _BY_SCRIPT:
        if script.fullmatch(word):
            return code
    return language if _LATIN.fullmatch(word) and language not in {"ar", "hi", "el", "ru"} else ""


def _forms(word: str, language: str) -> Iterator[str]:
    yield stem(word, _ALGORITHMS[language])
    if language == "de":
        yield from _german(word)
    elif language == "ar":
        yield from _arabic(word)


def _german(word: str) -> Iterator[str]:
    if participle := _PARTICIPLE.fullmatch(word):
        yield stem(participle["stem"], "german")
    short = stem(word, "german")
    if _PAST.search(word) and short.endswith("t"):
        yield short[:-1]
    yield from _parts(short)


def _parts(word: str) -> Iterator[str]:
    """The members of a compound whose last one is well known, as stems."""
    for length in range(min(len(word) - _SHORTEST, 12), 2, -1):
        head, rest = word[-length:], stem(word[:-length], "german")
        if head in HEADS and rest not in PREFIXES:
            bare = next((rest[: -len(end)] for end in LINKS if rest.endswith(end)), rest)
            yield from (head, bare)
            yield from _parts(bare)
            return


def _arabic(word: str) -> Iterator[str]:
    """The consonants: singular and broken plural share them, and a verb and its noun."""
    bones = _ARABIC_WEAK.sub("", stem(word, "arabic"))
    while len(bones) > _LEAST_CONSONANTS and bones[0] in _ARABIC_PREFIXES:
        bones = bones[1:]
    if len(bones) >= _LEAST_CONSONANTS:
        yield bones


def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFD", word.replace("ß", "ss"))
    return "".join(letter for letter in letters if not "\u0300" <= letter <= "\u036f")
