"""Clean values, and make the key and statement of a fact from its predicate and value."""

from itertools import chain, takewhile

from memory.facts.vocabulary import PREDICATES as VOCABULARY
from memory.facts.vocabulary import canonical_key, slug
from memory.mining.reader.mentions import (
    MAX_CONTEXT_LENGTH,
    MINE,
    NAME_PREDICATES,
    Mention,
    clause_limits,
    is_kin_word,
    kin_of,
)
from memory.mining.reader.predicates import PREDICATES, Predicate
from memory.text.dates import read_span
from memory.text.forms import USER, sentence
from memory.text.kinship import KIN, Kinship
from memory.text.languages import is_english
from memory.text.owner_sentences import NAMED, fits, noun_phrase
from memory.text.patterns import compile_pattern
from memory.text.russian import nominative
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
# A name after its kind: "title Dune", "thesis On Doors".
_TITLED = compile_pattern(_PATTERNS["titled"])
_LITTLE = compile_pattern(r"^(?:a )?little ")
_COPULA = compile_pattern(r"^(?:is|am|are|['’]m) (?:an? |the )?", ignore_case=True)
_FOREIGN_ARTICLE = compile_pattern(_PATTERNS["foreign_article"])
_NEGATION = compile_pattern(_PATTERNS["negation"])
_PREPOSITION = compile_pattern(r"^(?:(?:at|in|for|bei|en|à|chez|в|на) |在)", ignore_case=True)
# What does not belong to a value: "fan of tea", "35 on 3 March", "Tom is 7".
_EXTRA = {
    "likes": compile_pattern(r"^(?:an? )?(?:big |huge |avid )?fan of ", ignore_case=True),
    "allergic_to": compile_pattern(r"不?过敏?$|不$"),
    "has_degree": compile_pattern(r"^(?:degree )?(?:in|en) "),
    "bad_at": compile_pattern(r"^(?:(?:still )?struggl(?:e|es|ing) )?with "),
    "plays": compile_pattern(r"^playing | (?:lessons?|class(?:es)?)$"),
    "is_learning": compile_pattern(r" (?:lessons?|class(?:es)?)$"),
    "uses": compile_pattern(r"^using "),
    "works_as": compile_pattern(r"^an? "),
    "worked_as": compile_pattern(r"^an? "),
    "has_family": compile_pattern(
        r" (?:is|was|has|had|will|ist|war|hat|wird|es|tiene|cumple|est) .*"
        r"| (?:a )?\d\d? (?:ans|años|лет|год|jahre).*"
    ),
}
_INCHES = compile_pattern(r'\d"')
_AMOUNT = compile_pattern(r"[\p{Sc}\pN].*")
_INSTEAD = compile_pattern(r",? (?:instead of|rather than|not|statt|anstatt|en vez de|au lieu de|вместо) .*")
_LIMIT = compile_pattern(_PATTERNS["limit"], ignore_case=True)
_TRAILING_ADVERB = compile_pattern(_PATTERNS["trailing_adverb"], ignore_case=True)
_POSSESSIONS = ("owns", "uses", "has")
# "I need to get my guitar" before "serviced".
_HAVE_DONE = compile_pattern(
    r"(?:^|[^\pL])(?:get|getting|got|have|having|had) (?:my|our|the) (?:[\pL-]+ )*$", ignore_case=True
)
_DONE = compile_pattern(_PATTERNS["done"])
_NEAR = compile_pattern(r" (?:near|nearby)$")
_DESTINATIONS = ("lives_in", "lived_in", "moves_to", "travels_to")
# "Lagos" in "Lagos traffic".
_BEFORE_NOUN = compile_pattern(r"^(\p{Lu}.*) (?:traffic|hustle|area|region|suburbs|food|life|scene)$")
_PRONOUNS = ("this", "that", "here", "he", "she", "it", "they", "who")
_COMMON_NOUNS = ("allergic_to", "avoids", "has_condition", "takes")
_NAMED_ENTITIES = ("place", "organisation")

