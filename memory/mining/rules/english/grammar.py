"""How the English rules are written down: patterns for text that `wording` has put in order."""

import re

from memory.mining.rules.table import Scope, Wording

_OFTEN = r"(?:(?:so|only|now|both|always|all|mainly|mostly|usually|only ever|mad|absolutely|quite|very) )?"
_MACROS = {
    "<I>": rf"(?:I|we) {_OFTEN}",
    "<I'm>": rf"(?:I'm|we're|I've been|we've been) {_OFTEN}",
    "<have>": r"(?:(?:I|we) (?:have|own|got|adopted|have got)|(?:I|we)'ve(?: got)?) ",
    "<did>": r"(?:I|we|I've|we've|I have|we have) (?:once |both |previously |successfully )?",
    "<my>": r"(?:my|our) ",
    "<o>": r"(?P<o>(?:[^\n,.;:!?()\"]|\.(?=\w)|(?<=\bSt)\.|(?<=\bDr)\.|(?<=\d)[,:](?=\d)){1,110})",
    "<list>": r"(?P<o>(?:[^\n.;:!?()\"]|\.(?=\w)){1,140})",
    "<place>": r"(?P<o>(?:[^\n.;:!?()\"]|(?<=\bSt)\.){1,90})",
    "<clause>": r"(?P<o>[^\n]{3,300})",
    "<name>": r"(?P<o>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?(?-i:[^\W\d_a-z][\w'-]*)(?: [\w'-]+){0,3})",
    "<Org>": r"(?P<o>(?-i:[^\W\d_a-z])[^\n,.;:!?()\"]{0,60})",
}
_MACRO = re.compile(r"(?<!\?P)(?:" + "|".join(map(re.escape, _MACROS)) + ")")


def clause(text: str) -> Wording:
    """Words at the start of a clause, with macros such as `<I>` and `<o>` filled in."""
    return _wording(text, "clause")


def anywhere(text: str) -> Wording:
    """Words anywhere in a clause."""
    return _wording(text, "anywhere")


def sentence(text: str) -> Wording:
    """Words at the start of a sentence, of which the object may be all the rest."""
    return _wording(text, "sentence")


def _wording(text: str, scope: Scope) -> Wording:
    return Wording(
        re.compile(_MACRO.sub(lambda name: _MACROS[name[0]], text), re.IGNORECASE), scope
    )
