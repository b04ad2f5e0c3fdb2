"""How the English rules are written down: patterns for text that `wording` has put in order."""

import re
from collections.abc import Iterator
from dataclasses import replace

from memory.mining.rules.table import Scope, Wording

_OFTEN = r"(?:(?:so|only|now|both|always|all|mainly|mostly|usually|only ever|mad|absolutely|quite|very) )?"
_MACROS = {
    "<I>": rf"(?:I|we) {_OFTEN}",
    "<I'm>": rf"(?:I'm|we're|I've been|we've been) {_OFTEN}",
    "<lead>": r"(?P<lead>(?:[^\n]{1,140}?[ (])?)",
    "<after>": r"(?P<lead>(?:[^\n]{1,140}?(?:[,;:.(!\u2013\u2014]|(?<= )-) ?(?:and |but |so |also )*)?)",
    "<rest>": r"(?:[^\n.;!?]|\.(?=\w))",
    "<have>": r"(?:(?:I|we) (?:have|own|got|adopted|have got)|(?:I|we)'ve(?: got)?) ",
    "<did>": r"(?:I|we|I've|we've|I have|we have) (?:once |both |previously |successfully )?",
    "<my>": r"(?:my|our) ",
    "<o>": r"(?P<o>(?:[^\n,.;:!?()\"]|\.(?=\w)|(?<=\bSt)\.|(?<=\bDr)\.|(?<=\d)[,:](?=\d)){1,110})",
    "<list>": r"(?P<o>(?:[^\n.;:!?()\"]|\.(?=\w)){1,140})",
    "<place>": r"(?P<o>(?:[^\n.;:!?()\"]|(?<=\bSt)\.){1,90})",
    "<clause>": r"(?P<o>[^\n]{3,300})",
    "<name>": r"(?P<o>(?:(?:Dr|Mr|Mrs|Ms|Prof|Sir|Rev|St)\.? )*(?:(?-i:[A-Z])\. ?)*(?-i:[^\W\d_a-z][\w'-]*)(?: [\w'-]+){0,3})",
    "<Org>": r"(?P<o>(?-i:[^\W\d_a-z])[^\n,.;:!?()\"]{0,60})",
}
_MACRO = re.compile(r"(?<!\?P)(?:" + "|".join(map(re.escape, _MACROS)) + ")")


def clause(text: str) -> Wording:
    """Words at the start of a clause, with macros such as `<I>` and `<o>` filled in."""
    found = _wording(text, "clause")
    return replace(found, hint=_SPEAKER) if _begins_with_speaker(found.words) else found


def anywhere(text: str) -> Wording:
    """Words anywhere in a clause."""
    return _wording(text, "anywhere")


def sentence(text: str) -> Wording:
    """Words at the start of a sentence, of which the object may be all the rest."""
    return _wording(text, "sentence")


def context(text: str) -> Wording:
    """Words at the start of two sentences, fillers and all, what leads up to them in `lead`."""
    return _wording(text, "context")


def _wording(text: str, scope: Scope) -> Wording:
    return Wording(_MACRO.sub(lambda name: _MACROS[name[0]], text), scope)


_SPEAKER = re.compile(r"\A(?:I|we|my|our)\b", re.IGNORECASE)
_OWN_WORD = re.compile(r"(?:I|we|my|our)(?![\w?*\[\\])")
_GROUP = re.compile(r"\((?:\?P<\w+>|\?:)")
_ASIDE = re.compile(r"\(\?[=!]")
_MARK = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)


def _begins_with_speaker(pattern: str) -> bool:
    """Whether whatever `pattern` matches begins with "I", "we", "my" or "our": then it need not be
    looked for where the clause begins otherwise. False when that cannot be told."""
    return all(_own_branch(branch) for branch in _branches(pattern))


def _own_branch(branch: str) -> bool:
    while _ASIDE.match(branch):
        branch = branch[_closing(branch) :]
    group = _GROUP.match(branch)
    if not group:
        return bool(_OWN_WORD.match(branch))
    end = _closing(branch)
    needed = branch[end : end + 1] not in {"?", "*", "{"}
    return needed and _begins_with_speaker(branch[group.end() : end - 1])


def _branches(pattern: str) -> Iterator[str]:
    """The alternatives of a pattern that stand in no group."""
    depth = begin = 0
    for mark in _MARK.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if mark[0] == "|" and not depth:
            yield pattern[begin : mark.start()]
            begin = mark.end()
    yield pattern[begin:]


def _closing(pattern: str) -> int:
    """Where the group ends with which the pattern begins."""
    depth = 0
    for mark in _MARK.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if not depth:
            return mark.end()
    return len(pattern)
