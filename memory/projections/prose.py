"""The profile as prose without a model: facts told in plain English sentences, in any script."""

import re
from collections.abc import Iterable, Iterator, Sequence

from memory.projections.values import Telling, section_of

MOST_WORDS = 400
MOST_OF_A_KIND = 8
MOST_CLAUSES = 4
LONGEST_OBJECT = 80
NAMELESS = "The user"

PARAGRAPHS = (("self",), ("people",), ("tastes", "care"), ("plans", "tools", "notes"))
_VERBS = {
    "lives_in": "lives in",
    "comes_from": "comes from",
    "born_in": "was born in",
    "works_as": "works as",
    "works_at": "works at",
    "studies_at": "studies at",
    "studies": "studies",
    "likes": "likes",
    "dislikes": "dislikes",
    "prefers": "prefers",
    "allergic_to": "is allergic to",
    "is_learning": "is learning",
    "works_on": "is working on",
    "uses": "uses",
    "owns": "owns",
}
_OWNERS = re.compile(r"\bthe user['’]s\b", re.IGNORECASE)
_OWNER = re.compile(r"\bthe user\b", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the|my|his|her|their)\b|[A-Z]", re.ASCII)
# How a statement says it when not by the verb itself. An owner who rewords a fact changes its
# statement, not its predicate: what the statement does not bear out is told by the statement.
_OTHERWISE = {"works_as": "occupation is", "comes_from": "is from", "works_on": "project called"}
_NEGATED = re.compile(r"\b(?:no|not|never|used to|stopped|hardly)\b|n['’]t\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:I|I['’]\w+|me|my|mine|myself)\b")
_LATIN = re.compile(r"[a-z]")
# A word of a script with spaces, or two characters of one without.
_WORD = re.compile(
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff]{1,2}"
    r"|[^\W\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff]+"
)


def compose(facts: Sequence[Telling]) -> tuple[str, ...]:
    """Up to four paragraphs of together at most 400 words; nothing without facts.

    Every name and number in them is a fact's own. The surest facts come first, so that what does
    not fit is the least of it.
    """
    name = _name(facts)
    paragraphs = []
    left = MOST_WORDS
    for sections in PARAGRAPHS:
        told = [fact for fact in facts if section_of(fact) in sections and not _is_name(fact)]
        sentences, left = _fitting(_sentences(told, name), left)
        if sentences:
            paragraphs.append(" ".join(sentences))
    return tuple(paragraphs)


def count_words(text: str) -> int:
    """How many words a text has; without spaces between them two characters count as one."""
    return sum(1 for _ in _WORD.finditer(text))


def _name(facts: Iterable[Telling]) -> str:
    return next((fact.value for fact in facts if _is_name(fact)), NAMELESS)


def _is_name(fact: Telling) -> bool:
    return fact.predicate == "named" or fact.key == "name"


def _fitting(sentences: Iterable[str], left: int) -> tuple[list[str], int]:
    kept = []
    for sentence in sentences:
        words = count_words(sentence)
        if words <= left:
            kept.append(sentence)
            left -= words
    return kept, left


def _sentences(facts: Sequence[Telling], name: str) -> Iterator[str]:
    objects: dict[str, list[str]] = {}
    plain = []
    for fact in facts:
        if fact.predicate in _VERBS and _speaks_for_itself(fact):
            objects.setdefault(fact.predicate, []).append(fact.object)
        else:
            plain.append(fact)
    several = [verb for verb in objects if len(objects[verb]) > 1]
    single = [_clause(verb, objects[verb]) for verb in _VERBS if len(objects.get(verb, ())) == 1]
    for start in range(0, len(single), MOST_CLAUSES):
        yield f"{name} {_listed(single[start : start + MOST_CLAUSES])}."
    for verb in several:
        yield f"{name} {_clause(verb, objects[verb])}."
    for fact in plain:
        yield _retold(fact.statement, name)


def _speaks_for_itself(fact: Telling) -> bool:
    """Whether predicate and object say what the statement does: a short object that is not told
    by "I", in a statement about the user with that verb."""
    said = (_VERBS[fact.predicate], _OTHERWISE.get(fact.predicate, ""))
    return (
        0 < len(fact.object) <= LONGEST_OBJECT
        and fact.object[-1] not in ".!?"
        and not _FIRST_PERSON.search(fact.object)
        and bool(_OWNER.match(fact.statement))
        and any(verb and re.search(rf"\b{verb}\b", fact.statement) for verb in said)
        and fact.object in fact.statement
        and not _NEGATED.search(fact.statement)
    )


def _clause(predicate: str, objects: Sequence[str]) -> str:
    shown = list(objects[:MOST_OF_A_KIND])
    if predicate == "works_as":
        shown = [_with_article(each) for each in shown]
    more = len(objects) - len(shown)
    if more:
        shown.append("other things")
    return f"{_VERBS[predicate]} {_listed(shown)}"


def _with_article(occupation: str) -> str:
    if _ARTICLE.match(occupation) or not _LATIN.match(occupation):
        return occupation
    return f"an {occupation}" if occupation[0] in "aeiou" else f"a {occupation}"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _retold(statement: str, name: str) -> str:
    """The statement about this person by name."""
    text = " ".join(statement.split())
    if name != NAMELESS:
        text = _OWNER.sub(lambda _: name, _OWNERS.sub(lambda _: f"{name}'s", text))
    return text if text[-1:] in ".!?。！？…" else f"{text}."
