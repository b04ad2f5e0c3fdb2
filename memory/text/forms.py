"""Full sentences for facts and relations with a known predicate, from `forms.toml`: for the owner ("You live
in Leeds."), for models ("The user lives in Leeds.") and about others, in the present or past, or ended."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Literal

from memory.text.kinship import KIN
from memory.text.patterns import table_of, word_lists

Tense = Literal["present", "past", "ended"]

OWNER = ""
"""The subject of a sentence addressed to the owner."""
USER = "The user"
"""The subject of a sentence for models."""

_MARK = re.compile(r"\{(?P<word>\w+)\}|\[(?P<verb>\w+)\]")
_TABLE = table_of(__file__)
_VERBS: dict[str, dict[str, str]] = _TABLE["verbs"]
_SINGULAR, _THIRD, _PAST, _BASES = (_VERBS[name] for name in ("singular", "third", "past", "base"))
_STATES, _ONE_OF_MANY = (word_lists(_TABLE["words"])[name] for name in ("states", "one_of_many"))
_MINE = re.compile(r"\b(?:my|our)\b")
_DROPS_ES = re.compile(r"(?:ss|sh|ch|x|zz|o)es$")
_LABELS = frozenset(kin.label for words in KIN.values() for kin in words.values())


@dataclass(frozen=True, slots=True)
class Form:
    """The templates of a predicate, from `forms.toml`."""

    says: str
    asks: str
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation in three pieces that form a sentence, and the label of its edge. `swapped` if the object
    comes first."""

    first: str
    words: str
    second: str
    label: str
    swapped: bool = False

    @property
    def sentence(self) -> str:
        """The relation on one line."""
        return f"{self.first} {self.words} {self.second}"


FORMS: Mapping[str, Form] = MappingProxyType(
    {name: Form(**row) for name, row in _TABLE["predicates"].items()}
)


def sentence(predicate: str, about: str, subject: str = OWNER, tense: Tense = "present") -> str:
    """A fact of a predicate in FORMS as a sentence; `about` is its object. Models read "their" for
    the user's "my"."""
    form = FORMS[predicate]
    about = _MINE.sub("their", about) if subject == USER else about
    if tense == "ended":
        if not form.ended and form.says.startswith("{o}"):
            return _fill(form.says, about, subject, "past")
        ended = form.ended or re.sub(r"\[(\w+)\]", r"used to \1", form.says)
        return _fill(ended, about, subject, "present")
    return _fill(form.says, about, subject, tense)


def question(predicate: str) -> str:
    """The question to the owner that a fact of a predicate in FORMS answers."""
    asked = _fill(FORMS[predicate].asks, "", OWNER, "present")
    return asked[:1].upper() + asked[1:]


def edge(relation: str, subject: str, target: str, *, over: bool = False) -> Edge:
    """A relation between two names ("" is the owner), in the form of its predicate or in its own words."""
    words = relation.replace("_", " ")
    form = FORMS.get(relation.replace(" ", "_"))
    is_edge = form is not None and form.says.startswith(("{You}", "{o}"))
    says = form.says if form and is_edge else _guess_template(words, subject == OWNER)
    if form and over:
        says = form.ended or form.says
    before, _, after = says.rstrip(".").partition("{o}")
    tense: Tense = "past" if over else "present"
    if not before:
        verb, _, rest = after.strip().partition(" ")
        last = target.rpartition(" ")[2]
        is_plural = target.islower() and last.endswith("s") and not last.endswith("ss")  # "two dogs"
        rest = _plural(rest) if is_plural else rest
        first = _fill(verb, "", OWNER if is_plural else target, tense, agrees=True)
        label = rest.removeprefix("{your} ")
        return Edge(target or "You", first, _fill(rest, "", subject, tense), label, swapped=True)
    worded = _fill(before.removeprefix("{You} "), "", subject, tense, agrees=True).strip()
    return Edge(subject or "You", worded, target or "you", worded)


def caption(relation: str, pronoun: str, *, outward: bool, over: bool = False) -> str:
    """What an entity is to the owner, who is the subject if the relation points `outward`: "your sister",
    "you speak it", "knows you". The pronoun "there" only follows a preposition."""
    found = edge(relation, *((OWNER, pronoun) if outward else (pronoun, OWNER)), over=over)
    if not outward:
        return f"you {found.words} their {found.label}" if found.swapped else f"{found.words} you"
    if found.swapped:
        return f"was {found.second}" if over else found.second
    verb, _, last = found.words.rpartition(" ")
    if pronoun == "there" and last in ("at", "in", "to"):
        return f"you {verb} there"
    words = f"you {found.words} {'it' if pronoun == 'there' and last != 'from' else pronoun}"
    return words.replace("you are ", "you’re ")


def base_form(verb: str) -> str:
    """The form that goes with "you" of a verb in the third person: lives, live; is, are; doesn't, don't."""
    if verb.endswith(("n't", "n’t")):
        return base_form(verb[:-3]) + verb[-3:]
    if verb in _BASES:
        return _BASES[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    return verb[:-2] if _DROPS_ES.search(verb) else verb.removesuffix("s")


def possessive(name: str) -> str:
    """The possessive of a name: Ana's, the user's, your."""
    if name == OWNER:
        return "your"
    return f"{'the user' if name == USER else name}'s"


def _fill(template: str, about: str, subject: str, tense: Tense, *, agrees: bool = False) -> str:
    is_you = subject == OWNER
    agrees = agrees or template.startswith("{You}")

    def word(match: re.Match[str]) -> str:
        if match["verb"]:
            return _verb(match["verb"], tense, you=is_you and agrees)
        name = match["word"]
        if name == "o":
            return about
        if name.lower() in _SINGULAR:
            singular = _SINGULAR[name.lower()]
            return name if is_you else singular.capitalize() if name[0].isupper() else singular
        worded = possessive(subject) if name.lower() == "your" else "you" if is_you else subject
        if name[0].isupper():
            return worded[:1].upper() + worded[1:]
        return "the user" if worded == USER else worded

    return _MARK.sub(word, template)


def _verb(verb: str, tense: Tense, *, you: bool) -> str:
    if tense == "past":
        return "were" if verb == "be" and you else _past(verb)
    if you:
        return "are" if verb == "be" else verb
    return third_person(verb)


def third_person(verb: str) -> str:
    """The form of a verb that goes with a name: live, lives; teach, teaches; be, is."""
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    ends = "es" if verb.endswith(("ss", "sh", "ch", "x", "zz")) else "s"
    return _THIRD.get(verb, f"{verb}{ends}")


def _plural(noun: str) -> str:
    if noun.endswith("child"):
        return f"{noun}ren"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


def _past(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"


@cache
def _guess_template(words: str, you: bool) -> str:
    """The template of a relation without a form, guessed from its words ("located in", "sister of")."""
    first, _, rest = words.partition(" ")
    if (label := words.removeprefix("has ")) in _LABELS:
        return f"{{o}} [be] {{your}} {label}"
    if first in ("is", "are", "was", "were", "has"):
        verb = {"has": "[have]", "was": "{were}", "were": "{were}"}.get(first, "[be]")
        return f"{{You}} {verb} {rest} {{o}}".replace("  ", " ")
    if words.endswith(" of") and first not in _STATES:
        return f"{{You}} [be] {'a' if first in _ONE_OF_MANY else 'the'} {words} {{o}}"
    if first in _STATES or words.endswith(" by"):
        return f"{{You}} [be] {words} {{o}}"
    if you and first.endswith("s") and not first.endswith("ss"):
        words = f"{base_form(first)} {rest}".strip()
    return f"{{You}} {words} {{o}}"
