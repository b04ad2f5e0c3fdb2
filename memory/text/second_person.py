"""Turns English sentences about "the user", and what users say of themselves, into sentences that speak to
them; the words the rules go by are in `second_person.toml`.

Words inside quotation marks stay as they are. Where a rule cannot be sure that the sentence stays right, the
result is None, and the caller shows the words that the fact rests on.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import count

from memory.text.forms import base
from memory.text.kinship import KIN
from memory.text.languages import language_of
from memory.text.tables import table_of, word_lists

MAX_LENGTH = 1_000

QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|„[^“”]*[“”]|‘[^’]*’(?!\w)|(?<!\w)'[^']*'(?!\w)|`[^`]*`")
_OWNERS = re.compile(r"\b(?:the|this) user['’]s(?!\w)|^user['’]s(?!\w)", re.IGNORECASE)
_OWNER = re.compile(r"\b(?:the|this) user(?![\w'’-])|^user(?=\s+[a-z])", re.IGNORECASE)
_IS_OR_HAS = re.compile(r"\s+(?:been|not|an?|the|called|named|going|got|also|now|very)\b")
TOKEN = re.compile(r"[\ue000-\uf8ff]|[^\W_]+(?:['’.-][^\W_]+)*|\s+|.", re.DOTALL)
_USER, _YOUR, _HIDDEN = "\ue000", "\ue001", 0xE010

LISTS = word_lists(table_of(__file__))
ADVERBS, JOINING, OPENING = LISTS["adverbs"], LISTS["joining"], LISTS["opening"]
_PLACING = LISTS["placing"]
_VERBS, _NOUNS_TOO = LISTS["verbs"], LISTS["nouns_too"]
VERBS = _VERBS | _NOUNS_TOO
_PERSONS = LISTS["persons"] | {word for word in KIN["en"] if " " not in word}
_RELATIVE = frozenset(("who", "which", "that", "whose"))
_NO_RELATIVE = frozenset(("the", "a", "an", "he", "she", "they", "it", "there", "this"))
_PRONOUNS = {
    "he": "you",
    "she": "you",
    "they": "you",
    "him": "you",
    "them": "you",
    "his": "your",
    "their": "your",
    "theirs": "yours",
    "hers": "yours",
}
_SUBJECTS = frozenset(("he", "she", "they"))
_REFLEXIVES = frozenset(["himself", "herself", "themself", "themselves", "oneself"])
_PLURAL = frozenset(("they", "them", "their", "theirs"))


def third_to_second_person(statement: str, persons: Collection[str] = ()) -> str | None:
    """A statement about the user in the second person; as it is if it does not speak of the user; None when
    unsure. `persons` are names in it that are people's."""
    bare, kept = without_quotations(statement[:MAX_LENGTH])
    if (
        len(statement) > MAX_LENGTH
        or len(kept) > 200
        or any("\ue000" <= each <= "\uf8ff" for each in statement)
    ):
        return None
    if not (_OWNER.search(bare) or _OWNERS.search(bare)):
        return statement
    if any(_IS_OR_HAS.match(bare, found.end()) for found in _OWNERS.finditer(bare)):
        return None
    bare = _OWNER.sub(_USER, _OWNERS.sub(_YOUR, bare))
    try:
        words = _Turning(TOKEN.findall(bare), frozenset(persons)).words()
    except _Unsure:
        return None
    return with_quotations("".join(words), kept)


def without_quotations(text: str) -> tuple[str, list[str]]:
    """The text with a private character for each quotation, and the quotations."""
    numbers = count(_HIDDEN)
    return QUOTED.sub(lambda _: chr(next(numbers)), text), QUOTED.findall(text)


def with_quotations(text: str, kept: Sequence[str]) -> str:
    """What `without_quotations` took out, put back."""
    return "".join(
        kept[ord(each) - _HIDDEN] if 0 <= ord(each) - _HIDDEN < len(kept) else each for each in text
    )


class _Unsure(Exception):
    """The sentence may come out wrong."""


