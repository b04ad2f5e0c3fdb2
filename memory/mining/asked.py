"""Explicit requests to save something: "remember that …", in six languages."""

from collections.abc import Iterator

from memory.facts.vocabulary import slug
from memory.mining.reader.sentences import sentences
from memory.mining.reader.speech import foreign, is_inside
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedFact
from memory.text.patterns import compile_pattern

READ = 20_000
LONGEST, SHORTEST = 300, 4
CONFIDENCE = 0.9

_LEAD = (
    r"(?:(?:ok(?:ay)?|hey|hi|so|also|and|btw|by the way|please|pls|bitte|und|y|por favor|et"
    r"|s'il te plaît|и|пожалуйста|请|請)"
    r"[,:\s]*){0,3}"
)
_ASKED = compile_pattern(
    _LEAD + r"(?:(?:can|could|would|will) you (?:please )?)?"
    r"(?:(?:always |just )?(?:remember|memori[sz]e|keep in mind|bear in mind|note|don['’]t forget"
    r"|do not forget|make a note"
    r"|take note)(?: (?:that|this|for (?:later|next time)))?|(?:save|add|store) (?:this|that)? ?(?:to"
    r"|in) (?:your )?memory(?: that)?"
    r"|(?:merk(?:e)?|merkt?) (?:dir|euch)|vergiss nicht|denk daran|notier(?:e)?(?: dir)?"
    r"|behalte(?: im kopf| in erinnerung)?"
    r"|recuerda|acuérdate(?: de)?|ten en cuenta|no olvides|apunta|anota"
    r"|souviens-toi|rappelle-toi|retiens|n['’]oublie pas|note(?: bien)?|garde en (?:tête|mémoire)"
    r"|запомни(?:те)?|помни(?:те)?|не забудь(?:те)?|имей(?:те)? в виду|запиши(?:те)?"
    r"|(?:帮我)?(?:记住|記住|记一下|记得|別忘了|别忘了|请记|記下|记下))"
    r"(?:[,:，：\s]|$)+(?:(?:that|dass|que|qu['’]|что) ?)?(?P<what>.{4,})",
    ignore_case=True,
    dot_all=True,
)
# "Remember when …?" asks, "don't forget to …" is an errand, "remember: to …" a reminder.
_NOT_A_FACT = compile_pattern(
    r"(?:to |when |how |what |where |who |why |if |the time|zu |wie |wann |cuando |cómo |quand "
    r"|comment |когда |как |de [a-zà-ÿ]+r )",
    ignore_case=True,
)


def asked_to_remember(turn: Turn) -> Iterator[ExtractedFact]:
    """A fact for each sentence of a user's turn that asks to save it."""
    content = turn.content[:READ]
    elsewhere = foreign(content)
    for start, end in sentences(content) if turn.role == "user" else ():
        said = content[start:end].strip()
        match = _ASKED.match(said) if len(said) <= LONGEST and not said.endswith(("?", "？")) else None
        if match is None or _NOT_A_FACT.match(match["what"]):
            continue
        begin = content.index(said, start)
        span = begin, begin + len(said)
        what = match["what"].strip().rstrip(".!。！")
        if len(what) >= SHORTEST and not is_inside(span, elsewhere):
            yield _fact(turn, what, said, span)


def _fact(turn: Turn, what: str, said: str, span: tuple[int, int]) -> ExtractedFact:
    return ExtractedFact(
        message_id=turn.message_id,
        kind="other",
        key=f"remember_{slug(what)}",
        value=what,
        statement=f"The user asked to remember: “{what}”",
        predicate="asked_to_remember",
        object=what,
        quote=said,
        span=span,
        confidence=CONFIDENCE,
    )