SAID = "The user said"
_FAVOURITE = compile_pattern(r"fav(?:ou?rite|e)?s? ([\pL-]{3,20})", ignore_case=True)
# A house number and a street.
_ADDRESS = compile_pattern(r"\d+\pL? \p{Lu}")
_LATIN_OR_CYRILLIC = compile_pattern(r"[\p{Latin}\p{Cyrillic}]")
_MY_OR_A = compile_pattern(r"(?:^|[^\pL])(?:my|our|an?) $", ignore_case=True)
_PURPOSE = compile_pattern(_PATTERNS["purpose"], ignore_case=True)
_IS = compile_pattern(_PATTERNS["is"], ignore_case=True)
_DETERMINER = compile_pattern(r"(?:an?|the|my|our) ")
_CALLED = compile_pattern(_PATTERNS["called"], ignore_case=True)
_ARTICLE = compile_pattern(r"an? $", ignore_case=True)
_TITLE = compile_pattern(r"(?:^|[^\pL])((?:Dr|Prof|Mr|Mrs|Ms)\.?) ?$")
_IMPLIED = ("child_of", "grandchild_of", "reports_to")
"""Relationships that say nothing without a name."""
_NAMELESS = ("married_to", "engaged_to", "partner_of", "parent_of", "sibling_of", "grandparent_of", "has_pet")


def clean_value(mention: Mention, predicate: Predicate) -> str:
    """The value of a mention to store; empty if nothing of it is left."""
    value = _TRAILING_ADVERB.sub(
        "", " ".join(_without_unpaired_marks(_complete_name(mention, predicate)).split())
    )
    if reader := {"aged": _age, "born_on": _date}.get(predicate.name):
        return reader(mention, value)
    if predicate.name == "has_budget" and (amount := _AMOUNT.search(value)):
        value = _limit_before(mention, amount[0]) + amount[0]
    is_person = bool(predicate.label) or predicate.name in NAME_PREDICATES
    if is_person:
        value = _name(_INSTEAD.sub("", value), in_english=is_english(mention.words))
    value, known = _COPULA.sub("", _language(mention, value)), VOCABULARY.get(predicate.name)
    if not predicate.says or predicate.kind == "event":
        value = _without_extra_words(mention, predicate, value)
    if known and known.entity in _NAMED_ENTITIES:
        return _place(mention, predicate, value)
    if not predicate.says:
        value = nominative(_common_noun(mention, value), mention.before)
    value = _person(value) if is_person else value
    return value.removesuffix("'s").removesuffix("’s").removeprefix("在")


def _without_extra_words(mention: Mention, predicate: Predicate, value: str) -> str:
    """Strip articles, negations ("keine … mehr") and other words that do not belong to the value."""
    if not (predicate.says or is_english(mention.words)):
        known = VOCABULARY.get(predicate.name)
        noun = _FOREIGN_ARTICLE.sub("", value)
        is_name = known is not None and known.entity in _NAMED_ENTITIES and noun[:1].isupper()
        value = value if is_name else noun
        value = _NEGATION.sub("", value) if mention.is_over else value
    value = _without_trailing_particles(_without_determiner(value).removeprefix("for ").removeprefix("的"))
    value = _TITLED.sub(r"\1", value) if predicate.name == "works_on" else value
    if predicate.name in _POSSESSIONS:
        value = _NEAR.sub("", _DONE.sub("", value) if _HAVE_DONE.search(mention.before) else value)
    extra = _EXTRA.get(predicate.name)
    return extra.sub("", value) if extra else value.removeprefix("having ")


def _place(mention: Mention, predicate: Predicate, value: str) -> str:
    """A place or organisation without a preposition, a place without the noun it qualifies, and without
    "trip" if it is where one goes."""
    place = _PREPOSITION.sub("", value)
    if predicate.name in _DESTINATIONS and is_english(mention.words):
        place = _BEFORE_NOUN.sub(r"\1", place).removesuffix("'s")
    place = nominative(place, mention.before + value.removesuffix(place), is_place=True)
    return _TRIP.sub("", place).removeprefix("the ") if _is_trip(mention) else place


def _common_noun(mention: Mention, value: str) -> str:
    """The value in lower case if it is a common noun that begins an English sentence."""
    is_first = mention.finding.place[0] == mention.sentence[0] and is_english(mention.words)
    is_noun = mention.finding.predicate in _COMMON_NOUNS and value[1:].islower()
    return value.lower() if is_first and is_noun else value


def _language(mention: Mention, value: str) -> str:
    """A value without "a little" if it is a language; the statement keeps that."""
    is_some = mention.finding.predicate == "speaks" and f"a {value.removeprefix('a ')}" in mention.words
    return _LITTLE.sub("", value) if is_some else value


