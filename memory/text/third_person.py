"""Turns what owners write of themselves into what models read: "You live in Leeds." and "I live in Leeds."
become "The user lives in Leeds.", which `second_person.third_to_second_person` turns back."""

import re

from memory.text.forms import base, third
from memory.text.languages import language_of
from memory.text.second_person import (
    ADVERBS,
    JOINING,
    LISTS,
    OPENING,
    QUOTED,
    TOKEN,
    VERBS,
    first_to_second_person,
    third_to_second_person,
    with_quotations,
    without_quotations,
)

WROTE = "The user wrote about themselves: “"
"""How a sentence begins that could not be turned; the sentence itself follows, quoted."""

_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b")
_SPLIT = re.compile(r"\b(you|I)(['’])(re|m|ve|ll|d(?= (?:like|love|prefer|rather)))\b", re.IGNORECASE)
_WHOLE = {"re": " are", "m": " am", "ve": " have", "ll": " will", "d": " would"}
_SUBJECTS = frozenset(("you", "i"))
_OBJECTS = {"you": "the user", "me": "the user", "your": "the user's", "my": "the user's"}
_REFLEXIVES = frozenset(("yourself", "myself"))
_TO_BE = {"are": "is", "am": "is", "were": "was", "aren't": "isn't", "weren't": "wasn't"}


def about_user(text: str) -> str:
    """A sentence by the owner as models read it; one that speaks of nobody's self stays as it is, and one
    that no rule turns is quoted."""
    if not _mentions_owner(text) or language_of(text) not in ("en", ""):
        return text
    found = _third(text)
    result = third_to_second_person(found)
    addressed = first_to_second_person(text) or result if _FIRST_PERSON.search(text) else text
    if result is not None and _same(result, addressed) and not _mentions_owner(found):
        return found
    return f"{WROTE}{text.strip('“”')}”"


def _mentions_owner(text: str) -> bool:
    bare = QUOTED.sub("", text)
    return bool(_SECOND_PERSON.search(bare) or _FIRST_PERSON.search(bare))


def written_by_owner(statement: str) -> str | None:
    """The sentence that `about_user` quoted in this statement, or None."""
    return statement[len(WROTE) : -1] if statement.startswith(WROTE) else None


def _same(one: str | None, other: str | None) -> bool:
    plain = [_SPLIT.sub(_spelled_out, each or "").strip(" .").casefold() for each in (one, other)]
    return plain[0] == plain[1]


def _spelled_out(found: re.Match[str]) -> str:
    return found[1] + _WHOLE[found[3].lower()]


def _third(text: str) -> str:
    bare, kept = without_quotations(text)
    turning = _Turning(TOKEN.findall(_SPLIT.sub(_spelled_out, bare)))
    turned = (turning.token(each, at) for at, each in enumerate(turning.tokens))
    result = with_quotations("".join(turned), kept)
    return f"{result[:1].upper()}{result[1:]}"


class _Turning:
    """One pass over the tokens; `owes` while the verb of the owner is still to come."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.owes = self.is_owners = False
        self.last = ""

    def token(self, token: str, at: int) -> str:
        """The token in the third person."""
        low = token.lower().replace("’", "'")
        if token.isspace():
            return token
        result = self._word(token, low, at)
        self.last = low
        return result

    def _word(self, token: str, low: str, at: int) -> str:
        if low in _SUBJECTS and self._is_subject(at):
            self.owes = self.is_owners = True
            return "the user"
        if low in _OBJECTS:
            self.is_owners = self.is_owners and low in ("your", "my") and bool(self.last)
            return _OBJECTS[low]
        if low in _REFLEXIVES:
            return "themselves"
        if (self.owes or self._is_joined(low)) and low.isalpha() | ("'" in low) and low not in ADVERBS:
            self.owes = False
            return self._verb(token, low)
        if self.last in JOINING and low in OPENING:
            self.is_owners = False
        return token

    def _is_subject(self, at: int) -> bool:
        following = next((each.lower() for each in self.tokens[at + 1 :] if not each.isspace()), "")
        is_object = self.last in LISTS["prepositions"] or self.last in VERBS or following in JOINING | {"to"}
        return following[:1].isalpha() and not is_object

    def _is_joined(self, low: str) -> bool:
        return self.is_owners and self.last in JOINING and third(low) in VERBS

    def _verb(self, token: str, low: str) -> str:
        if low in _TO_BE:
            return _TO_BE[low]
        if low in LISTS["shared"] or (low.endswith("ed") and not low.endswith("eed")):
            return token
        if low.endswith("n't"):
            return {"don't": "doesn't", "haven't": "hasn't"}.get(low, token)
        return third(low) if base(third(low)) == low else token
