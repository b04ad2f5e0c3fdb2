"""Clean values, and make the key and statement of a fact from its predicate and value."""

from itertools import takewhile

from memory.facts.vocabulary import canonical_key, predicate_of, slug
from memory.mining.reader.mentions import (
    MAX_CONTEXT_LENGTH,
    MINE,
    NAME_PREDICATES,
    Mention,
    adjacent_kin,
    clause_limits,
    is_kin_word,
    kin_of,
)
from memory.mining.reader.predicates import COMPANIONS, PREDICATES, Predicate
from memory.text.dates import read_span
from memory.text.forms import USER, sentence
from memory.text.kinship import KIN, LANGUAGES, Kinship
from memory.text.languages import is_english
from memory.text.owner_sentences import NAMED, fits, noun_phrase
from memory.text.patterns import compile_pattern
from memory.text.russian import nominative
from memory.text.stop_words import COMMON_WORDS

_MARKS = (('"', '"'), ("“", "”"), ("«", "»"), ("(", ")"))
_DIGITS = compile_pattern(r"\d{1,3}")
# "31,200" and "1.58 m" are no ages, and "96年" is a year.
_LONGER_NUMBER = compile_pattern(r"\d[.,]\d|\d年")
# "In my 30s" is no age.
_DECADE = compile_pattern(r"\d0['’]?s|\d0ern|(?:ties|[zß]igern|taine)$|[十0]多", ignore_case=True)
_FOREIGN_ARTICLE = compile_pattern(
    r"^(?:l['’]|(?:el|las?|los|un(?:as?|os|e)?|les?|des|de[rmns]|die|das|eine?[mnrs]?) )"
)
_PRONOUNS = ("this", "that", "here", "he", "she", "it", "they", "who")
# Around the value of what is over: "keine Vegetarierin mehr", "虾不过敏".
_NEGATION = compile_pattern(r"^(?:keine?[mnrs]? |不再?[用吃喝])|不?过敏?$")
_NAMED_ENTITIES = ("place", "organisation")

SAID = "The user said"
_FAVOURITE = compile_pattern(r"fav(?:ou?rite|e)? ([\pL-]{3,20})", ignore_case=True)
# "My budget for the kitchen renovation is".
_PURPOSE = compile_pattern(
    r"budget for (?:the|an?|my|our|this|that) (\pL[\pL-]*(?: \pL[\pL-]*){0,2})[^\p{Sc}\pN]*$",
    ignore_case=True,
)
_LATIN_OR_CYRILLIC = compile_pattern(r"[\p{Latin}\p{Cyrillic}]")
_DETERMINER = compile_pattern(r"(?:an?|the|my|our) ")
# "Leder trag ich nicht", "мясо не ем": a clause and no object.
_NEGATED_CLAUSE = compile_pattern(r"(?:^| )(?:nicht|не)(?: |$)", ignore_case=True)
_ABBREVIATED = ("gf", "bf")
_NAMELESS = ("married_to", "engaged_to", "partner_of", "parent_of", "sibling_of", "grandparent_of", "has_pet")


def clean_value(mention: Mention, predicate: Predicate) -> str:
    """The value of a mention to store; empty if nothing of it is left."""
    value = " ".join(_without_unpaired_marks(mention.value).split())
    value = _NEGATION.sub("", value) if mention.is_over else value
    if value.casefold() in _PRONOUNS:
        return ""
    if reader := {"aged": _age, "born_on": _date}.get(predicate.name):
        return reader(mention, value)
    if predicate.label or predicate.name in NAME_PREDICATES:
        value = _name(value, in_english=is_english(mention.words))
    if not predicate.says or predicate.kind == "event":
        value = _without_extra_words(mention, predicate, value)
    if _is_of_named_entity(predicate):
        return nominative(value, mention.before, is_place=True)
    value = value if predicate.says else nominative(value, mention.before)
    return value.removesuffix("'s").removesuffix("’s")


def _without_extra_words(mention: Mention, predicate: Predicate, value: str) -> str:
    """The value without articles and other words around it."""
    if not (predicate.says or is_english(mention.words)):
        noun = _FOREIGN_ARTICLE.sub("", value)
        value = value if _is_of_named_entity(predicate) and noun[:1].isupper() else noun
    return _without_trailing_particles(_without_determiner(value).removeprefix("for "))


def _is_of_named_entity(predicate: Predicate) -> bool:
    return predicate_of(predicate.name).entity in _NAMED_ENTITIES


def _date(mention: Mention, value: str) -> str:
    """The date in a value, without the words around it; the value if it has none with a number."""
    found = read_span(value, mention.turn.said_at.date())
    return found.words if found and any(map(str.isdecimal, found.words)) else value


def _nameless(mention: Mention, predicate: Predicate, value: str) -> Kinship | None:
    """What a value means that is only a word for one relative or pet, such as "gf" or one in a language other
    than English, and no name after such a word ("mi perro Perico")."""
    word, in_english = value.casefold(), is_english(mention.words)
    if adjacent_kin(mention) or (word not in _ABBREVIATED if in_english else not _is_relative(predicate)):
        return None
    codes = ("en",) if in_english else LANGUAGES[1:]
    kin = next((kin for code in codes if (kin := KIN[code].get(word))), None)
    means_it = kin and (
        kin.predicate == predicate.name
        or not predicate.label
        or {kin.predicate, predicate.name} <= COMPANIONS
    )
    return kin if kin and means_it and not kin.is_plural else None


