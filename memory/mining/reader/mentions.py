"""What a user says about something: a value in a sentence, with the words around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llm.multilingual.tokens import Span
from memory.facts.vocabulary import FORMER
from memory.mining.reader.decoding import Finding
from memory.mining.reader.predicates import PREDICATES
from memory.mining.transcripts import Turn
from memory.text.kinship import KIN, Kinship
from memory.text.patterns import compile_pattern, compile_table, table_of
from memory.text.sentences import overlaps_any, sentence_of

MAX_QUOTE_LENGTH = 240
MAX_CONTEXT_LENGTH = 200
_CLAUSE_END = compile_pattern(r"[,;:]\s+|\p{Han}[,;:]|[，；：]|\s[-–—]+\s|[()]")
_NO_CONTEXT = compile_pattern(r"\n|[\"“”„«»‘「『`]")
_PATTERNS = compile_table(table_of(__file__))
PRONOUN = _PATTERNS["pronoun"]
_WORD = compile_pattern(r"[\pL-]+")
_BUT = compile_pattern(r"(?:^|[^\pL])(?:but|sondern|sino|mais|а|но) ", ignore_case=True)
_USED_TO = compile_pattern(r"(?:^|[^\pL])(?:i|we) used to ", ignore_case=True)
_SUBJECT = compile_pattern(r"(?:^|[^\pL])(?:i|we)(?:[^\pL]|$)", ignore_case=True)
MINE = _PATTERNS["mine"]
# What may be before a kinship word.
_STARTS = compile_pattern(r"(?:^|[,;:.!?，。；]\s*|我(?:家|们?的)?)$")
AND = compile_pattern(r"(?:^|[^\pL])(?:and|und|y|e|et|и)(?:[^\pL]|$)|[和、]", ignore_case=True)
NEAR, NEAR_WORDS = 300, 40
"""How far from a name to look for a kinship word, and before that for its possessive, in characters."""
_NEGATIVE_PREDICATES = ("avoids", "cannot", "does_not_use", "dislikes")
NAME_PREDICATES = ("named", "nickname", "surname")


@dataclass(frozen=True, slots=True)
class Mention:
    """A value in its turn: the sentence around it, the words to quote, and where their context begins."""

    turn: Turn
    finding: Finding
    sentence: Span
    quote: Span
    context: int

    @property
    def value(self) -> str:
        return self.turn.content[slice(*self.finding.place)]

    @property
    def words(self) -> str:
        return self.turn.content[slice(*self.sentence)]

    @property
    def before(self) -> str:
        """The sentence up to the value."""
        return self.turn.content[self.sentence[0] : self.finding.place[0]]

    @property
    def is_over(self) -> bool:
        """Whether the fact no longer holds, according to the network or the words around the value. What the
        user has done or been stays true."""
        start, end = clause_around(self.turn.content, self.quote, self.finding.place)
        words = self.turn.content[start:end]
        predicate = PREDICATES[self.finding.predicate]
        before = self.turn.content[start : self.finding.place[0]]
        if predicate.kind == "experience":
            return self._is_denied(before, words)
        is_dead = predicate.name == "has_pet" and self._has_died(words)
        is_left = predicate.name in FORMER and bool(_PATTERNS["left"].search(before))
        is_gone = bool(_PATTERNS["replaced"].search(before)) or (predicate.name == "owns" and self._is_sold())
        is_past = is_left or bool(_PATTERNS["past"].search(words)) or _used_to(before)
        no_longer = _PATTERNS["no_longer"].search(words)
        if predicate.name in _NEGATIVE_PREDICATES and no_longer:
            # "I no longer eat meat" is why the user avoids it, but "I no longer avoid meat" ends that.
            return bool(
                _PATTERNS["avoiding"].search(no_longer[0])
                or _PATTERNS["avoiding"].match(words[no_longer.end() :])
            )
        return (
            self.finding.is_over
            or is_dead
            or is_gone
            or is_past
            or bool(no_longer)
            or self._is_denied(before, words)
        )

    def _has_died(self, words: str) -> bool:
        put_down = _PATTERNS["put_down"].search(words)
        return bool(_PATTERNS["death"].search(words) or (put_down and self.value in put_down[0]))

    def _is_sold(self) -> bool:
        """Whether the sentence says so before the value, and nothing follows that is new ("sold my car, a
        Polo", but not "sold my car and bought a Polo")."""
        sold = _PATTERNS["sold"].search(self.before)
        return bool(sold and not AND.search(self.before[sold.end() :]))

    def _is_denied(self, before: str, clause: str) -> bool:
        """Whether the clause says that the user is not allergic, or the sentence asks to forget the fact."""
        is_denied = self.finding.predicate == "allergic_to" and _PATTERNS["not_allergic"].search(clause)
        return bool(is_denied and not _BUT.search(before)) or bool(_PATTERNS["forget"].match(self.words))


def _used_to(before: str) -> bool:
    """Whether "I used to" governs what follows: no other "I" comes between ("I used to run and I swim")."""
    found = list(_USED_TO.finditer(before))
    return bool(found) and not _SUBJECT.search(before[found[-1].end() :])


def mention_of(
    turn: Turn, finding: Finding, ranges: Sequence[Span], pasted_spans: Sequence[Span] = ()
) -> Mention:
    """The mention of a finding, given the sentences of its turn. If its sentence begins with a clause that
    has the value and a pronoun, its context includes the previous sentence, unless the two are too long or
    the previous one is on another line, quotes somebody or is pasted."""
    sentence = sentence_of(finding.place[0], ranges)
    quote = _quote(turn.content, sentence, finding.place)
    before = next((span for span in ranges if span[1] == sentence[0]), sentence)
    clause = clause_around(turn.content, quote, finding.place)
    is_context = (
        clause[0] == quote[0]
        and quote[1] - before[0] <= MAX_CONTEXT_LENGTH
        and PRONOUN.search(turn.content[slice(*clause)])
        and not _NO_CONTEXT.search(turn.content[slice(*before)])
        and not overlaps_any(before, pasted_spans)
    )
    return Mention(turn, finding, sentence, quote, before[0] if is_context else quote[0])


def _quote(content: str, sentence: Span, place: Span) -> Span:
    """The sentence, or as many clauses around the value as fit, without surrounding spaces."""
    start, end = sentence[0], max(sentence[1], place[1])
    if end - start > MAX_QUOTE_LENGTH:
        starts, ends = clause_limits(content, (start, end), place)
        half = MAX_QUOTE_LENGTH // 2
        start = next((at for at in starts if ends[0] - at <= MAX_QUOTE_LENGTH), place[0] - half)
        end = max((at for at in ends if at - start <= MAX_QUOTE_LENGTH), default=place[1] + half)
        start, end = max(start, sentence[0]), min(end, max(sentence[1], place[1]))
    while start < end and content[start].isspace():
        start += 1
    while end > max(start, place[1]) and (content[end - 1].isspace() or content[end - 1] in ".!。！…"):
        end -= 1
    return start, end


def clause_around(content: str, quote: Span, place: Span) -> Span:
    """The clause of a quote around a place in it."""
    starts, ends = clause_limits(content, quote, place)
    return starts[-1], ends[0]


def clause_limits(content: str, quote: Span, place: Span) -> tuple[list[int], list[int]]:
    """Where clauses of a quote start, up to a place in it, and where they end, from that place on."""
    boundaries = [quote[0] + match.end() for match in _CLAUSE_END.finditer(content[slice(*quote)])]
    starts = [quote[0], *(boundary for boundary in boundaries if boundary <= place[0])]
    ends = [*(boundary for boundary in boundaries if boundary >= place[1]), max(quote[1], place[1])]
    return starts, ends


def is_kin_word(word: str) -> bool:
    """Whether a word names a relative or pet in any language."""
    return any(word.casefold() in table for table in KIN.values())


def kin_of(mention: Mention, predicate: str) -> Kinship | None:
    """The kinship word in the sentence that fits the predicate and is nearest to the name, unless it is about
    somebody else's relative ("her sister"); one after another thing in a list ("my cat Miso and a dog") only
    if there is no other."""
    start, end = (at - mention.sentence[0] for at in mention.finding.place)
    first = max(0, start - NEAR)
    words, start, end = mention.words[first : end + NEAR], start - first, end - first
    found = [
        (bool(AND.search(words[end:kin_start])), abs(kin_start - start), kin)
        for (kin_start, _), kin in _kin_words(words)
        if kin.predicate == predicate and not _is_somebody_elses(words[:kin_start])
    ]
    return min(found, key=lambda one: one[:2])[2] if found else None


def adjacent_kin(mention: Mention) -> tuple[Kinship, bool] | None:
    """The kinship word that introduces the name after it ("my wife is Anna", "сына зовут …"), and whether it
    is the name of somebody else's relative ("Ana's son Tom") or of what is a relative's ("the dog of my
    mother, Rex")."""
    before = mention.before[-NEAR:]
    found = list(_kin_words(before))
    for (start, end), kin in found:
        whose, between = before[:start], before[end:]
        if not _PATTERNS["introduces"].fullmatch(between):
            continue
        if _ends_with_third_person(whose) and not between.strip(" ,"):
            return kin, True
        is_bare = before[start] >= "\u0400"  # Russian and Chinese have "son" for "my son"
        mine = (_STARTS if is_bare else MINE).search(whose)
        link = next(
            (one for other, _ in found if (one := _PATTERNS["chain"].fullmatch(before[other[1] : start]))),
            None,
        )
        if link or (mine and mine.end() == start):
            return kin, link is not None and bool(between.strip() or link[0] == "的")
    return None


def _is_somebody_elses(before: str) -> bool:
    """Whether a word follows somebody else's possessive ("her"), but not "my son" or "my son and"."""
    whose = _PATTERNS["third_person"].search(before[-NEAR_WORDS:])
    return bool(whose and not whose["other"] and _ends_with_third_person(before[-NEAR_WORDS:]))


def _ends_with_third_person(words: str) -> bool:
    """Whether words end with somebody else's possessive: "Ana's", but not "that's" or "Ana's my"."""
    whose = _PATTERNS["third_person"].search(words)
    if not whose or MINE.fullmatch(whose["other"] or ""):
        return False
    return not _PATTERNS["contracted"].fullmatch(whose["owner"] or "")


def _kin_words(words: str) -> Iterator[tuple[Span, Kinship]]:
    for match in _WORD.finditer(words):
        word = match[0].casefold()
        for table in KIN.values():
            if kin := table.get(word):
                yield (match.start(), match.end()), kin
    for word, kin in KIN["zh"].items():
        if (start := words.find(word)) >= 0:
            yield (start, start + len(word)), kin
