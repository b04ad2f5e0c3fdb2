"""Make the key and statement of a fact from its predicate and value."""

from memory.facts.vocabulary import canonical_key, slug
from memory.mining.reader.mentions import MAX_CONTEXT_LENGTH, Mention, clause_limits, is_kin_word, kin_of
from memory.mining.reader.predicates import PREDICATES, Predicate
from memory.mining.reader.values import COPULA, POSSESSION_PREDICATES, is_trip
from memory.text.forms import USER, sentence
from memory.text.languages import is_english
from memory.text.owner_sentences import NAMED, fits, noun_phrase
from memory.text.patterns import compile_pattern

SAID = "The user said"
_FAVOURITE = compile_pattern(r"fav(?:ou?rite|e)?s? ([\pL-]{3,20})", ignore_case=True)
_DETERMINER = compile_pattern(r"(?:an?|the|my|our) ")
# "My new phone is a Pixel 6": facts are distinguished by what a thing is called, not by what it is.
_CALLED = compile_pattern(
    r"(?:^|[^\pL])(?:the ([\pL-]+) (?:in|of|on) )?(?:my|our) (?:new |old |current )?([\pL-]+)"
    r" is (?:now )?(?:an? )?$|(?:swapped|replaced) the ([\pL-]+) (?:in|of|on) (?:my|our) ([\pL-]+)"
    r" (?:for|with|by) (?:an? )?$",
    ignore_case=True,
)
_ARTICLE = compile_pattern(r"an? $", ignore_case=True)
_TITLE = compile_pattern(r"(?:^|[^\pL])((?:Dr|Prof|Mr|Mrs|Ms)\.?) ?$")
_NAMELESS = ("married_to", "engaged_to", "partner_of", "parent_of", "sibling_of", "grandparent_of", "has_pet")


def key_and_statement(mention: Mention, predicate: Predicate, value: str) -> tuple[str, str]:
    """The key and the statement of a fact."""
    kin = kin_of(mention, predicate.name) if predicate.label else None
    key, statement = kin.key if kin else predicate.key, ""
    if predicate.name == "favourite" and (thing := _favourite_kind(mention)):
        key, statement = f"favourite_{slug(thing)}", f"The user's favourite {thing} is {value}."
    elif predicate.name in POSSESSION_PREDICATES and (named := _thing_name(mention)):
        thing, article = named
        key, statement = slug(thing), f"The user's {thing} is {article}{value}."
    elif kin and predicate.name in _NAMELESS and (value[:1].islower() or is_kin_word(value)):
        statement = _sentence_in_form(mention, PREDICATES["has"], value)
    elif kin and not value[:1].islower():
        statement = f"{value} is the user's {kin.label}."
    elif predicate.says:
        statement = _quoted(predicate.says, mention)
    else:
        statement = _sentence_in_form(mention, predicate, value)
    return canonical_key(key.replace("{slug}", slug(value))), statement


def _favourite_kind(mention: Mention) -> str:
    match = _FAVOURITE.search(mention.words) if is_english(mention.words) else None
    return match[1].lower() if match else ""


def _thing_name(mention: Mention) -> tuple[str, str] | None:
    """The kind of thing whose make the user names, such as "phone" or "e-bike battery", and its article."""
    copula = COPULA.match(mention.value)
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
    name in Latin letters."""
    if not is_english(mention.words):
        is_latin = predicate.name in NAMED and value[:1] < "\u0250"
        is_name = value[:1].isupper() and (is_latin or bool(predicate.label))
        return sentence(predicate.name, value if is_name else f"“{value}”", USER)
    if not fits(predicate.name, value, mention.words):
        return _quoted(SAID, mention)
    phrase = value if is_trip(mention) else noun_phrase(predicate.name, value, mention.words)
    title = _TITLE.search(mention.turn.content[mention.sentence[0] : mention.finding.place[0]])
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
