"""Clean values: complete names, and remove what is not part of them."""

from memory.facts.vocabulary import PREDICATES as VOCABULARY
from memory.mining.reader.mentions import NAME_PREDICATES, Mention, is_kin_word
from memory.mining.reader.predicates import Predicate
from memory.text.kinship import KIN
from memory.text.languages import is_english
from memory.text.patterns import compile_pattern
from memory.text.stop_words import COMMON_WORDS
from memory.text.tables import patterns, table_of

MAX_AGE = 120
MAX_DECADE_LENGTH = 10
MAX_LIMIT_LENGTH = 30
_MARKS = (('"', '"'), ("“", "”"), ("«", "»"), ("(", ")"))
_KEPT_WORDS = frozenset(
    ("thing", "things", "way", "use", "look", "need", "help", "try", "one", "eins", "un", "uno", "один")
)
"""Nouns and numbers among the function words."""
_DIGITS = compile_pattern(r"\d{1,3}")
_PATTERNS = patterns(table_of(__file__))
_DECADE = compile_pattern(_PATTERNS["decade"], ignore_case=True)
_THIS = compile_pattern(r"(?:this|these|that|those) ")
_REST_OF_NAME = compile_pattern(r"(?:['’]s)?(?: (?:(?:of|de|du|of the) )?\p{Lu}[\pL\d'’&-]+)*")
_MODEL = compile_pattern(r"(?: \p{Lu}*\d[\pL\d-]*)+")
_TRIP = compile_pattern(r" (?:trip|itinerary|vacation|holiday|tour)(?:[^\pL]|$)")
COPULA = compile_pattern(r"^(?:is|am|are|['’]m) (?:an? |the )?", ignore_case=True)
_PREPOSITION = compile_pattern(r"^(?:(?:at|in|for|bei|en|à|chez|в|на) |在)", ignore_case=True)
MINE = compile_pattern(_PATTERNS["mine"], ignore_case=True)
# A name after its kind: "title Dune", "thesis On Doors".
_TITLED = compile_pattern(_PATTERNS["titled"])
_FAN_OF = compile_pattern(r"^(?:an? )?(?:big |huge |avid )?fan of ", ignore_case=True)
_INCHES = compile_pattern(r'\d"')
_AMOUNT = compile_pattern(r"[\p{Sc}\pN].*")
_LIMIT = compile_pattern(_PATTERNS["limit"], ignore_case=True)
_LITTLE = compile_pattern(r"^(?:a )?little ")
_TRAILING_ADVERB = compile_pattern(_PATTERNS["trailing_adverb"], ignore_case=True)
POSSESSION_PREDICATES = ("owns", "uses", "has")
_PRONOUNS = ("this", "that", "here", "he", "she", "it", "they", "who")
_COMMON_NOUNS = ("allergic_to", "avoids", "has_condition", "takes")
_NAMED_ENTITIES = ("place", "organisation")


def clean_value(mention: Mention, predicate: Predicate) -> str:
    """The value of a mention to store; empty if nothing of it is left."""
    value = _TRAILING_ADVERB.sub(
        "", " ".join(_without_unpaired_marks(_complete_name(mention, predicate)).split())
    )
    if predicate.name == "aged":
        return _age(mention, value)
    if predicate.name == "has_budget" and (amount := _AMOUNT.search(value)):
        value = _limit_before(mention, amount[0]) + amount[0]
    if predicate.label or predicate.name in NAME_PREDICATES:
        value = _name(value, in_english=is_english(mention.words))
    value, known = COPULA.sub("", _language(mention, value)), VOCABULARY.get(predicate.name)
    if not predicate.says or predicate.kind == "event":
        value = _without_trailing_particles(
            _without_determiner(value).removeprefix("for ").removeprefix("的")
        )
        value = _TITLED.sub(r"\1", value) if predicate.name == "works_on" else value
        value = _FAN_OF.sub("", value) if predicate.name == "likes" else value.removeprefix("having ")
    if known and known.entity in _NAMED_ENTITIES:
        value = _PREPOSITION.sub("", value)
        return _TRIP.sub("", value).removeprefix("the ") if is_trip(mention) else value
    is_first = mention.finding.place[0] == mention.sentence[0] and is_english(mention.words)
    if predicate.name in _COMMON_NOUNS and is_first and value[1:].islower():
        value = value.lower()
    if (predicate.label or predicate.name in NAME_PREDICATES) and value.casefold() in _PRONOUNS:
        return ""
    return value.removesuffix("'s").removesuffix("’s").removeprefix("在")


