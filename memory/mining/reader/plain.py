"""Plain statements in the first person, such as "I live in Leeds". They are certain, whatever the network
predicts. The table is `plain.toml`."""

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
_INTERJECTIONS = (
    r"(?:(?:hi|hello|hey|ok|okay|so|and|also|btw|well|yes|no|actually|hallo|hola|bonjour|salut|привет|你好"
    r"|und|y|et|и|bueno|bon|ну)[,!. ]+){0,2}"
)
_END = (
    r"\s*(?:$|[.,;:!…。，！；()\n]|\s(?:and|but|since|with|because|now|these days|as|at|for|or|near|from"
    r"|until|in|on|today|last|this|where|who|which|und|aber|seit|mit|y|pero|desde|con|et|mais"
    r"|depuis|avec|и|но|с)(?:\s|[.,!]|$))"
)
_PHRASE_END = (
    r"\s*(?:$|[.,;:!…。，！；()\n]|\s(?:and|but|because|so|though|und|aber|weil|y|pero|porque|et|mais|parce"
    r"|и|но)(?:\s|[.,!]|$))"
)
_KIN = "|".join(sorted((word for word in KIN["en"] if " " not in word), key=len, reverse=True))
_RELATIVES = tuple(
    compile_pattern(_INTERJECTIONS + words, ignore_case=True)
    for words in (
        rf"(?:my|our) (?P<kin>{_KIN})(?: is(?: called| named)?|,)? {_SHAPES['name']}"
        rf"(?:{_END}|\s(?-i:\p{{Ll}}))",
        rf"{_SHAPES['name']} is my (?P<kin>{_KIN}){_END}",
    )
)
# Words that make a plain statement hypothetical, or change its meaning.
_NOT_LITERAL = compile_pattern(
    r"(?:^|[^\pL])(?:if|when i|would|wish|imagine|suppose|pretend|wenn|falls|würde|si|ojalá|если|бы"
    r"|(?:like|love|enjoy|adore) (?:(?:how|that|the way) )?you|like a|like it|like that"
    r"|like this|like the)(?:$|[^\pL])|如果|假如",
    ignore_case=True,
)
_CLAUSE = compile_pattern(
    r"[,;:]\s+(?:(?:and|but|so|und|aber|y|pero|et|mais|и|но) )?|\s(?:and|so|und|y|et|и) "
)
_REPORTED_SPEECH = compile_pattern(
    r"(?:^|[^\pL])(?:say|says|said|wrote|writes|told|asked|claim\w*|think\w*|called|translate"
    r"|sagt\w*|schreib\w*"
    r"|schrieb|dice|dijo|dit|écrit|говорит|сказал\w*|пишет|напис\w*)(?:[^\pL]|$)|[\"“„«「]",
    ignore_case=True,
)


@dataclass(frozen=True, slots=True)
class PlainStatement:
    """A value in a text and its predicate. `is_later` if the statement does not begin its sentence."""

    place: Span
    predicate: str
    is_later: bool = False


def statements(text: str) -> Iterator[PlainStatement]:
    """The plain statements at the start of sentences and clauses, except in questions, conditions and
    reported speech."""
    for start, end in sentences(text):
        sentence = text[start : min(end, start + MAX_LENGTH)]
        if sentence.rstrip().endswith(("?", "？")) or _NOT_LITERAL.search(sentence):
            continue
        done = 0
        for clause_start in _clause_starts(sentence):
            found = _match_clause(sentence[clause_start:]) if clause_start >= done else None
            if found:
                predicate, place, value = found
                at = start + clause_start + place
                done = clause_start + place + len(value)
                yield PlainStatement(
                    (at, at + len(value.rstrip(".-'’"))), predicate, clause_start > _indentation(sentence)
                )


def _clause_starts(sentence: str) -> Iterator[int]:
    yield _indentation(sentence)
    if not _REPORTED_SPEECH.search(sentence):
        yield from (match.end() for match in _CLAUSE.finditer(sentence))


def _indentation(sentence: str) -> int:
    return len(sentence) - len(sentence.lstrip())


def _match_clause(sentence: str) -> tuple[str, int, str] | None:
    """Predicate, place and words of the value."""
    for pattern in _RELATIVES:
        if match := pattern.match(sentence):
            predicate = KIN["en"][match["kin"].casefold()].predicate
            return predicate, match[0].index(match["o"]), match["o"]
    for predicate, pattern in _PATTERNS:
        if match := pattern.match(sentence):
            return predicate, match[0].rindex(match["o"]), match["o"]
    return None


def _compile_table() -> Iterator[tuple[str, Pattern]]:
    for predicate, shapes in table_of(__file__).items():
        for shape, words in shapes.items():
            begun = "|".join(words).replace("NOW", _NOW)
            end = {"phrase": _PHRASE_END, "clause": ""}.get(shape, _END)
            yield (
                predicate,
                compile_pattern(f"{_INTERJECTIONS}(?:{begun}){_SHAPES[shape]}{end}", ignore_case=True),
            )


_PATTERNS = tuple(_compile_table())