def _age(mention: Mention, value: str) -> str:
    """The age in digits, or else in words; "" for a decade or part of a longer number."""
    end = mention.finding.place[1]
    if _DECADE.search(value) or _LONGER_NUMBER.search(value + mention.turn.content[end : end + 2]):
        return ""
    digits = _DIGITS.search(value)
    return digits[0] if digits else value


def _without_unpaired_marks(value: str) -> str:
    """The value without unpaired quotation marks and parentheses."""
    for opening, closing in _MARKS:
        if value.count(opening) % 2 if opening == closing else value.count(opening) != value.count(closing):
            value = value.replace(opening, "").replace(closing, "")
    return value


def _without_determiner(value: str) -> str:
    """The value without a leading "my", unless that is a name ("MA") or part of one ("My Fair
    Lady")."""
    mine = MINE.match(value)
    rest = value[mine.end() :] if mine else value
    is_name = rest[:1].isupper() or (not rest and value[:1].isupper())
    return value if is_name else rest


def _without_trailing_particles(value: str) -> str:
    """The value without trailing function words ("birthday party for"); empty if there are no others."""
    words = value.split()
    while words and words[-1].islower() and words[-1] in COMMON_WORDS:
        words.pop()
    return " ".join(words)


def _name(value: str, *, in_english: bool) -> str:
    """The words of a name up to the last capitalised one, if any, without a leading "my sister". "My Linh"
    and "Sister Mary" are names; only in German are nouns capitalised."""
    kin = max((word for word in KIN["zh"] if value.startswith(word)), key=len, default="")
    if len(value) - len(kin) > 1:
        value = value.removeprefix(kin)  # 妈王芳
    words = value.split()
    if len(words) > 1 and MINE.fullmatch(words[0]) and (words[0].islower() or words[1].islower()):
        words = words[1:]
    if len(words) > 1 and is_kin_word(words[0]) and words[1][:1].isupper():
        is_noun = words[0].islower() or (not in_english and words[0].casefold() in KIN["de"])
        words = words[1:] if is_noun else words
    last = max((at for at, word in enumerate(words) if word[:1].isupper()), default=len(words) - 1)
    return " ".join(words[: last + 1])


def key_and_statement(mention: Mention, predicate: Predicate, value: str) -> tuple[str, str]:
    """The key and the statement of a fact."""
    if predicate.name == "favourite" and (thing := _favourite_kind(mention)):
        return canonical_key(f"favourite_{slug(thing)}"), f"The user's favourite {thing} is {value}."
    if predicate.name == "has_budget" and (found := _PURPOSE.search(mention.before)):
        purpose = " ".join(takewhile(lambda word: word.casefold() not in COMMON_WORDS, found[1].split()))
        return canonical_key(f"budget_{slug(purpose)}"), f"The user's budget for the {purpose} is {value}."
    kin = kin_of(mention, predicate.name) if predicate.label else None
    key = (kin or predicate).key.replace("{slug}", slug(value))
    return canonical_key(key), _stated(mention, predicate, value, kin)


def _stated(mention: Mention, predicate: Predicate, value: str, kin: Kinship | None) -> str:
    is_noun = value[:1].islower() or (is_kin_word(value) and not adjacent_kin(mention))
    is_parent = predicate.name == "child_of" and is_kin_word(value.removeprefix("我"))
    is_person_by_age = bool(predicate.label) and predicate.name != "has_pet" and value[:1].isdigit()
    if is_parent or is_person_by_age:  # everybody has parents, and "my 6 year old" is no name
        return _quoted(SAID, mention)
    if one := _nameless(mention, predicate, value):
        label = predicate.label if predicate.name == "friend_of" else one.label  # "Freundin"
        return f"The user has {'an' if label[0] in 'aeiou' else 'a'} {label}."
    if kin and predicate.name in _NAMELESS and is_noun:
        return _sentence_in_form(mention, PREDICATES["has"], value)
    if kin and not value[:1].islower():
        return f"{value} is the user's {kin.label}."
    if predicate.says or predicate.name == "has_budget":
        return _quoted(predicate.says or SAID, mention)
    stated = _sentence_in_form(mention, predicate, value)
    if predicate.name == "acquainted_with" and not stated.startswith(SAID):
        return _quoted(stated.removesuffix("."), mention)
    return stated


def _is_relative(predicate: Predicate) -> bool:
    return bool(predicate.label) or predicate.name == "has_family"


def _favourite_kind(mention: Mention) -> str:
    """The kind of thing that a value is the favourite of: the last one named before it, or else the first one
    after it."""
    if not is_english(mention.words):
        return ""
    place = mention.finding.place[0] - mention.sentence[0]
    found = [match for match in _FAVOURITE.finditer(mention.words) if match[1].lower() not in COMMON_WORDS]
    before = [match for match in found if match.end() <= place]
    match = next(iter(before[-1:] or found), None)
    return match[1].lower() if match else ""


def _sentence_in_form(mention: Mention, predicate: Predicate, value: str) -> str:
    """The statement in the form of the predicate, with the article of the value. If an English value does not
    fit ("works as teach"), quote the user instead. A value in another language is quoted, unless it is a
    name in Latin or Cyrillic letters."""
    if not is_english(mention.words):
        if _NEGATED_CLAUSE.search(value):
            return _quoted(SAID, mention)
        is_spelled = predicate.name in NAMED and bool(_LATIN_OR_CYRILLIC.match(value))
        is_name = value.isdecimal() or (value[:1].isupper() and (is_spelled or bool(predicate.label)))
        return sentence(predicate.name, value if is_name else f"“{value}”", USER)
    if not fits(predicate.name, value, mention.words):
        return _quoted(SAID, mention)
    phrase = noun_phrase(predicate.name, value, mention.words)
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
