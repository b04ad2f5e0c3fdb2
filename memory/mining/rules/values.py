"""Where the object of a statement ends, and whether it is one at all."""
# ruff: noqa: SIM905 - readable word lists

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from memory.mining.rules.lexicon import (
    CITIES,
    FIRST_NAMES,
    MONTHS_AND_DAYS,
    NOT_OCCUPATIONS,
    OCCUPATIONS,
    PARTICLES,
    REGIONS,
)
from memory.mining.rules.stopwords import STOPWORDS
from memory.mining.rules.table import Language, Shape

LONGEST_PHRASE = 14
LONGEST_NAME = 4

_EDGE = " \t\u00a0*_~`\"'“”«»„\u2018\u2019-–,"
_WORD = re.compile(r"[^\s]+")
_LIST = re.compile(
    r"\s*,\s*(?:and |or |und |y |et |и )?|\s+(?:and|or|und|y|et|и|&)\s+(?:to (?=\w+\W*$))?|、|和"
)
_TRAILING = re.compile(
    r"(?:\s+(?:now|too|as well|though|lol|btw|by the way|please|anymore|any more|any longer|after all|right now|haha"
    r"|currently|at the moment|these days|nowadays|very much|a lot|so much|today|again|also"
    r"|in general|at all|at this point|for now|actually|honestly|in particular|:\)|xd))+$",
    re.IGNORECASE,
)
_PLACE_ENDS = re.compile(
    r"\s+(?:and|with|in|twice|once|many|several|two|three|for|near|since|as|where|at|on|from|to|by|until|till|right|now|currently"
    r"|because|is|was|but|so|or|before|after|last|next|this|every|during|when|while|who|which"
    r"|today|tomorrow|yesterday|again|\d+)(?=\s|$).*",
    re.IGNORECASE,
)
_ROLE_ENDS = re.compile(
    r"\s+(?:at|for|in|with|from|and|who|by|on|since|here|specialising|specializing|working"
    r"|based|now|these|currently|but|so|as|because|while)(?=\s|$).*",
    re.IGNORECASE,
)
_ROLE_SUFFIX = re.compile(r"(?:[a-z]{3,}(?:er|or|ist|ian|eer)|[a-z]+(?:man|woman))$")
_DANGLING = re.compile(
    r"(?:\s+(?:the|an?|to|of|like|its|with|by|in|at|and|or|for|my|from|on|than|as|about))+$",
    re.IGNORECASE,
)
_QUANTIFIER = re.compile(r"^(?:some|a little|a bit of|lots of|a lot of)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:an?|the|one of the)\s+", re.IGNORECASE)
_NAME_WORD = re.compile(r"[^\W\d_][\w'\u2019.-]*")
_ORGANISATION_STOP = frozenset(
    "home noon midnight dawn night nights height school work weekends sea scale it this that least first once night "
    "the a an my our your some any both all me him her them you myself".split()
)
_NAMES_AND_WORDS = frozenset("al will may june april rich hope joy art an".split())
_LINKS = frozenset("of and & the for de di du la le del y et und für der des".split())
_POSSESSION = (
    (re.compile(r"\b(?:my|our)\b", re.IGNORECASE), "their"),
    (re.compile(r"\b(?:me|us)\b", re.IGNORECASE), "them"),
    (re.compile(r"\bmyself\b", re.IGNORECASE), "themselves"),
    (re.compile(r"\bI['\u2019]m\b"), "they are"),
    (re.compile(r"\bI\b"), "they"),
)


def objects(
    text: str, shape: Shape, language: Language, *, many: bool
) -> Iterator[tuple[str, int]]:
    """The objects named at the start of `text`, each with the offset at which it ends there."""
    if shape == "clause":
        clause = _as_is(text)
        if clause:
            yield clause, text.index(clause) + len(clause)
        return
    cut = language.stop.search(text)
    kept = text[: cut.start()] if cut else text
    parts = _parts(kept) if many else [(kept, 0)]
    for part, offset in parts:
        found = _CLEANERS[shape](part.strip(_EDGE))
        if found and not language.refused.match(found):
            yield found, offset + part.index(found) + len(found)


def third_person(text: str) -> str:
    """`text` as somebody else would say it of the speaker ("my dog" → "their dog")."""
    for pattern, word in _POSSESSION:
        text = pattern.sub(word, text)
    return text


def _parts(text: str) -> list[tuple[str, int]]:
    """The members of a plain enumeration, or the whole when it is something else."""
    cuts = [(0, 0), *(cut.span() for cut in _LIST.finditer(text)), (len(text), len(text))]
    parts = [
        (text[begin:end], begin)
        for (_, begin), (end, _) in pairwise(cuts)
        if text[begin:end].strip(_EDGE)
    ]
    if text.lstrip().casefold().startswith("to "):
        return [(text.partition(",")[0], 0)]
    short = [part for part in parts if len(part[0].split()) <= 3]
    if len(parts) > 1 and len(short) == len(parts) and not _is_clause(parts[-1][0]):
        return parts
    whole = text.partition(",")[0]
    return [(whole, 0)]


