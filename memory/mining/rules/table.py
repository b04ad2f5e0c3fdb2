"""What a rule is: words that give a fact away, beside examples of what it must and must not take."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Literal, get_args

from memory.mining.rules.reading import Reading, as_said
from memory.text.kinship import Kin

Shape = Literal[
    "phrase",
    "deed",
    "limited",
    "place",
    "name",
    "names",
    "tongue",
    "tool",
    "organisation",
    "occupation",
    "as_is",
    "clause",
]
Scope = Literal["sentence", "clause", "anywhere", "context"]
ReadAs = Literal["sentence", "clause", "context"]
Examples = tuple[tuple[str, str], ...]

_BLANK = re.compile(r"(\[(?:\\.|[^\]\\])*\])| (\??)")
_SPACE = r"[ \t\u00a0]{1,3}"
_MAYBE_SPACE = r"[ \t\u00a0]{0,3}"
_MACROS = {
    "<o>": r"(?P<o>(?:[^\n,.;:!?()\"]|\.(?=\w)|(?<=\bSt)\.|(?<=\bDr)\.){1,90})",
    "<place>": r"(?P<o>(?:[^\n.;:!?()\"]|(?<=\bSt)\.){1,90})",
    "<list>": r"(?P<o>(?:[^\n.;:!?()\"]|\.(?=\w)){1,120})",
    "<clause>": r"(?P<o>[^\n]{1,300})",
    "<cjk>": r"(?P<o>[^\s，。！？；、,.!?;:：()（）]{1,24})",
}
_MACRO = re.compile(r"(?<!\?P)(?:" + "|".join(map(re.escape, _MACROS)) + ")")


@dataclass(frozen=True)
class Wording:
    """Words as a regular expression, without regard to case, and where they are looked for: at the
    start of a whole sentence, at the start of a clause, anywhere in a clause, or in a sentence with
    the one before it, where either may ask. Where `hint` is not found, they are not looked for at
    all."""

    words: str
    scope: Scope
    hint: re.Pattern[str] | None = None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first needed: of a thousand rules most processes need none."""
        return re.compile(self.words, re.IGNORECASE)

    def found_in(self, reading: Reading) -> Iterator[re.Match[str]]:
        """The matches in a reading of its scope."""
        if self.scope == "anywhere":
            yield from self.pattern.finditer(reading.text)
        elif self.scope == "context":
            yield from self._one_by_one(reading.text)
        elif match := self.pattern.match(reading.text):
            yield match

    def _one_by_one(self, text: str) -> Iterator[re.Match[str]]:
        """Each match that begins where the one before it ends."""
        match = self.pattern.match(text)
        while match:
            yield match
            match = self.pattern.match(text, match.end())


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying something about oneself.

    `pattern` matches in a clause or a sentence and captures the object as `o` (and, for people, the
    word of kinship as `r`). `{object}` and `{slug}` in `key`, `value` and `statement` stand for
    the object and its slug. `begins` marks a change that took place on the day the sentence gives,
    `ended` words that say that something is over. `yes` lists sentences with the object each gives ("a|b" for two),
    `no` sentences that give nothing under this rule.
    """

    kind: str
    key: str
    predicate: str
    statement: str
    pattern: Wording
    yes: Examples = ()
    no: tuple[str, ...] = ()
    shape: Shape = "phrase"
    value: str = "{object}"
    many: bool = False
    confidence: float = 0.85
    begins: bool = False
    ended: bool = False
    only: frozenset[str] = field(default=frozenset())


def hinted(hint: re.Pattern[str], rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, tried only where `hint` is found; it is looked for once for all of them."""
    return tuple(replace(rule, pattern=replace(rule.pattern, hint=hint)) for rule in rules)


Runs = tuple[tuple[re.Pattern[str] | None, tuple[Rule, ...]], ...]


_READ_AS: Mapping[Scope, ReadAs] = {
    "sentence": "sentence",
    "clause": "clause",
    "anywhere": "clause",
    "context": "context",
}


def _runs(rules: Iterable[Rule], read_as: ReadAs) -> Runs:
    fitting = [rule for rule in rules if _READ_AS[rule.pattern.scope] == read_as]
    return tuple((hint, tuple(run)) for hint, run in groupby(fitting, lambda rule: rule.pattern.hint))


def unparted(stated: str) -> tuple[Reading, ...]:
    """The stated part of a sentence as a single clause."""
    return (replace(as_said(stated), whole=False),)


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of one language.

    `cue` is in every sentence worth trying, and `clauses` takes the stated part of a sentence apart.
    `context` reads a sentence with the one before it as a whole; it is tried where `in_context`
    is found in both, and words behind `asking` are not stated in it.
    A fact is given up when `veto` matches in the clause before it or `imagined` in the sentence
    before it. Its object ends where `stop` matches, and
    counts for nothing when `refused` does. `kin` explains the words of kinship. `runs` are the
    rules for whole sentences, for clauses and for two sentences, in their order, each run under its hint. In a
    `verbatim` language every character is read in its place, in whatever form, and objects keep
    the form they were written in.
    """

    code: str
    cue: re.Pattern[str]
    veto: re.Pattern[str]
    imagined: re.Pattern[str]
    stop: re.Pattern[str]
    refused: re.Pattern[str]
    rules: tuple[Rule, ...]
    kin: Kin
    verbatim: bool = False
    clauses: Callable[[str], Iterable[Reading]] = unparted
    context: Callable[[str], Reading] = as_said
    asking: re.Pattern[str] | None = None
    in_context: re.Pattern[str] | None = None
    runs: Mapping[ReadAs, Runs] = field(init=False)

    def __post_init__(self) -> None:
        runs = {read_as: _runs(self.rules, read_as) for read_as in get_args(ReadAs)}
        object.__setattr__(self, "runs", runs)


def said(text: str) -> Wording:
    """Words anywhere in a sentence, without regard to case, with macros such as `<o>` filled in
    and every space standing for one to three blanks."""
    filled = _MACRO.sub(lambda name: _MACROS[name[0]], text)
    return Wording(
        _BLANK.sub(lambda blank: blank[1] or (_MAYBE_SPACE if blank[2] else _SPACE), filled),
        "anywhere",
    )
