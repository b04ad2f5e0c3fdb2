"""The entities and relations of the graph that a user's facts stand for."""

from collections.abc import Iterable, Iterator

from memory.mining.rules.matching import Found
from memory.mining.rules.vocabulary import PREDICATES
from memory.mining.types import ExtractedEntity, ExtractedFact, ExtractedRelation
from memory.transcripts import Turn

OWNER = "user"
LONGEST_NODE = 3

# What ended when the user says that something is over.
_ENDED = {"worked_at": "works_at", "lived_in": "lives_in"}
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
        fact = item.fact
        if not _is_node(fact):
            continue
        relation = _ENDED.get(fact.predicate, fact.predicate) if item.ended else fact.predicate
        yield ExtractedRelation(
            message_id=fact.message_id,
            subject=OWNER,
            relation=relation,
            object=fact.object,
            quote=fact.quote,
            confidence=fact.confidence,
            single_valued=PREDICATES[relation].single_valued,
            valid_from=None if item.ended else fact.valid_from,
            valid_to=(item.ended_at or turn.said_at) if item.ended else None,
            ended=item.ended,
        )


def _is_node(fact: ExtractedFact) -> bool:
    known = PREDICATES.get(fact.predicate)
    if known is None or not known.entity:
        return False
    if known.entity not in _PHRASE_TYPES:
        return True
    short = len(fact.object.split()) <= LONGEST_NODE and len(fact.object) <= 40
    return short and not fact.object.casefold().startswith("to ")