def _is_clause(text: str) -> bool:
    first = text.split(maxsplit=1)[0].casefold()
    return first in {
        "i",
        "my",
        "we",
        "it",
        "he",
        "she",
        "they",
        "that",
        "this",
        "can",
        "what",
        "then",
    }


def _phrase(text: str) -> str:
    clean = _QUANTIFIER.sub("", _DANGLING.sub("", _TRAILING.sub("", text)), count=1).strip(_EDGE)
    words = clean.split()
    if not words or len(words) > LONGEST_PHRASE:
        return ""
    return clean


def _as_is(text: str) -> str:
    return text.strip(_EDGE + ".!。")


def _place(text: str) -> str:
    first, comma, rest = text.partition(",")
    city = _one_place(first)
    if not city or not comma or city != first.strip(_EDGE):
        return city
    region = _one_place(rest.partition(",")[0].strip())
    if known_place(region, REGIONS):
        end = text.index(region, len(first)) + len(region)
        return text[:end]
    return city


def _one_place(text: str) -> str:
    clean = _TRAILING.sub("", _PLACE_ENDS.sub("", text)).strip(_EDGE)
    bare = re.sub(r"^the\s+", "", clean, flags=re.IGNORECASE)
    words = bare.split()
    if not words or len(words) > 5 or words[0].casefold() in MONTHS_AND_DAYS:
        return ""
    named = (
        words[0][0].isalpha() and not words[0][0].islower() and words[0].casefold() not in STOPWORDS
    )
    return clean if named or known_place(bare, CITIES | REGIONS) else ""


def known_place(text: str, places: frozenset[str]) -> bool:
    """Whether a city or region of this name is in the list."""
    return text.casefold().replace(" ", "_") in places


def _name(text: str) -> str:
    words = list(_WORD.finditer(text))
    end = 0
    for word in words[:LONGEST_NAME]:
        plain = word[0].strip(_EDGE + ".")
        if not _NAME_WORD.fullmatch(plain):
            break
        is_name = not plain[0].islower() and _may_name(plain.casefold())
        if is_name:
            end = word.start() + len(word[0].rstrip(_EDGE + "."))
        elif plain.casefold() not in PARTICLES:
            break
        if word[0].endswith(("'s", "\u2019s")):
            return text[: word.end() - 2]
    return text[:end] or _lower_case_name(text)


def _may_name(word: str) -> bool:
    return word in FIRST_NAMES or word in _NAMES_AND_WORDS or word not in STOPWORDS


def _lower_case_name(text: str) -> str:
    """Names typed without a capital are believed when they are known or stand alone."""
    words = text.split()
    first = words[0].strip(_EDGE + ".").casefold() if words else ""
    if not first.isalpha() or first in STOPWORDS:
        return ""
    return words[0].strip(_EDGE + ".") if first in FIRST_NAMES else ""


def _organisation(text: str) -> str:
    clean = _PLACE_ENDS_OF_ORGANISATION.sub("", text).strip(_EDGE)
    words = clean.split()
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
    alone = len(words) == 1 and words[0].casefold() not in _ORGANISATION_STOP | STOPWORDS
    return clean if alone else ""


_PLACE_ENDS_OF_ORGANISATION = re.compile(
    r"\s+(?:as|where|since|because|but|with|near|from|on|until|now|so|who|which|full|part|every"
    r"|during|when|while|this|last|today)(?=[\s-]|$).*",
    re.IGNORECASE,
)


def _span_of(text: str, words: list[str]) -> str:
    if not words:
        return ""
    start = text.index(words[0])
    for word in words:
        last = text.index(word, start)
        start = last
    return text[text.index(words[0]) : start + len(words[-1])]


def _occupation(text: str) -> str:
    clean = _ROLE_ENDS.sub("", text).strip(_EDGE)
    role = _ARTICLE.sub("", clean, count=1)
    words = role.casefold().split()
    if not words or len(words) > 5 or words[-1] in NOT_OCCUPATIONS:
        return ""
    known = words[-1] in OCCUPATIONS or bool(_ROLE_SUFFIX.search(words[-1]))
    return role if known or not role.isascii() else ""


_CLEANERS: dict[Shape, Callable[[str], str]] = {
    "phrase": _phrase,
    "place": _place,
    "name": _name,
    "organisation": _organisation,
    "occupation": _occupation,
    "as_is": _as_is,
    "clause": _as_is,
}