@dataclass
class _Turning:
    """One pass over the tokens of a text. `subject` is whose the next verb is: the user's, another's, or ""
    while that is open; `others` counts the people met, `many` tells whether something in the plural was."""

    tokens: list[str]
    persons: frozenset[str]
    subject: str = ""
    others: int = 0
    many: bool = False
    relative: str = ""
    joint: bool = False
    fond: bool = False
    verb_due: bool = False
    last: str = ""
    capitals: set[str] = field(default_factory=set)
    done: list[str] = field(default_factory=list)

    def words(self) -> list[str]:
        """The tokens in the second person. Raises _Unsure."""
        for at, token in enumerate(self.tokens):
            if token.isspace():
                self.done.append(token)
                continue
            result = self._verb(token, at) if self.verb_due else self._word(token, at)
            self.done.append(result)
            self.last = result.lower()
            if result in (".", "!", "?") and self._ends(at):
                self.subject, self.relative, self.joint = "", "", False
        return self.done

    def _word(self, token: str, at: int) -> str:
        low = token.lower()
        if token == _USER:
            return self._user(at)
        if token == _YOUR:
            return self._possessed(at)
        if low in _PRONOUNS or low == "her":
            return self._pronoun(low, at)
        if low in _REFLEXIVES:
            return self._reflexive(low)
        if low in _RELATIVE and self._is_relative(at):
            self.subject, self.relative = "another", low
            return token
        if self._is_joined_verb(low, at):
            return base(token)
        self._met(token)
        return token

    def _verb(self, token: str, at: int) -> str:
        """The word where the verb of the user's is expected: before it, adverbs may stand."""
        low = token.lower()
        if low in ADVERBS or low.endswith("ly") or (low == "no" and self._following(at) == "longer"):
            return token
        self.verb_due = False
        if low in ("and", ",", "who", "which", "that") or token == _YOUR:
            raise _Unsure
        self.fond = low in LISTS["fond"]
        ends = low.endswith(("s", "n't", "n’t")) and not low.endswith("ss")
        return base(token) if ends and low not in ("its", "his", "this", "as") else token

    def _starts(self) -> bool:
        return not self.last or self.last in (".", "!", "?")

    def _ends(self, at: int) -> bool:
        return at + 1 == len(self.tokens) or self.tokens[at + 1].isspace()

    def _following(self, at: int) -> str:
        return next((each for each in self.tokens[at + 1 :] if not each.isspace()), "")

    def _user(self, at: int) -> str:
        """The user is named, as the subject or not."""
        following = self._following(at).lower()
        is_subject = self._starts() or self.last in OPENING or "\ue010" <= self.last <= "\uf8ff"
        is_finite = following in ("is", "was", "has", "does") and self.last not in _PLACING | {"with"}
        if following == "," and self._starts():
            raise _Unsure
        if is_subject or is_finite:
            self.subject, self.relative = "user", ""
            self.joint = following in ("and", "or")
            self.verb_due = not self.joint
        return "You" if self._starts() else "you"

    def _possessed(self, at: int) -> str:
        """ "The user's sister lives …": the verb is hers, and so are the pronouns, if it is somebody."""
        if not self._starts():
            return "your"
        self.subject = "another"
        for each in self.tokens[at + 1 :]:
            if each.isspace() or "-" in each:
                continue
            if not each.isalpha() or each in _VERBS or each in _PLACING:
                break
            self.others += each.lower() in _PERSONS
        return "Your"

    def _pronoun(self, low: str, at: int) -> str:
        if self.subject == "another" and (self.others or self.relative):
            if low in _PLURAL and not self.many:
                raise _Unsure
            return self.tokens[at]
        beside = self.joint and self.last in ("and", "or") and low in ("his", "her", "their")
        if not beside and (self.others or self.joint or (low in _PLURAL and self.many)):
            raise _Unsure
        if low in _SUBJECTS:
            self.subject, self.verb_due = "user", low != "they"
        following = self._following(at).lower()
        is_hers = following.isalpha() and following not in _PLACING | JOINING | ADVERBS
        word = _PRONOUNS.get(low) or ("your" if is_hers else "you")
        return word.capitalize() if self._starts() else word

    def _reflexive(self, low: str) -> str:
        if self.joint:
            raise _Unsure
        return "yourself" if self.subject == "user" else low

    def _is_relative(self, at: int) -> bool:
        following = self._following(at).lower()
        if self.last.lower() in ("so", "now") or self.subject == "":
            return False
        if following == _USER or following in _NO_RELATIVE:
            return False
        is_verb = following in _VERBS | _NOUNS_TOO or following.endswith(("s", "ed")) or following in ADVERBS
        return is_verb or self.tokens[at].lower() != "that"

    def _is_joined_verb(self, low: str, at: int) -> bool:
        """Whether this is another verb of the user's, as "works" in "lives in Leeds and works there"."""
        if low not in _VERBS and low not in _NOUNS_TOO:
            return False
        back = [each.lower() for each in self.done if not each.isspace()]
        length = len(back)
        while back and (back[-1] in ADVERBS or back[-1].endswith("ly")):
            back.pop()
        last = back[-1] if back else ""
        if last not in JOINING:
            if last in self.capitals or last in _PERSONS:
                self.subject = "another"
            return False
        if self.relative and (self.relative != "who" or "," in (last, *back[-2:-1])):
            raise _Unsure
        if self.relative or self.subject != "user":
            return False
        following = self._following(at).lower()
        is_noun = (
            not following.isalnum() or following in JOINING or (self.fond and following not in LISTS["taken"])
        )
        if low in _NOUNS_TOO and len(back) == length and is_noun:
            raise _Unsure
        return True

    def _met(self, token: str) -> None:
        """Note somebody a later pronoun may stand for, and plural things."""
        low = token.lower()
        if low in _PERSONS or any(token in name.split() for name in self.persons):
            self.others += 1
            self.capitals.update({low} if token[:1].isupper() else ())
        elif token[:1].isupper() and not self._starts():
            self.capitals.add(low)
            placed = self.last in _PLACING or (self.last[:1].isalpha() and self.last in self.capitals)
            if not placed and not self.persons:
                self.others += 1
        if low.endswith("s") and not low.endswith(("ss", "us", "is")) and low not in _VERBS and len(low) > 3:
            self.many = True
        if low in ("people", "children", "men", "women"):
            self.many = True


