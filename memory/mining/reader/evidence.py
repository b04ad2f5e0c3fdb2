"""Whether the words around a value support the fact that the network predicts, and whose fact it is."""

from collections.abc import Collection
from itertools import pairwise

from llm.multilingual.tokens import Span
from memory.mining.reader.mentions import (
    AND,
    INTRODUCTION_LENGTH,
    Mention,
    clause_limits,
    kin_of,
)
from memory.mining.reader.predicates import PARTNERS
from memory.text.dates import read_span
from memory.text.kinship import KIN
from memory.text.patterns import compile_pattern
from memory.text.tables import patterns, table_of

_PATTERNS = patterns(table_of(__file__))
_NAMED_BEFORE = compile_pattern(_PATTERNS["named_before"], ignore_case=True)
_NAMED_AFTER = compile_pattern(_PATTERNS["named_after"], ignore_case=True)
_ADDRESSED = compile_pattern(_PATTERNS["addressed"], ignore_case=True)
_PREDICATE_FOLLOWS = compile_pattern(r" \p{Ll}")
_WEDDING = compile_pattern(_PATTERNS["wedding"], ignore_case=True)
_TOGETHER = compile_pattern(_PATTERNS["together"], ignore_case=True)
_BIRTH = compile_pattern(_PATTERNS["birth"], ignore_case=True)
_LONGEST_LEAD = 60
_LEAD = compile_pattern(_PATTERNS["lead"], ignore_case=True)
_FIRST_PERSON = compile_pattern(_PATTERNS["first_person"], ignore_case=True)
# "Malo a" 11 ans, 果果是 2022年 出生的.
_OTHER_IS = compile_pattern(r"\p{Lu}[\pL-]+ (?:is|turns|turned|wird|tiene|cumple|a|aura) |\p{Han}{2,3}是 ?")
_SUBJECT_AFTER = compile_pattern(r" ?(?:今年|也)?对")
_HAVING = compile_pattern(_PATTERNS["having"], ignore_case=True)
_HOME = compile_pattern(_PATTERNS["home"], ignore_case=True)
_WORD = compile_pattern(r"[\pL-]+")
_PERSONAL = (
    *("aged", "born_on", "born_in", "comes_from", "has_nationality", "works_as", "works_at", "works_in"),
    *("studies", "studies_at", "allergic_to", "is"),
)
"""Predicates whose fact is about the subject of the clause."""
_RELATED = ("acquainted_with", "reports_to")
"""Predicates of words for people who say or do something to the user."""
RELATIVES = {word for table in KIN.values() for word, kin in table.items() if kin.predicate not in _RELATED}


def lacks_evidence(mention: Mention, people: Collection[str]) -> bool:
    """Whether nothing in the sentence supports the fact, or it is about somebody else: one of the `people`
    named in the message, or a relative."""
    name = mention.finding.predicate
    before = mention.before
    if name == "born_on":
        today = mention.turn.said_at.date()
        span = read_span(mention.value, today)
        if not _BIRTH.search(mention.words) or (span and span.start > today):
            return True
    if name in PARTNERS and not kin_of(mention, name):
        return not _is_partner(mention, before)
    if name == "named" and not is_introduced(mention):
        follows = mention.turn.content[mention.finding.place[1] :]
        return bool(_ADDRESSED.search(before) or _PREDICATE_FOLLOWS.match(follows))
    if name == "lives_in":
        clause = mention.turn.content[slice(*_clauses(mention)[0])]
        return bool(_HAVING.match(clause)) and not (_HOME.search(clause) or AND.search(before))
    return name in _PERSONAL and _is_about_another(mention, people)


def is_about_wedding(mention: Mention) -> bool:
    """Whether a sentence about an engagement or partnership mentions a wedding: it ended in marriage."""
    return mention.finding.predicate != "married_to" and bool(_WEDDING.search(mention.words))


def _is_partner(mention: Mention, before: str) -> bool:
    """Whether words say that somebody is the user's partner: in the sentence if the user only did something
    with them ("I spoke with Tom"), or else near it; who lives or lived together needs none."""
    is_companion = bool(_ADDRESSED.search(before))
    near = mention.turn.content[max(0, mention.sentence[0] - INTRODUCTION_LENGTH) : mention.sentence[1]]
    if mention.finding.predicate == "partner_of":
        return not is_companion or bool(_TOGETHER.search(mention.words))
    return bool(_WEDDING.search(mention.words if is_companion else near))


def is_introduced(mention: Mention) -> bool:
    """Whether words next to a name say that it is the user's ("I'm …", "… here")."""
    content, (start, end) = mention.turn.content, mention.finding.place
    before = content[max(0, start - _LONGEST_LEAD) : start]
    return bool(_NAMED_BEFORE.search(before) or _NAMED_AFTER.match(content[end:]))


def _is_about_another(mention: Mention, people: Collection[str]) -> bool:
    """Whether the clause of the value, or the first one before it with other words, begins with a relative
    or another name, and has no first person before the value."""
    content, (start, end) = mention.turn.content, mention.finding.place
    if mention.finding.predicate == "allergic_to" and _SUBJECT_AFTER.match(content[end:]):
        return True
    for clause in _clauses(mention):
        before = content[clause[0] : min(clause[1], start)]
        if before.strip(" ,;:，；：()-–—"):
            is_age = mention.finding.predicate in ("aged", "born_on") and _OTHER_IS.fullmatch(before)
            is_user = _FIRST_PERSON.search(before) or _BIRTH.search(before)
            return _has_other_subject(before, people) or bool(is_age and not is_user)
    return False


def _clauses(mention: Mention) -> list[Span]:
    """The clause of a value and those before it in its sentence, nearest first."""
    starts, ends = clause_limits(mention.turn.content, mention.sentence, mention.finding.place)
    return list(pairwise([*starts, ends[0]]))[::-1]


def _has_other_subject(words: str, people: Collection[str]) -> bool:
    lead = _LEAD.match(words)
    words = words[lead.end() :] if lead else words
    first = _WORD.match(words)
    relative = [first[0]] if first and first[0].casefold() in RELATIVES else []
    subject = next((one for one in (*people, *relative, *KIN["zh"]) if words.startswith(one)), "")
    return bool(subject) and not _FIRST_PERSON.search(words[len(subject) :])
