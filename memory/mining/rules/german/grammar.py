"""How a German sentence says "I", and what its objects look like."""

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
    return rf"(?:\bich {FILL}{_one_of(verbs)}|(?<=\w[ ]){_one_of(verbs)} ich|(?:^|\bund ){alone}(?! ich)) {FILL}"


def _one_of(verbs: str) -> str:
    return f"(?:{verbs})"
