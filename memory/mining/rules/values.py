"""Where the object of a statement ends, and whether it is one at all."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from memory.mining.rules.lexicon import (
    CITIES,
    MONTHS_AND_DAYS,
    NOT_OCCUPATIONS,
    OCCUPATIONS,
    REGIONS,
    TECHNOLOGY,
)
from memory.mining.rules.naming import EDGE, language, organisation, person
from memory.mining.rules.stopwords import STOPWORDS
from memory.mining.rules.table import Language, Shape

LONGEST_PHRASE = 14

_LIST = re.compile(
    r"\s*,\s*(?:and |or |und |y |et |и )?|\s+[+/]\s+|\s+(?:and|or|plus|und|y|et|и|&)\s+(?:to (?=\w+\W*$))?|、|和"
)
_TRAILING = re.compile(
    r"(?:\s+(?:now|too|either|as well|though|lol|btw|by the way|please|anymore|lately|recently|any more|any longer|after all|right now|haha"
    r"|currently|at the moment|these days|nowadays|very much|a lot|so much|today|again|also|sometimes|before|all the time|the most|(?<=s) more"
    r"|in general|at all|here|at this point|for now|actually|honestly|in particular|completely|entirely|altogether|:\)|xd))+$",
    re.IGNORECASE,
)
# Alone, "practising" says nothing: where or how much it is done belongs to it.
_BARE = re.compile(r"\w+ing (?:at (?:home|work)|(?:for )?at least)\b", re.IGNORECASE)
# How long something has been so; unlike "on Fridays" it does not limit what is said.
_SPAN = (
    r"(?:for (?:about |over |almost |nearly |more than |the (?:last|past) )?(?:ages|good|years|months|decades|ever|life|\w+ (?:years|months|weeks|decades))"
    r"|(?:since|ever since)|in (?:the )?(?:19|20)\d\d|\w+ (?:years?|months?|weeks?|days?|fortnight) ago|as a (?:kid|child|teenager)|over the years)"
)
_LASTED = re.compile(rf"\s+{_SPAN}(?![\w-]).*", re.IGNORECASE)
_WHEN = re.compile(
    rf"\s+(?:{_SPAN}|(?:last|next|this|every) (?:week|month|year|summer|winter|spring|autumn|fall|weekend|morning|evening|night)"
    r"|(?:until|till|during)|(?:on|by) (?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:all|the whole) (?:day|week|year)|at work|at home)(?![\w-]).*",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\s(?:on|in|at|with|without|before|after|during|for|near|unless|when|if|while|until|till)\s",
    re.IGNORECASE,
)
# What is left of a sentence when its clauses were taken apart: "… when I'm on call".
_CONDITION = re.compile(
    r"\s+(?:when|whenever|if|unless|while|until|till|before|after|except|without|where)\s[^\n,.;:!?()\"]{2,60}",
    re.IGNORECASE,
)
_TOOL_ENDS = re.compile(
    r"\s+(?:for|in|at|to|since|before|as|when|because|instead|these|from|and I|user|users|guy|gal|shop|programmer|developer|dev|on(?= (?:my|a|the|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*)\b))(?=\s|$).*",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:no|not|nothing|without|never|but|except)\b", re.IGNORECASE)
_PLACE_ENDS = re.compile(
    r"\s+(?:and|with|in|twice|once|many|several|two|three|for|near|since|as|where|at|on|from|to|by|until|till|right|now|currently"
    r"|because|is|was|but|so|or|forever|all|my|our|called|named|ever|together|alone|permanently|full-time|part-time|throughout|through|over|mostly|which|before|after|last|next|this|every|during|when|while|who|which"
    r"|today|tomorrow|yesterday|again|\d+)(?=\s|$).*",
    re.IGNORECASE,
)
_ROLE_ENDS = re.compile(
    r"\s+(?:at|for|in|with|from|and|who|by|on|since|here|specialising|specializing|working"
    r"|based|now|these|currently|but|so|as|because|while|I|I'm|I've|I'd|my|we|we'd|we're|up|down|out|over|near|right|back"
    r"|looking|living|trying|turned|doing|studying|that|it's|its|to|of (?:the|a|my|our)|means|helping|teaching)(?=\s|$).*",
    re.IGNORECASE,
)
_ROLE_SUFFIX = re.compile(r"(?:[a-z]{3,}(?:er|or|ist|ian|eer)|[a-z]+(?:man|woman))$")
_NOT_YET = {
    "aspiring",
    "future",
    "wannabe",
    "would-be",
    "former",
    "pretty",
    "quite",
    "very",
    "such",
}
_LEADS = re.compile(r"(?:deputy |vice |assistant |interim )?(?:head|director|professor|chief|vp) of ")
_DANGLING = re.compile(
    r"(?:\s+(?:the|an?|to|of|like|its|with|by|in|at|and|or|for|my|from|on|than|as|about|called|named|their|his|her|our|your|after))+$",
    re.IGNORECASE,
)
_QUANTIFIER = re.compile(r"^(?:both|some|a little|a bit of|lots of|a lot of)\s+", re.IGNORECASE)
# What goes with the other members too: "IKEA's sofas and beds", "new and powerful models".
_SHARED = re.compile(r"\w['\u2019]s \w|\b(?:new|old|big|small|bright|bold|warm|different)\s*$", re.IGNORECASE)
_AGED = re.compile(r"^(?:(?:my|our|the|new|old|current|favou?rite|beloved|trusty) )+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:an?|the|one of the)\s+", re.IGNORECASE)
_POSSESSION = (
    (re.compile(r"\b(?:my|our)\b", re.IGNORECASE), "their"),
    (re.compile(r"\b(?:[Mm]e|us)\b"), "them"),
    (re.compile(r"\bmyself\b", re.IGNORECASE), "themselves"),
    (re.compile(r"\bI['\u2019]m\b"), "they are"),
    (re.compile(r"(?<!Part )(?<!War )(?<!Act )(?<!Type )(?<!Book )\bI\b(?=\s+[a-z])"), "they"),
)


_CUTS: dict[Shape, tuple[re.Pattern[str], ...]] = {
    "phrase": (_WHEN,),
    "tool": (_WHEN,),
    "limited": (_LASTED,),
}


def objects(text: str, shape: Shape, spoken: Language, *, many: bool) -> Iterator[tuple[str, int]]:
    """The objects named at the start of `text`, each with the offset at which it ends there."""
    if shape == "clause":
        clause = _as_is(text)
        if clause:
            yield clause, text.index(clause) + len(clause)
        return
    kept = text if shape == "names" else _before(text, (spoken.stop, *_CUTS.get(shape, ())))
    limit = _LIMIT.search(kept) if shape == "limited" else None
    if limit:  # "pork or beef at home" is limited in both, "pork at home, old habit" ends there
        kept = kept[: limit.end()] + kept[limit.end() :].partition(",")[0]
    parts = _parts(kept) if many and not limit else [(kept, 0)]
    for part, offset in parts:
        found = _CLEANERS[shape](part.strip(EDGE))
        if found and not spoken.refused.match(found):
            yield found, offset + part.index(found) + len(found)
        elif not offset and found:  # "those prompts and questions" are both of the chat
            return


def _before(text: str, ends: tuple[re.Pattern[str], ...]) -> str:
    for end in ends:
        cut = end.search(text, len(bare[0]) if (bare := _BARE.match(text)) else 0)
        text = text[: cut.start()] if cut else text
    return text


def condition(text: str, end: int) -> int:
    """Where the words end that tell under which condition what stands before `end` holds, as far as
    they are told; `end` when there are none."""
    found = _CONDITION.match(text, end)
    return found.end() if found else end


def third_person(text: str) -> str:
    """`text` as somebody else would say it of the speaker ("my dog" → "their dog")."""
    for pattern, word in _POSSESSION:
        text = pattern.sub(word, text)
    return text


def brief(thing: str) -> str:
    """What a thing is known by, however much of its name is told: the words up to the first name
    among them ("my new black Converse Chuck Taylors" → "black Converse")."""
    words = _AGED.sub("", thing).split()
    named = next((at for at, word in enumerate(words) if word[0].isupper()), len(words))
    return " ".join(words[: named + 1])


def _parts(text: str) -> list[tuple[str, int]]:
    """The members of a plain enumeration, or the whole when it is something else."""
    links = list(_LIST.finditer(text))
    cuts = [(0, 0), *(link.span() for link in links), (len(text), len(text))]
    parts = [
        (text[begin:end], begin) for (_, begin), (end, _) in pairwise(cuts) if text[begin:end].strip(EDGE)
    ]
    listed = len(parts) > 2 or any(link[0].strip() != "," for link in links)
    if listed and not text.lstrip().casefold().startswith("to ") and _is_plain(parts):
        joined = [at for at, link in enumerate(links) if link[0].strip() != ","]
        last = joined[-1] + 2 if joined else len(parts)
        return [part for part in parts[:last] if not _NEGATED.match(part[0])]
    return [(text.partition(",")[0], 0)]


def _is_plain(parts: list[tuple[str, int]]) -> bool:
    short = all(len(_QUANTIFIER.sub("", part).split()) <= 3 for part, _ in parts)
    return len(parts) > 1 and short and not _is_clause(parts[-1][0]) and not _SHARED.search(parts[0][0])


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
    clean = _QUANTIFIER.sub("", _DANGLING.sub("", _TRAILING.sub("", text)), count=1).strip(EDGE)
    words = clean.split()
    if not words or len(words) > LONGEST_PHRASE:
        return ""
    return clean


def _as_is(text: str) -> str:
    return text.strip(EDGE + ".!。")


def _place(text: str) -> str:
    first, comma, rest = text.partition(",")
    city = _one_place(first)
    if not city or not comma or city != first.strip(EDGE):
        return city
    region = _one_place(rest.partition(",")[0].strip())
    if known_place(region, REGIONS):
        end = text.index(region, len(first)) + len(region)
        return text[:end]
    return city


def _one_place(text: str) -> str:
    clean = _TRAILING.sub("", _PLACE_ENDS.sub("", text)).strip(EDGE)
    bare = re.sub(r"^the\s+", "", clean, flags=re.IGNORECASE)
    words = bare.split()
    if not words or len(words) > 5 or words[0].casefold() in MONTHS_AND_DAYS | TECHNOLOGY - CITIES:
        return ""
    named = words[0][0].isalpha() and not words[0][0].islower() and words[0].casefold() not in STOPWORDS
    return clean if named or known_place(bare, CITIES | REGIONS) else ""


def known_place(text: str, places: frozenset[str]) -> bool:
    """Whether a city or region of this name is in the list."""
    return text.casefold().replace(" ", "_") in places


def _occupation(text: str) -> str:
    clean = _ROLE_ENDS.sub("", text).strip(EDGE)
    role = _ARTICLE.sub("", clean, count=1)
    words = role.casefold().split()
    if not words or len(words) > 5 or words[-1] in NOT_OCCUPATIONS or words[0] in _NOT_YET:
        return ""
    known = words[-1] in OCCUPATIONS or bool(_ROLE_SUFFIX.search(words[-1]) or _LEADS.match(role.casefold()))
    return role if known or not role.isascii() else ""


_CLEANERS: dict[Shape, Callable[[str], str]] = {
    "phrase": _phrase,
    "deed": _phrase,
    "limited": _phrase,
    "place": _place,
    "name": person,
    "names": person,
    "tool": lambda text: _phrase(_TOOL_ENDS.sub("", text)),
    "tongue": lambda text: language(_phrase(text)),
    "organisation": organisation,
    "occupation": _occupation,
    "as_is": _as_is,
    "clause": _as_is,
}
