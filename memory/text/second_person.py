"""Turns English sentences about "the user", and what users say of themselves, into sentences that speak to them.

Words inside quotation marks stay as they are. Where a rule cannot be sure that the sentence stays right, the
result is None, and the caller shows the words that the fact rests on.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from memory.text.forms import base
from memory.text.kinship import KIN
from memory.text.languages import language_of

LONGEST = 1_000

_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|„[^“”]*[“”]|‘[^’]*’(?!\w)|(?<!\w)'[^']*'(?!\w)|`[^`]*`")
_OWNERS = re.compile(r"\b(?:the|this) user['’]s(?!\w)|^user['’]s(?!\w)", re.IGNORECASE)
_OWNER = re.compile(r"\b(?:the|this) user(?![\w'’-])|^user(?=\s+[a-z])", re.IGNORECASE)
_IS_OR_HAS = re.compile(r"\s+(?:been|not|an?|the|called|named|going|got|also|now|very)\b")
_TOKEN = re.compile(r"[\ue000-\uf8ff]|[^\W_]+(?:['’.-][^\W_]+)*|\s+|.", re.DOTALL)
_USER, _YOUR, _HIDDEN = "\ue000", "\ue001", 0xE010

_ADVERBS = frozenset(
    "actively actually almost already also always both currently either even ever finally formerly frequently "
    "generally hardly just later mainly mostly never normally not now occasionally often once only originally "
    "longer particularly possibly previously primarily probably rarely really recently regularly seldom simply since "
    "sometimes soon still strongly successfully temporarily then therefore typically usually".split()
)
_JOINING = frozenset("and but or nor yet then , ; so".split())
_OPENING = frozenset(
    "and but or because that when while if since so where before after although though whether as than which what "
    "until unless how why once who , ; : — – -".split()
)
_RELATIVE = frozenset("who which that whose".split())
_PLACING = frozenset(
    "in at to from for on near of as into by around through via towards outside inside about using like".split()
)
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
_REFLEXIVES = frozenset("himself herself themself themselves oneself".split())
_PLURAL = frozenset(("they", "them", "their", "theirs"))
_PERSONS = frozenset(
    "person people man woman guy girl boy doctor dentist teacher therapist landlord landlady client customer team "
    "family children kids parents siblings couple student pupil trainer coach author singer someone somebody".split()
) | {word for word in KIN["en"] if " " not in word}
_VERBS = frozenset(
    "adores avoids becomes believes belongs carries collects comes considers cycles does drinks eats enjoys feels "
    "follows gets gives goes grows has hates helps holds is keeps knows leads learns leaves likes listens lives "
    "loves maintains makes manages means meets moves needs owns paints pays prefers puts reads relies remembers rents "
    "runs says seeks sees sells sends sings sleeps speaks spends starts stays struggles suffers swims takes teaches "
    "tells tends thinks trains tries understands volunteers wakes wants was wears wishes works writes".split()
)
# Verbs that are also plural nouns: they count where something follows that only a verb takes.
_NOUNS_TOO = frozenset(
    "books calls cares commutes cooks costs dances designs dislikes dreams drives experiences exercises faces finds "
    "fishes hikes hopes hosts interests jogs jumps leads lies lifts looks names notes paints plans plays practises "
    "practices programs rides runs shares shops shows sings skis studies supports surfs talks teaches tests trains "
    "travels turns types uses views visits walks watches wants works".split()
)
_TAKEN = frozenset("a an the his her their its this these every each as".split())
_FOND = frozenset("adores avoids dislikes enjoys hates likes loves prefers recommends".split())


def turned(statement: str, persons: Collection[str] = ()) -> str | None:
    """A statement about the user in the second person; as it is if it does not speak of the user; None when
    unsure. `persons` are names in it that are people's."""
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(match[0])
        return chr(_HIDDEN + len(kept) - 1)

    bare = _QUOTED.sub(hide, statement[:LONGEST])
    if len(statement) > LONGEST or len(kept) > 200 or any("\ue000" <= each <= "\uf8ff" for each in statement):
        return None
    if not (_OWNER.search(bare) or _OWNERS.search(bare)):
        return statement
    if any(_IS_OR_HAS.match(bare, found.end()) for found in _OWNERS.finditer(bare)):
        return None
    bare = _OWNER.sub(_USER, _OWNERS.sub(_YOUR, bare))
    try:
        words = _Turning(_TOKEN.findall(bare), frozenset(persons)).words()
    except _Unsure:
        return None
    text = "".join(words)
    return "".join(kept[ord(each) - _HIDDEN] if "\ue010" <= each <= "\uf8ff" else each for each in text)


