"""Patterns over facts, by rules: each is a function from evidence to what it finds, and says in a
sentence what holds of exactly that evidence."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory.common_words import COMMON_WORDS
from memory.models import Fact

OFTEN_DAYS = 3
SHARED_BY = 3
LEAST_LETTERS = 4
MOST_EVIDENCE = 40
SHOWN_VALUES = 6

_WORD = re.compile(r"[^\W\d_]+")
_TIMES = (
    (
        "morning",
        re.compile(r"\bmornings?\b|\bbreakfast\b|morgens|mañanas?|matins?\b|早上|早晨|утр", re.I),
    ),
    (
        "evening",
        re.compile(r"\bevenings?\b|\bbedtime\b|abends|noches?\b|soirs?\b|晚上|вечер", re.I),
    ),
    ("weekend", re.compile(r"\bweekends?\b|\b(?:satur|sun)days?\b|wochenende|周末|выходн", re.I)),
    ("day", re.compile(r"\bevery day\b|\bdaily\b|täglich|cada día|tous les jours|每天|кажд", re.I)),
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact with the days on which its words were said, in order."""

    fact: Fact
    days: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a rule found about a subject, in a sentence, with the facts it rests on."""

    rule: str
    subject: str
    sentence: str
    facts: tuple[Fact, ...]

    @property
    def digest(self) -> bytes:
        """The name of this rule about this subject, whatever its evidence."""
        return sha256(f"{self.rule}\n{self.subject}".encode()).digest()


def patterns(evidence: Sequence[Evidence]) -> tuple[Pattern, ...]:
    """All that the rules find in facts that hold or held."""
    return tuple(pattern for rule in RULES for pattern in rule(evidence))


def _often(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """The same thing said on several days."""
    for each in _current(evidence):
        if len(each.days) >= OFTEN_DAYS:
            sentence = _("Said on %(count)s days, from %(first)s to %(last)s: %(what)s") % {
                "what": each.fact.statement,
                "count": len(each.days),
                "first": each.days[0].isoformat(),
                "last": each.days[-1].isoformat(),
            }
            yield Pattern("often", bytes(each.fact.content_hash).hex(), sentence, (each.fact,))


def _changed(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Several values of what can have only one at a time, one after another."""
    for key, several in _grouped((each, each.fact.key) for each in evidence):
        held = [
            each.fact
            for each in several
            if each.fact.single_valued and each.fact.valid_from != each.fact.valid_to
        ]
        values = _without_repeats(held)
        if len(values) > 1:
            sentence = ngettext(
                "Your %(what)s changed once: %(values)s.",
                "Your %(what)s changed %(count)s times: %(values)s.",
                len(values) - 1,
            ) % {
                "what": key.replace("_", " "),
                "count": len(values) - 1,
                "values": " → ".join(fact.value for fact in values[-SHOWN_VALUES:]),
            }
            yield Pattern("changed", key, sentence, _kept(values))


def _both(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Something both liked and disliked."""
    tastes = [e for e in _current(evidence) if e.fact.predicate in {"likes", "dislikes"}]
    for thing, several in _grouped((each, each.fact.object.casefold()) for each in tastes):
        if len({each.fact.predicate for each in several}) == 2:
            sentence = _("You said that you like “%(thing)s”, and that you do not.") % {
                "thing": several[0].fact.object
            }
            yield Pattern("both", thing, sentence, _kept(each.fact for each in several))


def _person(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Somebody who comes up in several facts."""
    pairs = [
        (each, name.casefold()) for each in _current(evidence) for name in set(each.fact.persons)
    ]
    for who, several in _grouped(pairs):
        if len(several) >= SHARED_BY:
            names = (n for each in several for n in each.fact.persons if n.casefold() == who)
            sentence = ngettext(
                "%(name)s comes up in %(count)s thing known of you.",
                "%(name)s comes up in %(count)s things known of you.",
                len(several),
            ) % {"name": next(names), "count": len(several)}
            yield Pattern("person", who, sentence, _kept(each.fact for each in several))


def _theme(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """A word that several likes, goals, projects and habits share."""
    kinds = {"preference", "goal", "project", "behaviour", "skill", "experience"}
    pairs = [
        (each, word)
        for each in _current(evidence)
        if each.fact.kind in kinds
        for word in _telling_words(each.fact.object)
    ]
    for word, several in _grouped(pairs):
        if len({each.fact.object.casefold() for each in several}) >= SHARED_BY:
            sentence = _("“%(word)s” runs through %(count)s things you like, plan or do.") % {
                "word": word,
                "count": len(several),
            }
            yield Pattern("theme", word, sentence, _kept(each.fact for each in several))


def _habits(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Several habits at the same time of the day or the week."""
    habits = [each for each in _current(evidence) if each.fact.kind == "behaviour"]
    names = {
        "morning": _("the morning"),
        "evening": _("the evening"),
        "weekend": _("the weekend"),
        "day": _("every day"),
    }
    for name, words in _TIMES:
        several = [each.fact for each in habits if words.search(each.fact.statement)]
        if len(several) >= SHARED_BY:
            sentence = _("%(count)s of your habits belong to %(when)s.") % {
                "count": len(several),
                "when": names[name],
            }
            yield Pattern("habits", name, sentence, _kept(several))


def _noted(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """What a model noted as an insight by itself."""
    for each in _current(evidence):
        if each.fact.kind == "insight":
            subject = bytes(each.fact.content_hash).hex()
            yield Pattern("noted", subject, each.fact.statement, (each.fact,))


RULES: tuple[Callable[[Sequence[Evidence]], Iterator[Pattern]], ...] = (
    _changed,
    _often,
    _both,
    _person,
    _theme,
    _habits,
    _noted,
)


def _current(evidence: Iterable[Evidence]) -> list[Evidence]:
    return [each for each in evidence if each.fact.status == Fact.Status.ACTIVE]


def _grouped(pairs: Iterable[tuple[Evidence, str]]) -> list[tuple[str, list[Evidence]]]:
    found: dict[str, list[Evidence]] = {}
    for each, name in pairs:
        if name:
            found.setdefault(name, []).append(each)
    return sorted(found.items())


def _without_repeats(facts: Iterable[Fact]) -> list[Fact]:
    """The facts in the order they began to hold, without one that repeats the value before it."""
    kept: list[Fact] = []
    for fact in sorted(facts, key=lambda each: (each.valid_from, str(each.id))):
        if not kept or kept[-1].value.casefold() != fact.value.casefold():
            kept.append(fact)
    return kept


def _telling_words(text: str) -> set[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return {word for word in words if len(word) >= LEAST_LETTERS and word not in COMMON_WORDS}


def _kept(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple(facts)[-MOST_EVIDENCE:]
