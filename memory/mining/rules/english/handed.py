"""Words that hand over what nobody says of themselves: a letter from a drawer, a list that is to be
sorted, a line of a film."""

import re

TO_WHOM = re.compile(r"\bto whom it may concern\b(?=.|\n)", re.IGNORECASE)
LIST_TO_SORT = re.compile(
    r"(?:^|[.!?,:;-] |\b(?:you|please|pls|to|and|me|just) )(?:turn|sort|alphabeti[sz]e|format|reformat|convert|arrange|merge|group|categori[sz]e|classify|clean up|tidy(?: up)?|dedupe|de-duplicate|rank|tabulate|transpose|split|parse|type up|lay out) "
    r"(?:[^\n.!?]{0,30} )?(?:this|these|the (?:following|list|table|names|lines|rows|data|entries|items|notes|records)|my (?:list|notes|table))\b[^\n]{0,80}\n",
    re.IGNORECASE | re.MULTILINE,
)
# "About me" heads a profile that is said further on to be somebody else's.
PROFILE_OF = re.compile(
    r"^[ \t]*(?:über mich|sobre mí|about me|à propos de moi|обо мне)(?=:?[ \t]*\n(?:.|\n){10,2000}?\b(?:bio|text|profile?|perfil|biograf\w+|cv|профиль)"
    r" (?:of|from|von|de|del|от) (?:meine|unsere|eine|my|our|an?\b|mi\b|una?\b|nuestr|mon\b|ma\b|notre\b|une\b|моей|моего))",
    re.IGNORECASE | re.MULTILINE,
)
# Of a film: "My name is Bond. James Bond."
FORMULA = re.compile(r"\bmy name(?:['\u2019]s| is) (\w+)[.,] (?-i:[A-Z])\w+ \1\b", re.IGNORECASE)