def _is_trip(mention: Mention) -> bool:
    """Whether the value is a place before "trip", so that its article is that of the trip."""
    after = mention.turn.content[mention.finding.place[1] : mention.sentence[1]]
    return bool(_TRIP.search(mention.value) or _TRIP.match(after))


def _date(mention: Mention, value: str) -> str:
    """The date in a value, without the words around it; the value if it has none with a number."""
    found = read_span(value, mention.turn.said_at.date())
    return found.words if found and any(map(str.isdecimal, found.words)) else value


def _person(value: str) -> str:
    """The name of a person, or a word for a relative or pet; empty if it is a pronoun or a relationship that
    says nothing without a name."""
    kin = _foreign_kin(value)
    return "" if value.casefold() in _PRONOUNS or (kin and kin.predicate in _IMPLIED) else value


def _foreign_kin(value: str) -> Kinship | None:
    """What a word for a relative or pet means, in languages whose words in the table are singular."""
    return next((kin for code in ("es", "fr", "ru", "zh") if (kin := KIN[code].get(value.casefold()))), None)


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
    rest = mention.turn.content[mention.finding.place[1] : mention.sentence[1]]
    known = VOCABULARY.get(predicate.name)
    is_placed = known is not None and known.entity in _NAMED_ENTITIES
    last = mention.value.split()[-1:]
    if not (is_placed or predicate.name in _POSSESSIONS) or not last or not last[0][0].isupper():
        return mention.value
    pattern = _REST_OF_NAME if is_placed else _MODEL
    more = pattern.match(rest)
    return mention.value + more[0] if more else mention.value


def _name(value: str, *, in_english: bool) -> str:
    """The words of a name up to the last capitalised one, if any, without a leading "my sister". "My Linh"
    and "Sister Mary" are names; only in German are nouns capitalised."""
    kin = max((word for word in KIN["zh"] if value.startswith(word)), key=len, default="")
    if len(value) - len(kin) > 1 and "和" not in value:
        value = value.removeprefix(kin)  # 妈王芳
    words = value.lstrip(". ").split()
    if len(words) > 1 and MINE.fullmatch(words[0]) and (words[0].islower() or words[1].islower()):
        words = words[1:]
    if len(words) > 1 and is_kin_word(words[0]) and words[1][:1].isupper():
        is_noun = words[0].islower() or (not in_english and words[0].casefold() in KIN["de"])
        words = words[1:] if is_noun else words
    last = max((at for at, word in enumerate(words) if word[:1].isupper()), default=len(words) - 1)
    return " ".join(words[: last + 1])


def key_and_statement(mention: Mention, predicate: Predicate, value: str) -> tuple[str, str]:
    """The key and the statement of a fact."""
    kin = kin_of(mention, predicate.name) if predicate.label else None
    key = kin.key if kin else predicate.key
    key, statement = _of_named_kind(mention, predicate, value) or (
        key,
        _stated(mention, predicate, value, kin),
    )
    return canonical_key(key.replace("{slug}", slug(value))), statement


def _of_named_kind(mention: Mention, predicate: Predicate, value: str) -> tuple[str, str] | None:
    """The key and the statement of a value whose kind the sentence names ("my favourite tea", "my phone",
    "my budget for the garden"), or None."""
    if predicate.name == "favourite" and (thing := _favourite_kind(mention)):
        return f"favourite_{slug(thing)}", f"The user's favourite {thing} is {value}."
    if predicate.name in _POSSESSIONS and (named := _thing_name(mention)):
        thing, article = named
        return slug(thing), f"The user's {thing} is {article}{value}."
    if predicate.name == "has_budget" and (purpose := _purpose(mention)):
        return f"budget_{slug(purpose)}", f"The user's budget for the {purpose} is {value}."
    return None


def _stated(mention: Mention, predicate: Predicate, value: str, kin: Kinship | None) -> str:
    is_noun = value[:1].islower() or value[:1].isdigit() or is_kin_word(value)
    one = _foreign_kin(value) if _is_relative(predicate) and not is_english(mention.words) else None
    if one:
        return f"The user has {'an' if one.label[0] in 'aeiou' else 'a'} {one.label}."
    if (kin and predicate.name in _NAMELESS and is_noun) or _is_household(mention, value):
        return _sentence_in_form(mention, PREDICATES["has"], value)
    if kin and not value[:1].islower():
        return f"{value} is the user's {kin.label}."
    if predicate.name == "lives_in" and _ADDRESS.match(value):
        return f"The user lives at {value}."
    if predicate.says or predicate.name == "has_budget":
        return _quoted(predicate.says or SAID, mention)
    stated = _sentence_in_form(mention, predicate, value)
    if predicate.name == "acquainted_with" and not stated.startswith(SAID):
        return _quoted(stated.removesuffix("."), mention)
    return stated


