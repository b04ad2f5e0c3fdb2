"""Plain statements in the first person, such as "I live in Leeds": what they say is certain, whatever the
network believes. The table is `plain.toml`."""

from collections.abc import Iterator
from dataclasses import dataclass

from llm.multilingual.tokens import Span
from memory.mining.reader.sentences import sentences
from memory.text.kinship import KIN
from memory.text.patterns import Pattern, compile_pattern
from memory.text.tables import table_of

CONFIDENCE = 0.95
MAX_LENGTH = 200

_CAPITAL = r"(?-i:\p{Lu}[\pL'’.-]*)"
_SHAPES = {
    "name": rf"(?P<o>{_CAPITAL}(?: {_CAPITAL}){{0,2}})",
    "place": rf"(?P<o>{_CAPITAL}(?:[ -](?:(?:de|la|del|am|an|der|upon|of|the|sur) )?{_CAPITAL}){{0,3}})",
    "thing": r"(?P<o>[\pL\pN][\pL\pN'’+#.-]*(?: [\pL\pN][\pL\pN'’+#.-]*){0,2}?)",
    "phrase": r"(?P<o>[\pL\pN][\pL\pN'’+#.-]*(?: [\pL\pN][\pL\pN'’+#.-]*){0,7}?)",
    "clause": r"(?P<o>[^\n.!?;…。！？]{3,120})",
    "diet": r"(?P<o>vegan|vegetarian|pescatarian|pescetarian|veganer(?:in)?|vegetarier(?:in)?|vegan[oa]"
    r"|vegetarian[oa]|végétarien(?:ne)?|végane)",
    "cjk": r"(?P<o>[\p{Han}\pL\pN]{1,12}?)",
}
_NOW = "(?:(?:now|currently|still|actually|also|really|just) )?"
_LEAD = (
    r"(?:(?:hi|hello|hey|ok|okay|so|and|also|btw|well|yes|no|actually|hallo|hola|bonjour|salut|привет|你好"
    r"|und|y|et|и|bueno|bon|ну)[,!. ]+){0,2}"
)
_END = (
    r"\s*(?:$|[.,;:!…。，！；()\n]|\s(?:and|but|since|with|because|now|these days|as|at|for|or|near|from"
    r"|until|in|on|today|last|this|where|who|which|und|aber|seit|mit|y|pero|desde|con|et|mais|depuis|avec|и|но|с)(?:\s|[.,!]|$))"
)
_PHRASE_END = (
    r"\s*(?:$|[.,;:!…。，！；()\n]|\s(?:and|but|because|so|though|und|aber|weil|y|pero|porque|et|mais|parce"
    r"|и|но)(?:\s|[.,!]|$))"
)
_KIN = "|".join(sorted((word for word in KIN["en"] if " " not in word), key=len, reverse=True))
_RELATIVES = tuple(
    compile_pattern(_LEAD + words, ignore_case=True)
    for words in (
        rf"(?:my|our) (?P<kin>{_KIN})(?: is(?: called| named)?|,)? {_SHAPES['name']}"
        rf"(?:{_END}|\s(?-i:\p{{Ll}}))",
        rf"{_SHAPES['name']} is my (?P<kin>{_KIN}){_END}",
    )
)
# What turns a plain statement into something else.
_TURNED = compile_pattern(
    r"(?:^|[^\pL])(?:if|when i|would|wish|imagine|suppose|pretend|wenn|falls|würde|si|ojalá|если|бы"
    r"|(?:like|love|enjoy|adore) (?:(?:how|that|the way) )?you|like a|like it|like that"
    r"|like this|like the)(?:$|[^\pL])|如果|假如",
    ignore_case=True,
)
_CLAUSE = compile_pattern(
    r"[,;:]\s+(?:(?:and|but|so|und|aber|y|pero|et|mais|и|но) )?|\s(?:and|so|und|y|et|и) "
)
_OTHERS_SAY = compile_pattern(
    r"(?:^|[^\pL])(?:say|says|said|wrote|writes|told|asked|claim\w*|think\w*|called|translate|sagt\w*|schreib\w*"
    r"|schrieb|dice|dijo|dit|écrit|говорит|сказал\w*|пишет|напис\w*)(?:[^\pL]|$)|[\"“„«「]",
    ignore_case=True,
)


@dataclass(frozen=True, slots=True)
class Plain:
    """A value in a text and the predicate it is plainly stated with, at the beginning of its sentence or
    later."""

    place: Span
    predicate: str
    is_later: bool = False


def statements(text: str) -> Iterator[Plain]:
    """The plain statements that begin the sentences and clauses of a text; questions, conditions and what
    others say are none."""
    for start, end in sentences(text):
        sentence = text[start : min(end, start + MAX_LENGTH)]
        if sentence.rstrip().endswith(("?", "？")) or _TURNED.search(sentence):
            continue
        done = 0
        for begin in _beginnings(sentence):
            found = _in_sentence(sentence[begin:]) if begin >= done else None
            if found:
                predicate, place, value = found
                at = start + begin + place
                done = begin + place + len(value)
                yield Plain((at, at + len(value.rstrip(".-'’"))), predicate, begin > _lead(sentence))


def _beginnings(sentence: str) -> Iterator[int]:
    yield _lead(sentence)
    if not _OTHERS_SAY.search(sentence):
        yield from (match.end() for match in _CLAUSE.finditer(sentence))


def _lead(sentence: str) -> int:
    return len(sentence) - len(sentence.lstrip())


def _in_sentence(sentence: str) -> tuple[str, int, str] | None:
    """Predicate, place and words of the value."""
    for pattern in _RELATIVES:
        if match := pattern.match(sentence):
            predicate = KIN["en"][match["kin"].casefold()].predicate
            return predicate, match[0].index(match["o"]), match["o"]
    for predicate, pattern in _PATTERNS:
        if match := pattern.match(sentence):
            return predicate, match[0].rindex(match["o"]), match["o"]
    return None


def _compiled() -> Iterator[tuple[str, Pattern]]:
    for predicate, shapes in table_of(__file__).items():
        for shape, words in shapes.items():
            begun = "|".join(words).replace("NOW", _NOW)
            end = {"phrase": _PHRASE_END, "clause": ""}.get(shape, _END)
            yield predicate, compile_pattern(f"{_LEAD}(?:{begun}){_SHAPES[shape]}{end}", ignore_case=True)


_PATTERNS = tuple(_compiled())
