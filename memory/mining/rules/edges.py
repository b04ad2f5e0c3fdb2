"""The entities and relations of the graph that a user's facts stand for."""

from collections.abc import Iterable, Iterator

from memory.facts.vocabulary import PREDICATES
from memory.mining.rules.endings import claimed
from memory.mining.rules.matching import Found
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedEntity, ExtractedFact, ExtractedRelation

OWNER = "user"
LONGEST_NODE = 3

_PHRASE_TYPES = ("topic", "thing")


def entities(facts: Iterable[ExtractedFact]) -> tuple[ExtractedEntity, ...]:
    """Each entity the facts name, once, in order of first mention."""
    found: dict[tuple[str, str], ExtractedEntity] = {}
    for fact in facts:
        if _is_node(fact):
            kind = PREDICATES[fact.predicate].entity
            found.setdefault((fact.object.casefold(), kind), ExtractedEntity(fact.object, kind))
    return tuple(found.values())


def relations(found: Iterable[Found], turn: Turn) -> Iterator[ExtractedRelation]:
    """The edges from the user to the entities in the facts of one turn."""
    for item in found:
        fact = claimed(item)
        if not _is_node(fact):
            continue
        yield ExtractedRelation(
            message_id=fact.message_id,
            subject=OWNER,
            relation=fact.predicate,
            object=fact.object,
            quote=fact.quote,
            confidence=fact.confidence,
            single_valued=PREDICATES[fact.predicate].single_valued,
            valid_from=fact.valid_from,
            valid_to=(fact.valid_to or turn.said_at) if fact.ended else fact.valid_to,
            ended=fact.ended,
        )


def _is_node(fact: ExtractedFact) -> bool:
    known = PREDICATES.get(fact.predicate)
    if known is None or not known.entity:
        return False
    if known.entity not in _PHRASE_TYPES:
        return True
    short = len(fact.object.split()) <= LONGEST_NODE and len(fact.object) <= 40
    return short and not fact.object.casefold().startswith("to ")