def _is_relative(predicate: Predicate) -> bool:
    return bool(predicate.label) or predicate.name == "has_family"


def _favourite_kind(mention: Mention) -> str:
    """The kind of thing that a value is the favourite of: the last one named before it with "is", or else the
    first one after it."""
    if not is_english(mention.words):
        return ""
    start, end = (at - mention.sentence[0] for at in mention.finding.place)
    found = list(_FAVOURITE.finditer(mention.words))
    before = (each for each in reversed(found) if each.end() <= start)
    stated = (each for each in before if _IS.search(mention.words[each.end() : start]))
    after = (each for each in found if each.start() >= end)
    match = next(chain(stated, after, found), None)
    return match[1].lower() if match else ""


def _is_household(mention: Mention, value: str) -> bool:
    """Whether a value for the family is "wife", "son" or the like and follows "my" or "a"."""
    kin, before = KIN["en"].get(value), mention.before
    is_near = kin is not None and kin.predicate in _NAMELESS and kin.label == value
    return is_near and mention.finding.predicate == "has_family" and bool(_MY_OR_A.search(before))


def _purpose(mention: Mention) -> str:
    """What a sum is meant for, such as "kitchen renovation"; empty if the words before it do not say."""
    before = mention.before
    *_, found = (None, *_PURPOSE.finditer(before))
    if found is None or _AMOUNT.search(before[found.end() :]):
        return ""
    words = found[1].split()
    return " ".join(takewhile(lambda word: word.casefold() not in (*COMMON_WORDS, "whole"), words))


def _thing_name(mention: Mention) -> tuple[str, str] | None:
    """The kind of thing whose make the user names, such as "phone" or "e-bike battery", and its article."""
    copula = _COPULA.match(mention.value)
    start = mention.finding.place[0] + (copula.end() if copula else 0)
    match = _CALLED.search(mention.turn.content[mention.sentence[0] : start])
    if match is None:
        return None
    part, whole = (match[1] or match[3], match[2] or match[4])
    article = _ARTICLE.search(mention.turn.content[mention.sentence[0] : start])
    return f"{whole} {part or ''}".strip().lower(), article[0].lower() if article else ""


def _sentence_in_form(mention: Mention, predicate: Predicate, value: str) -> str:
    """The statement in the form of the predicate, with the article of the value. If an English value does not
    fit ("works as teach"), quote the user instead. A value in another language is quoted, unless it is a
    name in Latin or Cyrillic letters."""
    if not is_english(mention.words):
        is_spelled = predicate.name in NAMED and bool(_LATIN_OR_CYRILLIC.match(value))
        is_name = value[:1].isupper() and (is_spelled or bool(predicate.label))
        return sentence(predicate.name, value if is_name else f"“{value}”", USER)
    if not fits(predicate.name, value, mention.words):
        return _quoted(SAID, mention)
    phrase = value if _is_trip(mention) else noun_phrase(predicate.name, value, mention.words)
    title = _TITLE.search(mention.before)
    if title and predicate.name == "acquainted_with":
        value = f"{title[1]} {value}"
    return sentence(predicate.name, phrase if _DETERMINER.match(phrase) else value, USER)


def _quoted(said: str, mention: Mention) -> str:
    """A statement that quotes the user: the clause around the value, with as much context as fits. In a
    question, context is only the following clauses, without the last."""
    content = mention.turn.content
    starts, ends = clause_limits(content, mention.quote, mention.finding.place)
    if said == SAID and mention.context < starts[0]:
        starts.insert(0, mention.context)
    if content[mention.quote[1] - 1] in "?？":
        starts, ends = starts[-1:], ends[:-1] or ends
    start = next((at for at in starts if ends[0] - at <= MAX_CONTEXT_LENGTH), starts[-1])
    end = max((at for at in ends if at - start <= MAX_CONTEXT_LENGTH), default=ends[0])
    return f"{said}: “{content[start:end].rstrip(' ,;:，；：–—-(')}”"
