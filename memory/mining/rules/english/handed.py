"""What an English message hands over: a letter from a drawer, a list that is to be sorted."""

import re

_LETTER = re.compile(r"\bto whom it may concern\b(?=.|\n)", re.IGNORECASE)
_TASK = re.compile(
    r"(?:^|[.!?,:;-] |\b(?:you|please|pls|to|and|me|just) )(?:turn|sort|alphabeti[sz]e|format|reformat|convert|arrange|merge|group|categori[sz]e|classify|clean up|tidy(?: up)?|dedupe|de-duplicate|rank|tabulate|transpose|split|parse|type up|lay out) "
    r"(?:[^\n.!?]{0,30} )?(?:this|these|the (?:following|list|table|names|lines|rows|data|entries|items|notes|records)|my (?:list|notes|table))\b[^\n]{0,80}\n",
    re.IGNORECASE | re.MULTILINE,
)
# Of a film: "My name is Bond. James Bond."
_FORMULA = re.compile(r"\bmy name(?:['\u2019]s| is) (\w+)[.,] (?-i:[A-Z])\w+ \1\b", re.IGNORECASE)


def without_handed(text: str) -> str:
    """`text` with what it hands over blanked by line breaks, so that every offset still holds."""
    for pattern in (_LETTER, _TASK):
        order = pattern.search(text)
        if order:
            text = text[: order.end()] + "\n" * (len(text) - order.end())
    return _FORMULA.sub(lambda said: "\n" * len(said[0]), text)