_SAID = {
    "i": "you",
    "i'm": "you're",
    "i’m": "you’re",
    "i've": "you've",
    "i’ve": "you’ve",
    "i'd": "you'd",
    "i’d": "you’d",
    "i'll": "you'll",
    "i’ll": "you’ll",
    "im": "you're",
    "ive": "you've",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
}
_SAYING = (
    _VERBS
    | {base(verb) for verb in _VERBS}
    | {
        "are",
        "were",
        "had",
        "can",
        "can't",
        "could",
        "will",
        "would",
        "isn't",
        "aren't",
        "doesn't",
        "don't",
        "used",
    }
)
_AGREE = {"am": "are", "was": "were", "wasn't": "weren't", "wasn’t": "weren’t"}
_OF_ITS_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:next|last|this) (?:week|month|year|weekend|summer|winter"
    r"|spring|autumn|mon|tues|wednes|thurs|fri|satur|sun)\w*|ago|in \w+ (?:days|weeks|months))\b",
    re.IGNORECASE,
)
_NOT_ALONE = re.compile(r"\b(?:you|your|yours|we|us|our|we're|we’re|please|let's)\b|[?“”\"«»]", re.IGNORECASE)
_DANGLING = re.compile(
    r"\b(?:and|but|or|then|who|which|that)\s+(?:\w+ly\s+|also\s+|still\s+|never\s+)?(?:am|was|wasn['’]t)\b",
    re.IGNORECASE,
)
_SPEAKS_OF_SELF = re.compile(r"(?:I|I['’]\w+|My|i|my|im|ive)(?=\s)")


def first_to_second_person(words: str) -> str | None:
    """What users said of themselves, told back to them: "I carry a pen" becomes "You carry a pen."; None when
    it may come out wrong."""
    text = " ".join(words.split()).strip(" .!,;:()–—-")
    begins = _SPEAKS_OF_SELF.match(text)
    if begins is None or _NOT_ALONE.search(text) or _OF_ITS_DAY.search(text) or _DANGLING.search(text):
        return None
    if language_of(text) not in ("en", "") or not _is_sentence(text):
        return None
    result: list[str] = []
    last = ""
    for token in TOKEN.findall(text):
        low = token.lower()
        if low in _AGREE and (last == "i" or low == "am"):
            result.append(_AGREE[low])
        else:
            result.append(_SAID.get(low, token))
        last = last if token.isspace() or low in ADVERBS else low
    sentence = "".join(result)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _is_sentence(text: str) -> bool:
    """Whether a clause has a verb: what begins with "I" has one, "my mother in law" has none."""
    first, *others = text.lower().split()
    return first != "my" or any(word.strip(",") in _SAYING for word in others)
