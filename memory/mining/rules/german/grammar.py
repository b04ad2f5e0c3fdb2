"""How a German sentence says "I", and what its objects look like."""

import re
from dataclasses import replace

from memory.mining.rules.table import Rule

FILL = (
    r"(?:(?:sehr|wirklich|auch|total|echt|aber|jetzt|eigentlich|übrigens|ja|halt|nämlich|momentan|derzeit"
    r"|aktuell|gerade|grad|schon|immer|noch|selbst|leider|besonders|seit \w+(?: jahren?| monaten?"
    r"| wochen)?|zur zeit|im moment) ){0,3}"
)
CAPITAL = r"(?-i:[A-ZÄÖÜ])"
NOUN = rf"(?P<o>(?:{CAPITAL}[\w-]+ ){{0,2}}{CAPITAL}[\w-]+)"
SPOT = rf"(?P<o>{CAPITAL}[\w-]+(?: (?:(?:am|an der|im|ob der) )?{CAPITAL}[\w-]+){{0,2}}|\w+)"


def i(verbs: str) -> str:
    """The first person of `verbs`: "ich wohne", "heute wohne ich", or "wohne"
    alone at the start, where it can be no imperative."""
    alone = rf"(?=(?:bin|wohn|leb|arbeite|mag|hab|hass|lieb|kann|spreche|komm)){_one_of(verbs)}"
    listed = rf", (?=(?:bin|wohne|lebe|arbeite|spreche|komme)\b){_one_of(verbs)}"
    return rf"(?:\bich {FILL}{_one_of(verbs)}|(?<=\w[ ]){_one_of(verbs)} ich|(?:(?:^|\bund ){alone}|{listed})(?! ich)) {FILL}"


def _one_of(verbs: str) -> str:
    return f"(?:{verbs})"


# Where a clause begins, and what stands there without pointing at something said before.
FRONT = r"(?:^|(?<=[,;:–—-][ ])|(?<=\bund[ ])|(?<=\baber[ ])|(?<=\bdaf[ü]r[ ]))"
_POINTING = (
    r"(?!(?:das|die|der|den|dem|des|dies\w*|jen\w*|dein\w*|ihr\w*|sein\w*|eure\w*|so|sowas|solche\w*|welch\w*|was|wen|wem|kein\w*"
    r"|beid\w*|alle\w*|alles|nichts|etwas|mehr|viel|dich|ihn|sie|es|uns|euch|jetzt|heute|morgen|gestern|gerade|grad|dort|hier|da|nein|ja"
    r"|eigentlich|trotzdem|sonst|manchmal|noch|auch|nicht|nur|am|im|in|an|auf|bei|mit|für|seit|ab|nach|vor|zu|zum|zur|von|vom|aus|als|wie|wo|wenn"
    r"|satz|punkt|nummer|titel|teil|antwort\w*|version\w*|variante\w*|idee\w*|vorschl\w*|option\w*|lösung\w*|formulierung\w*|text\w*|danke|bitte|sorry|aber|doch|und|oder|denn|dafür|dagegen|hingegen)\b)"
)
_MORE = rf"(?:(?:,| und| oder| sowie) (?:[\w-]+e[nrs] )?{CAPITAL}[\w-]+)"
_SOMEWHERE = rf"(?: (?:im|in|mit|aus|auf|am|vom|von|ohne|zum|zur) (?:[\w-]+ )?{CAPITAL}[\w-]+)"
THING = rf"{_POINTING}(?P<o>(?:[\w-]+e[nrsm]? ){{0,2}}?{CAPITAL}[\w-]+{_MORE}{{0,3}}{_SOMEWHERE}?|(?:(?<=^)|(?<=[,][ ]))(?-i:[a-zäöüß-]{{4,30}}))"

TONGUE = rf"{CAPITAL}\w*(?:isch|eutsch|indi|rdu|ahasa|uaheli)"
TRADE = (
    r"(?:(?=(?-i:[A-ZÄÖÜ]))[\w-]*(?:lotse|lotsin|lehrer|pfleger|helfer|schlosser|meister|fahrer|führer|erzieher|verkäufer|techniker|niker|ingenieur|maurer|tischler"
    r"|schreiner|bäcker|metzger|gärtner|friseur|sanitäter|makler|imker|elektriker|entwickler|programmierer|berater|planer|zeichner|decker|informatiker|chemiker"
    r"|physiker|mathematiker|optiker|akustiker|logistiker|mechaniker|mechatroniker|elektroniker|arbeiter|händler|leger|dreher|fräser|schweißer|bauer|maler|schneider|trainer"
    r"|leiter|forscher|züchter|winzer|brauer|spieler|sprecher|prüfer|schleifer|konstrukteur|redakteur|monteur|kontrolleur|ökonom|biolog|geolog|psycholog"
    r"|journalist|jurist|polizist|pianist|florist|kellner|rentner|beamter|beamte|dolmetscher|übersetzer|apotheker|assistent|dozent|referent|student|doktorand|praktikant|musikant|soldat|architekt"
    r"|richter|therapeut|pädagog|soziolog|fotograf|geograf|kaufmann|kauffrau|fachmann|fachfrau|fachkraft|hebamme|ärzt|arzt|anwalt|anwält|koch|köch|wirt|bote|pilot|notar|pfarrer|kapitän|matrose|friseuse|krankenschwester)(?:in|e|en)?)"
)
SINCE_I = r"\b(?:weil|da|obwohl|zumal|seitdem|während) (?:ich|wir) (?:(?:ja|auch|halt|nun mal|selbst|selber|leider|eben|schon|immer|noch|gerade|eigentlich|doch|seit \w+(?: jahren?| monaten?)?|früher) ){0,3}"

BETWEEN = r"(?:(?!nicht\b|nie\b|nirgends\b|kein|kaum\b)[\w.]+ )"

_OTHERWISE = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
_LETTER = re.compile(r"(\[(?:\\.|[^\]\\])*\])|([äöüßÄÖÜ])")


def spelt(rule: Rule) -> Rule:
    """The rule for keyboards without umlauts and for Switzerland as well: "moechte", "weiss"."""
    words = _LETTER.sub(lambda part: part[1] or f"(?:{part[2]}|{_OTHERWISE[part[2]]})", rule.pattern.words)
    return replace(rule, pattern=replace(rule.pattern, words=words))
