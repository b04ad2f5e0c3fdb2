"""What a user says about something: a value in a sentence, with the words around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llm.multilingual.tokens import Span
from memory.mining.reader.decoding import Finding
from memory.mining.reader.predicates import PREDICATES
from memory.mining.reader.sentences import sentence_of
from memory.mining.transcripts import Turn
from memory.text.kinship import KIN, Kinship
from memory.text.patterns import compile_pattern

MAX_QUOTE_LENGTH = 240
_CLAUSE_END = compile_pattern(r"[,;:，；：]\s*|\s[-–—]+\s|[()]")
_WORD = compile_pattern(r"[\pL-]+")
_NO_LONGER = compile_pattern(
    r"no longer|n['’]t [^,;.!?]*any ?more|(?:not|never) [^,;.!?]*any ?more"
    r"|nicht mehr|keine?[nmrs]? [^,;.!?]*mehr|(?:^|[^\pL])ya no |больше не |уже не |不再|已经不|没再"
    r"|(?:^|[^\pL])n(?:e |['’])[^,;.!?]*[ ]plus(?:[^\pL]|$)",
    ignore_case=True,
)
_DEATH = compile_pattern(
    r"(?:^|[^\pL])(?:died|passed away|gestorben|murió|est morte?|умер(?:ла)?)(?:[^\pL]|$)|去世|死了",
    ignore_case=True,
)
_PAST = compile_pattern(
    r"(?:^|[^\pL])(?:i|we) (?:was|were) (?:still |then )?(?:living|working|using|staying)(?:[^\pL]|$)",
    ignore_case=True,
)
_USED_TO = compile_pattern(r"(?:^|[^\pL])(?:i|we) used to ", ignore_case=True)
_SUBJECT = compile_pattern(r"(?:^|[^\pL])(?:i|we)(?:[^\pL]|$)", ignore_case=True)
_NEGATIVE_PREDICATES = ("avoids", "cannot", "does_not_use", "dislikes")
NAME_PREDICATES = ("named", "nickname", "surname")


@dataclass(frozen=True, slots=True)
class Mention:
    """A value in its turn: the sentence around it and the words to quote."""

    turn: Turn
    finding: Finding
    sentence: Span
    quote: Span

    @property
    def value(self) -> str:
        return self.turn.content[slice(*self.finding.place)]

    @property
    def words(self) -> str:
        return self.turn.content[slice(*self.sentence)]

    @property
    def is_over(self) -> bool:
        """Whether the fact no longer holds, according to the network or the words around the value."""
        start, end = clause_around(self.turn.content, self.quote, self.finding.place)
        words = self.turn.content[start:end]
        predicate = PREDICATES[self.finding.predicate]
        is_dead = predicate.name == "has_pet" and bool(_DEATH.search(words))
        before = self.turn.content[start : self.finding.place[0]]
        is_past = predicate.kind != "experience" and (bool(_PAST.search(words)) or _used_to(before))
        is_discontinued = predicate.name not in _NEGATIVE_PREDICATES and bool(_NO_LONGER.search(words))
        return self.finding.is_over or is_dead or is_past or is_discontinued


def _used_to(before: str) -> bool:
    """Whether "I used to" governs what follows: no other "I" comes between ("I used to run and I swim")."""
    found = list(_USED_TO.finditer(before))
    return bool(found) and not _SUBJECT.search(before[found[-1].end() :])


def mention_of(turn: Turn, finding: Finding, ranges: Sequence[Span]) -> Mention:
    """The mention of a finding, given the sentences of its turn."""
    sentence = sentence_of(finding.place[0], ranges)
    return Mention(turn, finding, sentence, _quote(turn.content, sentence, finding.place))


def _quote(content: str, sentence: Span, place: Span) -> Span:
    """The sentence, or the clause around the value if it is long, without surrounding spaces."""
    start, end = sentence[0], max(sentence[1], place[1])
    if end - start > MAX_QUOTE_LENGTH:
        start, end = clause_around(content, (start, end), place)
        start, end = max(start, place[0] - MAX_QUOTE_LENGTH // 2), min(end, place[1] + MAX_QUOTE_LENGTH // 2)
    while start < end and content[start].isspace():
        start += 1
    while end > max(start, place[1]) and (content[end - 1].isspace() or content[end - 1] in ".!。！…"):
        end -= 1
    return start, end


def clause_around(content: str, quote: Span, place: Span) -> Span:
    """The clause of a quote around a place in it."""
    boundaries = [quote[0] + match.end() for match in _CLAUSE_END.finditer(content[slice(*quote)])]
    start = max([quote[0], *(boundary for boundary in boundaries if boundary <= place[0])])
    end = min([quote[1], *(boundary for boundary in boundaries if boundary >= place[1])])
    return start, max(end, place[1])


def is_kin_word(word: str) -> bool:
    """Whether a word names a relative or pet in any language."""
    return any(word.casefold() in table for table in KIN.values())


def kin_of(mention: Mention, predicate: str) -> Kinship | None:
    """The kinship word in the sentence that fits the predicate and is nearest to the name."""
    place = mention.finding.place[0] - mention.sentence[0]
    found = [
        (abs(at - place), kin)
        for at, kin in _kin_words(mention.words.casefold())
        if kin.predicate == predicate
    ]
    return min(found, key=lambda one: one[0])[1] if found else None


def _kin_words(words: str) -> Iterator[tuple[int, Kinship]]:
    for match in _WORD.finditer(words):
        for table in KIN.values():
            if match[0] in table:
                yield match.start(), table[match[0]]
    for word, kin in KIN["zh"].items():
        if word in words:
            yield words.index(word), kin
