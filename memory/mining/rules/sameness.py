"""When two facts of one message are the same thing told twice."""

import re
from collections.abc import Iterable

from memory.mining.rules.stopwords import SMALL_WORDS
from memory.mining.types import ExtractedFact

DATED_KINDS = ("event", "experience")

_WORD = re.compile(r"[^\W_]+")
# Kinds in which one wording may say more than the other, whatever the predicates.
_BY_PART = ("constraint", "goal", "project", "event")
_ONE_A_CLAUSE = (*DATED_KINDS, "constraint")
_LIKINGS = frozenset({"likes", "prefers"})
_TRIPS = frozenset({"flight", "trip", "train", "holiday", "vacation", "cruise", "ferry"})
_MEAT = frozenset({"meat", "pork", "beef", "fish", "chicken", "bacon", "lamb", "animal", "seafood"})
_MILK = frozenset({"milk", "dairy", "lactose", "cheese"})
# What a word for a way of life says by itself.
_IMPLIED = {
    "vegetarian": _MEAT,
    "vegan": _MEAT | _MILK | {"eggs", "egg", "honey"},
    "pescatarian": _MEAT - {"fish", "seafood"},
    "lactose": _MILK,
    "dairy": _MILK,
    "coeliac": frozenset({"gluten", "bread", "wheat"}),
    "celiac": frozenset({"gluten", "bread", "wheat"}),
    "gluten": frozenset({"gluten", "bread", "wheat"}),
    "sober": frozenset({"alcohol", "drink", "booze"}),
    "teetotal": frozenset({"alcohol", "drink", "booze"}),
    "claustrophobic": frozenset({"lifts", "elevators"}),
}
_SUMMARIES = frozenset({"follows_diet", "has_condition", "drinks"})
_ENDS = re.compile(r"(?<=\w\w\w)(?:ies|es|s|y)$")


def same(fact: ExtractedFact, other: ExtractedFact) -> bool:
    """Whether both say one thing: the same key, the same words under one predicate, one stretch of
    a dated sentence, or a second wording of the first."""
    if fact.key == other.key:
        return True
    if fact.kind != other.kind:
        return False
    if fact.kind in _ONE_A_CLAUSE and _overlap(fact, other):
        return fact.kind in DATED_KINDS or fact.predicate != other.predicate
    if fact.kind == "event" and fact.event_time != other.event_time:
        return False
    return _reworded(fact, other) or _one_trip(fact, other)


def implied_among(facts: Iterable[ExtractedFact]) -> set[int]:
    """The places in `facts` of those that another one makes needless: "no meat" beside
    "vegetarian"."""
    listed = list(facts)
    implied = frozenset(
        word
        for fact in listed
        if fact.predicate in _SUMMARIES
        for name in _words(fact.object)
        for word in _IMPLIED.get(name, ())
    )
    return {
        at
        for at, fact in enumerate(listed)
        if _is_summed_up(fact, implied) or any(_is_named_by(other, fact) for other in listed)
    }


def _is_summed_up(fact: ExtractedFact, implied: frozenset[str]) -> bool:
    if fact.kind != "constraint" or fact.predicate in _SUMMARIES:
        return False
    stems, known = _stems(fact.object), {_stem(word) for word in implied}
    return bool(stems & known) and not stems - known


def _is_named_by(other: ExtractedFact, fact: ExtractedFact) -> bool:
    """Whether `other` names the relative whom `fact` only mentions ("my son")."""
    if fact.predicate != "has_family" or other.predicate == "has_family":
        return False
    telling = _stems(fact.object) & _stems(other.statement) - _stems(other.object)
    return other.kind == "relationship" and bool(telling)


def _reworded(fact: ExtractedFact, other: ExtractedFact) -> bool:
    one, two = _stems(fact.object), _stems(other.object)
    if not one or not two:
        return fact.object.casefold() == other.object.casefold() and _akin(fact, other)
    if fact.kind in _BY_PART and (one <= two or two <= one):
        return True
    return one == two and _akin(fact, other)


def _akin(fact: ExtractedFact, other: ExtractedFact) -> bool:
    predicates = {fact.predicate, other.predicate}
    return len(predicates) == 1 or fact.kind == "technical" or _likes(predicates)


def _likes(predicates: set[str]) -> bool:
    return all(one in _LIKINGS or one.startswith("favourite_") for one in predicates)


def _one_trip(fact: ExtractedFact, other: ExtractedFact) -> bool:
    travels = [one.predicate == "travels_to" for one in (fact, other)]
    if not any(travels):
        return False
    return all(
        gone or _TRIPS & set(_words(one.object)) for gone, one in zip(travels, (fact, other), strict=True)
    )


def _overlap(one: ExtractedFact, other: ExtractedFact) -> bool:
    return one.span[0] < other.span[1] and other.span[0] < one.span[1]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _stems(text: str) -> frozenset[str]:
    """The telling words of a text, without their endings."""
    return frozenset(_stem(word) for word in _words(text) if word not in SMALL_WORDS)


def _stem(word: str) -> str:
    return _ENDS.sub("", word)
