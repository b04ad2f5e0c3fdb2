"""Names of people, languages and employers at the start of a text."""
# ruff: noqa: SIM905 - readable word lists

import re

from memory.mining.rules.lexicon import (
    EMPLOYERS,
    FIRST_NAMES,
    LANGUAGES_SPOKEN,
    MONTHS_AND_DAYS,
    NATIONALITIES,
    PARTICLES,
    TECHNOLOGY,
    WORKPLACES,
)
from memory.mining.rules.stopwords import SMALL_WORDS, STOPWORDS

LONGEST_NAME = 4
EDGE = " \t\u00a0*_~`\"'“”«»„\u2018\u2019-–,"

_WORD = re.compile(r"[^\s]+")
_NAME_WORD = re.compile(r"[^\W\d_][\w'\u2019.-]*")
_NAMES_AND_WORDS = frozenset("al will may june april rich hope joy art an".split())
_PRONOUNS = frozenset("er sie es das dies il elle ce cela ils ella él ellos este esta eso он она это".split())
_BELIEFS = frozenset("muslim jewish catholic buddhist hindu sikh protestant orthodox".split())
_NO_NAMES = (SMALL_WORDS | NATIONALITIES | MONTHS_AND_DAYS | _BELIEFS | _PRONOUNS) - (
    FIRST_NAMES | _NAMES_AND_WORDS
)
_LINKS = frozenset("of and & the for de di du la le del y et und für der des".split())
_ENDS_OF_ORGANISATION = re.compile(
    r"\s+(?:as|where|since|because|but|with|near|from|on|until|now|so|who|which|full|part|every"
    r"|during|when|while|this|last|today|for (?=\d))(?=[\s\d-]|$).*",
    re.IGNORECASE,
)


def person(text: str) -> str:
    """The name of a person or an animal, or "": capitals, or one known first name without."""
    words = list(_WORD.finditer(text))
    end = 0
    for word in words[:LONGEST_NAME]:
        plain = word[0].strip(EDGE + ".")
        if not _NAME_WORD.fullmatch(plain):
            break
        is_name = not plain[0].islower() and plain.casefold() not in _NO_NAMES
        if is_name:
            end = word.start() + len(word[0].rstrip(EDGE + "."))
        elif plain.casefold() not in PARTICLES:
            break
        if word[0].endswith(("'s", "\u2019s")):
            return text[: word.end() - 2]
    return text[:end] or _lower_case_name(text)


def _lower_case_name(text: str) -> str:
    """Names typed without a capital are believed when they are known or stand alone."""
    words = text.split()
    first = words[0].strip(EDGE + ".").casefold() if words else ""
    if not first.isalpha() or first in STOPWORDS:
        return ""
    return words[0].strip(EDGE + ".") if first in FIRST_NAMES else ""


def language(text: str) -> str:
    """`text` if it is a language, known or of one or two words with a capital, else ""."""
    words = text.split()
    if len(words) > 1 and words[-1].endswith("ly"):
        return language(text[: text.rindex(words[-1])].rstrip())
    known = bool(words) and words[0].casefold() in LANGUAGES_SPOKEN
    named = 0 < len(words) <= 2 and all(word[0].isupper() for word in words)
    return text if known or (named and words[0].casefold() not in SMALL_WORDS) else ""


def organisation(text: str) -> str:
    """The name of an employer or a school, or ""; "the city council" is one too."""
    clean = _ENDS_OF_ORGANISATION.sub("", text).strip(EDGE)
    words = clean.split()
    if words and words[0].casefold() in TECHNOLOGY - EMPLOYERS and len(words) == 1:
        return ""
    end = 0
    for number, word in enumerate(words):
        if word[0].isupper() or word[0].isdigit() or not (word[0].islower() or word[0] in "&"):
            end = number + 1
        elif word.casefold() not in _LINKS:
            break
    if end:
        kept = words[:end]
        while kept and kept[0].casefold() in {"a", "an"}:
            kept = kept[1:]
        return _span_of(clean, kept)
    return clean if _names_an_employer([word.casefold() for word in words]) else ""


def _names_an_employer(words: list[str]) -> bool:
    """Whether words without a capital do: a well-known name, or "the city council"."""
    if len(words) == 1:
        return words[0] in EMPLOYERS
    return 1 < len(words) <= 5 and words[0] in {"a", "an", "the"} and words[-1] in WORKPLACES


def _span_of(text: str, words: list[str]) -> str:
    if not words:
        return ""
    start = text.index(words[0])
    for word in words:
        last = text.index(word, start)
        start = last
    return text[text.index(words[0]) : start + len(words[-1])]
