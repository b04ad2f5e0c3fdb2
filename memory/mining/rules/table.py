"""What a rule is: words that give a fact away, beside examples of what it must and must not take."""

import re
from dataclasses import dataclass, field
from typing import Literal

Shape = Literal["phrase", "place", "name", "organisation", "occupation", "as_is", "clause"]
Examples = tuple[tuple[str, str], ...]

_BLANK = re.compile(r"(\[(?:\\.|[^\]\\])*\])| (\??)")
_SPACE = r"[ \t\u00a0]{1,3}"
_MAYBE_SPACE = r"[ \t\u00a0]{0,3}"
_ADVERB = (
    r"(?:(?:also|really|just|now|currently|still|actually|always|mostly|do|mainly|only|absolutely"
    r"|personally|truly|definitely|particularly|especially|generally|recently|finally|usually"
    r"|already|both|happily|very much|kind of|quite|so|totally|officially) ){0,2}"
)
_MACROS = {
    "<I>": rf"(?<![\w'\u2019])I {_ADVERB}",
    "<we>": rf"(?<![\w'\u2019])(?:I|we) {_ADVERB}",
    "<I'm>": rf"(?<![\w'\u2019])(?:I am|I['\u2019]m|Im) {_ADVERB}",
    "<I've>": rf"(?<![\w'\u2019])(?:I have|I['\u2019]ve|Ive) {_ADVERB}",
    "<my>": r"(?<![\w'\u2019])my ",
    "<o>": r"(?P<o>(?:[^\n,.;:!?()\"]|\.(?=\w)|(?<=\bSt)\.|(?<=\bDr)\.){1,90})",
    "<place>": r"(?P<o>(?:[^\n.;:!?()\"]|(?<=\bSt)\.){1,90})",
    "<list>": r"(?P<o>(?:[^\n.;:!?()\"]|\.(?=\w)){1,120})",
    "<clause>": r"(?P<o>[^\n]{1,300})",
    "<cjk>": r"(?P<o>[^\s，。！？；、,.!?;:：()（）]{1,24})",
}
_MACRO = re.compile(r"(?<!\?P)(?:" + "|".join(map(re.escape, _MACROS)) + ")")


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying something about oneself.

    `pattern` matches inside one sentence and captures the object as `o` (and, for people, the
    word of kinship as `r`). `{object}` and `{slug}` in `key`, `value` and `statement` stand for
    the object and its slug. `begins` marks a change that took place on the day the sentence gives,
    `ended` words that say that something is over. `yes` lists sentences with the object each gives ("a|b" for two),
    `no` sentences that give nothing under this rule.
    """

    kind: str
    key: str
    predicate: str
    statement: str
    pattern: re.Pattern[str]
    yes: Examples = ()
    no: tuple[str, ...] = ()
    shape: Shape = "phrase"
    value: str = "{object}"
    many: bool = False
    confidence: float = 0.85
    begins: bool = False
    ended: bool = False
    only: frozenset[str] = field(default=frozenset())


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of one language.

    `cue` is in every sentence worth trying. A fact is given up when `veto` matches in the clause
    before it or `imagined` in the sentence before it. Its object ends where `stop` matches, and
    counts for nothing when `refused` does. `kin` explains the words of kinship.
    """

    code: str
    cue: re.Pattern[str]
    veto: re.Pattern[str]
    imagined: re.Pattern[str]
    stop: re.Pattern[str]
    refused: re.Pattern[str]
    rules: tuple[Rule, ...]
    kin: "Kin"


@dataclass(frozen=True, slots=True)
class Kinship:
    """What a word of kinship means: its predicate, its English label, and the key of the fact,
    which has a `{slug}` when a person can have several."""

    predicate: str
    label: str
    key: str


Kin = dict[str, Kinship]


def said(text: str) -> re.Pattern[str]:
    """A pattern without regard to case, with macros such as `<I>` and `<o>` filled in and every
    space standing for one to three blanks."""
    filled = _MACRO.sub(lambda name: _MACROS[name[0]], text)
    return re.compile(
        _BLANK.sub(lambda blank: blank[1] or (_MAYBE_SPACE if blank[2] else _SPACE), filled),
        re.IGNORECASE,
    )


def kinship(predicate: str, label: str, *, only_one: bool = False, key: str = "") -> Kinship:
    """The meaning of a word of kinship; the key is made from the label unless it is given."""
    base = key or label.replace(" ", "_")
    return Kinship(predicate, label, base if only_one else base + "_{slug}")
