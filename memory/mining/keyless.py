"""Extract without a language model: the facts found by the reader, explicit requests to save something
("remember that …", in six languages), and a placement for every turn."""

from collections.abc import Iterable, Iterator, Sequence

from memory.facts.owner_relations import object_type
from memory.facts.vocabulary import slug
from memory.mining.reader.facts import Tagger, read
from memory.mining.reader.speech import pasted_spans
from memory.mining.tagging import tags_of
from memory.mining.topics import topics
from memory.mining.transcripts import Transcript, Turn
from memory.mining.types import (
    ExtractedEntity,
    ExtractedFact,
    ExtractedRelation,
    Extraction,
    TurnPlacement,
    WingGuess,
)
from memory.mining.windows import minable
from memory.mining.wings import SubjectOf, general, subject_in_title, wing_of
from memory.text.patterns import compile_pattern, patterns, table_of
from memory.text.sentences import overlaps_any, sentences

OWNER = "user"
MAX_INPUT_LENGTH = 20_000
MAX_LENGTH, MIN_LENGTH = 300, 4
CONFIDENCE = 0.9

_PATTERNS = patterns(table_of(__file__))
_SAVE_REQUEST = compile_pattern(
    _PATTERNS["interjections"] + _PATTERNS["save_request"], ignore_case=True, dot_all=True
)
# "Remember when …?" is a question, "don't forget to …" an errand, "remember: to …" a reminder.
_NOT_A_FACT = compile_pattern(_PATTERNS["not_a_fact"], ignore_case=True)


def extract(
    transcript: Transcript,
    tagger: Tagger | None,
    known_wings: Sequence[WingGuess] = (),
    subject_of: SubjectOf = general,
) -> Extraction:
    """A placement for every minable turn, and the facts and relations in the user's turns, each with a
    verbatim quote. Spans are offsets into the content of the turns. Without a `tagger`, only explicit
    requests to save something become facts."""
    turns = [kept for turn in transcript.turns if (kept := minable(turn)) is not None]
    facts = _facts(transcript.turns, tagger)
    certain = [fact for fact in facts if not fact.unsure]
    return Extraction(
        method="reader",
        wing=wing_of(transcript, turns, known_wings, subject_of),
        placements=tuple(_placements(turns, facts, subject_in_title(transcript.title))),
        facts=facts,
        entities=tuple(_entities(certain)),
        relations=tuple(_relations(certain, transcript.turns)),
    )


def _facts(turns: Sequence[Turn], tagger: Tagger | None) -> tuple[ExtractedFact, ...]:
    found = read(turns, tagger) if tagger else []
    requested = [fact for turn in turns for fact in _save_requests(turn)]
    certain = [fact for fact in found if not fact.unsure]
    requested = [fact for fact in requested if not any(_overlap(fact, other) for other in certain)]
    found = [fact for fact in found if not any(_overlap(fact, other) for other in requested)]
    return tuple(found + requested)


def _save_requests(turn: Turn) -> Iterator[ExtractedFact]:
    """A fact for each sentence of a user's turn that asks to save it."""
    content = turn.content[:MAX_INPUT_LENGTH]
    pasted = pasted_spans(content)
    for start, end in sentences(content) if turn.role == "user" else ():
        said = content[start:end].strip()
        match = (
            _SAVE_REQUEST.match(said) if len(said) <= MAX_LENGTH and not said.endswith(("?", "？")) else None
        )
        if match is None or _NOT_A_FACT.match(match["what"]):
            continue
        begin = content.index(said, start)
        span = begin, begin + len(said)
        what = match["what"].strip().rstrip(".!。！")
        if len(what) >= MIN_LENGTH and not overlaps_any(span, pasted):
            yield _requested_fact(turn, what, said, span)


def _requested_fact(turn: Turn, what: str, said: str, span: tuple[int, int]) -> ExtractedFact:
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


def _overlap(one: ExtractedFact, other: ExtractedFact) -> bool:
    same = one.message_id == other.message_id
    return same and one.span[0] < other.span[1] and other.span[0] < one.span[1]


def _placements(turns: Sequence[Turn], facts: Sequence[ExtractedFact], title: str) -> Iterator[TurnPlacement]:
    for turn, topic in zip(turns, topics(turns, title), strict=True):
        people = [name for fact in facts if fact.message_id == turn.message_id for name in fact.persons]
        yield TurnPlacement(turn.message_id, topic, tags_of(turn.content, turn.said_at, people))


def _entities(facts: Iterable[ExtractedFact]) -> Iterable[ExtractedEntity]:
    """Each entity the facts name, once, in order of first mention."""
    found: dict[tuple[str, str], ExtractedEntity] = {}
    for fact in facts:
        if kind := object_type(fact.predicate, fact.object):
            found.setdefault((fact.object.casefold(), kind), ExtractedEntity(fact.object, kind))
    return found.values()


def _relations(facts: Iterable[ExtractedFact], turns: Sequence[Turn]) -> Iterator[ExtractedRelation]:
    """The edges from the user to the entities in their facts."""
    said_at = {turn.message_id: turn.said_at for turn in turns}
    for fact in facts:
        if object_type(fact.predicate, fact.object):
            yield ExtractedRelation(
                message_id=fact.message_id,
                subject=OWNER,
                relation=fact.predicate,
                object=fact.object,
                quote=fact.quote,
                confidence=fact.confidence,
                single_valued=fact.single_valued,
                valid_from=fact.valid_from,
                valid_to=(fact.valid_to or said_at[fact.message_id]) if fact.ended else fact.valid_to,
                ended=fact.ended,
            )