def _language(mention: Mention, value: str) -> str:
    """A value without "a little" if it is a language; the statement keeps that."""
    is_some = mention.finding.predicate == "speaks" and f"a {value.removeprefix('a ')}" in mention.words
    return _LITTLE.sub("", value) if is_some else value


def _age(mention: Mention, value: str) -> str:
    """The age in digits or words; empty if it is a decade ("30s") or too high for a person."""
    start, end = mention.finding.place
    if _DECADE.search(mention.turn.content[start : end + MAX_DECADE_LENGTH]):
        return ""
    digits = _DIGITS.search(value)
    if digits is None:
        return value
    return digits[0] if int(digits[0]) <= MAX_AGE else ""


def _limit_before(mention: Mention, amount: str) -> str:
    """The words just before an amount that limit it ("under "), or nothing."""
    content = mention.turn.content
    start = content.find(amount, mention.finding.place[0])
    first = max(mention.sentence[0], start - MAX_LIMIT_LENGTH)
    limit = _LIMIT.search(content[first:start]) if start >= 0 else None
    return (limit[1] or limit[2]).lower() if limit else ""


def _without_unpaired_marks(value: str) -> str:
    """The value without unpaired quotation marks and parentheses."""
    if _INCHES.search(value):
        return value
    for opening, closing in _MARKS:
        if value.count(opening) % 2 if opening == closing else value.count(opening) != value.count(closing):
            value = value.replace(opening, "").replace(closing, "")
    return value


def _without_determiner(value: str) -> str:
    """The value without a leading "my" or "this", unless that is a name ("MA") or part of one ("My Fair
    Lady")."""
    mine = MINE.match(value) or _THIS.match(value)
    rest = value[mine.end() :] if mine else value
    is_name = rest[:1].isupper() or (not rest and value[:1].isupper())
    return value if is_name else rest


def _without_trailing_particles(value: str) -> str:
    """The value without trailing function words ("birthday party for"); empty if there are no others."""
    words = value.split()
    while words and words[-1].islower() and words[-1] in COMMON_WORDS and words[-1] not in _KEPT_WORDS:
        words.pop()
    return " ".join(words)


def _complete_name(mention: Mention, predicate: Predicate) -> str:
    """The value, completed if it stops within the name of a place, organisation or model ("Pixel 8")."""
    known = VOCABULARY.get(predicate.name)
    is_placed = known is not None and known.entity in _NAMED_ENTITIES
    last = mention.value.split()[-1:]
    if not (is_placed or predicate.name in POSSESSION_PREDICATES) or not last or not last[0][0].isupper():
        return mention.value
    pattern = _REST_OF_NAME if is_placed else _MODEL
    rest = pattern.match(mention.turn.content[mention.finding.place[1] : mention.sentence[1]])
    return mention.value + rest[0] if rest else mention.value


def _name(value: str, *, in_english: bool) -> str:
    """The words of a name up to the last capitalised one, if any, without a leading "my sister". "My Linh"
    and "Sister Mary" are names; only in German are nouns capitalised."""
    words = value.lstrip(". ").split()
    if len(words) > 1 and MINE.fullmatch(words[0]) and (words[0].islower() or words[1].islower()):
        words = words[1:]
    if len(words) > 1 and is_kin_word(words[0]) and words[1][:1].isupper():
        is_noun = words[0].islower() or (not in_english and words[0].casefold() in KIN["de"])
        words = words[1:] if is_noun else words
    last = max((at for at, word in enumerate(words) if word[:1].isupper()), default=len(words) - 1)
    return " ".join(words[: last + 1])


def is_trip(mention: Mention) -> bool:
    """Whether the value is a place before "trip", so that its article is that of the trip."""
    after = mention.turn.content[mention.finding.place[1] : mention.sentence[1]]
    return bool(_TRIP.search(mention.value) or _TRIP.match(after))
