"""Extract facts without a language model: the reader's facts, and a place for every turn."""

from collections.abc import Iterable, Iterator, Sequence

from memory.facts.vocabulary import PREDICATES
from memory.mining.asked import asked_to_remember
from memory.mining.reader.facts import Mind, read
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
from memory.mining.wings import wing_of

OWNER = "user"
LONGEST_NODE = 3
_PHRASES = ("topic", "thing")


def extract(transcript: Transcript, mind: Mind | None, known_wings: Sequence[WingGuess] = ()) -> Extraction:
    """A placement for every minable turn, and the facts and relations in the users' turns, each with a
    verbatim quote. Spans are offsets into the content of the given turns. Without a `mind`, only explicit
    requests to save something become facts."""
    turns = [kept for turn in transcript.turns if (kept := minable(turn)) is not None]
    facts = _facts(transcript.turns, mind)
    sure = [fact for fact in facts if not fact.unsure]
    return Extraction(
        method="rules",
        wing=wing_of(transcript, turns, known_wings),
        placements=tuple(_placements(turns, facts)),
        facts=facts,
        entities=tuple(_entities(sure)),
        relations=tuple(_relations(sure, transcript.turns)),
    )


def _facts(turns: Sequence[Turn], mind: Mind | None) -> tuple[ExtractedFact, ...]:
    found = read(turns, mind) if mind else []
    asked = [fact for turn in turns for fact in asked_to_remember(turn)]
    sure = [fact for fact in found if not fact.unsure]
    asked = [fact for fact in asked if not any(_overlap(fact, other) for other in sure)]
    found = [fact for fact in found if not any(_overlap(fact, other) for other in asked)]
    return tuple(found + asked)


def _overlap(one: ExtractedFact, other: ExtractedFact) -> bool:
    same = one.message_id == other.message_id
    return same and one.span[0] < other.span[1] and other.span[0] < one.span[1]


def _placements(turns: Sequence[Turn], facts: Sequence[ExtractedFact]) -> Iterator[TurnPlacement]:
    for turn, topic in zip(turns, topics(turns), strict=True):
        people = [name for fact in facts if fact.message_id == turn.message_id for name in fact.persons]
        yield TurnPlacement(turn.message_id, topic, tags_of(turn.content, turn.said_at, people))


def _entities(facts: Iterable[ExtractedFact]) -> Iterable[ExtractedEntity]:
    """Each entity the facts name, once, in order of first mention."""
    found: dict[tuple[str, str], ExtractedEntity] = {}
    for fact in facts:
        if _is_node(fact):
            kind = PREDICATES[fact.predicate].entity
            found.setdefault((fact.object.casefold(), kind), ExtractedEntity(fact.object, kind))
    return found.values()


def _relations(facts: Iterable[ExtractedFact], turns: Sequence[Turn]) -> Iterator[ExtractedRelation]:
    """The edges from the user to the entities in their facts."""
    said_at = {turn.message_id: turn.said_at for turn in turns}
    for fact in facts:
        if _is_node(fact):
            yield ExtractedRelation(
                message_id=fact.message_id,
                subject=OWNER,
                relation=fact.predicate,
                object=fact.object,
                quote=fact.quote,
                confidence=fact.confidence,
                single_valued=PREDICATES[fact.predicate].single_valued,
                valid_from=fact.valid_from,
                valid_to=(fact.valid_to or said_at[fact.message_id]) if fact.ended else fact.valid_to,
                ended=fact.ended,
            )


def _is_node(fact: ExtractedFact) -> bool:
    known = PREDICATES.get(fact.predicate)
    if known is None or not known.entity:
        return False
    if known.entity not in _PHRASES:
        return True
    short = len(fact.object.split()) <= LONGEST_NODE and len(fact.object) <= 40
    return short and not fact.object.casefold().startswith("to ")