class _Unsure(Exception):
    """The sentence may come out wrong."""


@dataclass
class _Turning:
    """One pass over the tokens of a text. `subject` is what the next verb belongs to: the user, another, or ""
    when that is open; `others` counts the people met, `many` whether something in the plural was."""

    tokens: list[str]
    persons: frozenset[str]
    subject: str = ""
    others: int = 0
    many: bool = False
    relative: str = ""
    joint: bool = False
    fond: bool = False
    last: str = ""
    capitals: set[str] = field(default_factory=set)
    done: list[str] = field(default_factory=list)

    def words(self) -> list[str]:
        """The tokens in the second person. Raises _Unsure."""
        verb_due = False
        for at, token in enumerate(self.tokens):
            if token.isspace():
                self.done.append(token)
                continue
            low = token.lower()
            if verb_due and (low in _ADVERBS or low.endswith("ly") or low == "no" and self._following(at) == "longer"):
                pass
            elif verb_due:
                verb_due = False
                token = self._agreeing(token, at)
                self.fond = low in _FOND
            elif token == _USER:
                verb_due = self._user()
                token = "You" if self._starts() else "you"
            elif token == _YOUR:
                if not self.last or self.last in ".!?":
                    self._possessed(at)
                token = "Your" if self._starts() else "your"
            elif low in _PRONOUNS or low == "her":
                token, verb_due = self._pronoun(token, at)
            elif low in _REFLEXIVES:
                token = self._reflexive(token)
            elif low in _RELATIVE and self._is_relative(at):
                self.subject, self.relative = "another", low
            elif self._is_joined_verb(low, at):
                token = base(token)
            else:
                self._met(token)
            self.done.append(token)
            self.last = token.lower()
            if token in (".", "!", "?") and self._ends(at):
                self.subject, self.relative, self.joint = "", "", False
        return self.done

    def _starts(self) -> bool:
        return not self.last or self.last in (".", "!", "?")

    def _ends(self, at: int) -> bool:
        return at + 1 == len(self.tokens) or self.tokens[at + 1].isspace()

    def _following(self, at: int) -> str:
        return next((each for each in self.tokens[at + 1 :] if not each.isspace()), "")

    def _user(self) -> bool:
        """The user is named; whether the verb that follows is theirs."""
        is_subject = self._starts() or self.last in _OPENING or "\ue010" <= self.last <= "\uf8ff"
        following = self._following(len(self.done))
        finite = following.lower() in ("is", "was", "has", "does") and self.last not in _PLACING | {"with"}
        if following == "," and self._starts():
            raise _Unsure
        if is_subject and following.lower() in ("and", "or"):
            self.subject, self.joint = "user", True
            return False
        if is_subject or finite:
            self.subject, self.relative = "user", ""
        return is_subject or finite

    def _agreeing(self, token: str, at: int) -> str:
        low = token.lower()
        if low in ("and", ",", "who", "which", "that") or token == _YOUR:
            raise _Unsure
        if low.endswith("ss") or low in ("this", "always", "perhaps", "besides", "as"):
            self._met(token)
            return token
        ends = low.endswith(("s", "n't", "n’t")) and low not in ("its", "his")
        return base(token) if ends else token

    def _possessed(self, at: int) -> None:
        """"The user's sister lives …": the verb is hers, and so are the pronouns, if it is somebody."""
        head = []
        for each in self.tokens[at + 1 :]:
            if each.isspace() or "-" in each:
                continue
            if not each.isalpha() or each in _VERBS or each in _PLACING:
                break
            head.append(each.lower())
        self.subject = "another"
        if any(word in _PERSONS for word in head):
            self.others += 1

    def _pronoun(self, token: str, at: int) -> tuple[str, bool]:
        low = token.lower()
        if self.subject == "another" and (self.others or self.relative):
            if low in _PLURAL and not self.many:
                raise _Unsure
            return token, False
        beside = self.joint and self.last in ("and", "or") and low in ("his", "her", "their")
        if not beside and (self.others or self.joint or (low in _PLURAL and self.many)):
            raise _Unsure
        if low == "her":
            following = self._following(at)
            is_owner = following.isalpha() and following.lower() not in _PLACING | _JOINING | _ADVERBS
            word = "your" if is_owner else "you"
        else:
            word = _PRONOUNS[low]
        if low in _SUBJECTS:
            self.subject = "user"
        return (word.capitalize() if self._starts() else word), low in ("he", "she")

    def _reflexive(self, token: str) -> str:
        if self.joint:
            raise _Unsure
        return "yourself" if self.subject == "user" else token

    def _is_relative(self, at: int) -> bool:
        following = self._following(at).lower()
        if self.last.lower() in ("so", "now") or self.subject == "":
            return False
        if following == _USER or following in ("the", "a", "an", "he", "she", "they", "it", "there", "this"):
            return False
        is_verb = following in _VERBS | _NOUNS_TOO or following.endswith(("s", "ed")) or following in _ADVERBS
        return is_verb or self.tokens[at].lower() != "that"

    def _is_joined_verb(self, low: str, at: int) -> bool:
        """Whether this is another verb of the user's, as "works" in "lives in Leeds and works there"."""
        if low not in _VERBS and low not in _NOUNS_TOO:
            return False
        back = [each.lower() for each in self.done if not each.isspace()]
        told = len(back)
        while back and (back[-1] in _ADVERBS or back[-1].endswith("ly")):
            back.pop()
        last = back[-1] if back else ""
        if last not in _JOINING:
            if last in self.capitals or last in _PERSONS:
                self.subject = "another"
            return False
        if self.relative and (self.relative != "who" or "," in (last, *back[-2:-1])):
            raise _Unsure
        if self.relative or self.subject != "user":
            return False
        following = self._following(at).lower()
        is_noun = not following.isalnum() or following in _JOINING or (self.fond and following not in _TAKEN)
        if low in _NOUNS_TOO and len(back) == told and is_noun:
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
_AGREE = {"am": "are", "was": "were", "wasn't": "weren't", "wasn’t": "weren’t"}
_OF_ITS_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:next|last|this) (?:week|month|year|weekend|summer|winter|spring|autumn"
    r"|mon|tues|wednes|thurs|fri|satur|sun)\w*|ago|in \w+ (?:days|weeks|months))\b",
    re.IGNORECASE,
)
_NOT_ALONE = re.compile(r"\b(?:you|your|yours|we|us|our|we're|we’re|please|let's)\b|[?“”\"«»]", re.IGNORECASE)
_DANGLING = re.compile(
    r"\b(?:and|but|or|then|who|which|that)\s+(?:\w+ly\s+|also\s+|still\s+|never\s+)?(?:am|was|wasn['’]t)\b", re.IGNORECASE
)
_SPEAKS_OF_SELF = re.compile(r"(?:I|I['’]\w+|My|i|my|im|ive)(?=\s)")


def told_back(words: str) -> str | None:
    """What users said of themselves, told back to them: "I carry a pen" becomes "You carry a pen."; None when it
    may come out wrong."""
    text = " ".join(words.split()).strip(" .!,;:")
    begins = _SPEAKS_OF_SELF.match(text)
    if begins is None or _NOT_ALONE.search(text) or _OF_ITS_DAY.search(text) or _DANGLING.search(text):
        return None
    if language_of(text) not in ("en", ""):
        return None
    told: list[str] = []
    last = ""
    for token in _TOKEN.findall(text):
        low = token.lower()
        if low in _AGREE and (last == "i" or low == "am"):
            told.append(_AGREE[low])
        else:
            told.append(_SAID.get(low, token))
        last = last if token.isspace() or low in _ADVERBS else low
    sentence = "".join(told)
    return f"{sentence[:1].upper()}{sentence[1:]}."
