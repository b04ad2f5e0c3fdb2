"""File the facts and relations extracted from a window, with their source drawers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.facts.deduplication import find_duplicate
from memory.facts.filing import file_fact
from memory.facts.owner_relations import object_type
from memory.facts.similarity import NO_VECTORS, FactVectors
from memory.facts.statements import Statement, new_fact
from memory.facts.vocabulary import details_of, key_of, predicate_of
from memory.graph.relations import add_source, is_held, relation_source
from memory.graph.resolution import add_alias, entity_for
from memory.graph.resolution import key_of as key_of_name
from memory.mining.screening import NOT_CONFIDENT, REVIEW_THRESHOLD, screen
from memory.mining.transcripts import Transcript
from memory.mining.types import ExtractedFact, ExtractedRelation, Extraction, Refusal
from memory.models import OWNER, Drawer, Relation, RelationSource

SAVE_REQUEST_IMPORTANCE = 0.8
MIN_WORTH = 0.2
"""How likely times important a fact must be for a question: an event at .4, or a possession at .67."""


@dataclass(frozen=True, slots=True)
class FiledFacts:
    """What was filed, how much of it waits for review, and what was refused."""

    fact_ids: tuple[UUID, ...]
    relation_ids: tuple[UUID, ...]
    for_review: int
    refused: tuple[Refusal, ...]

    def details(self) -> dict[str, Any]:
        """The details of an activity event."""
        return {
            "facts": [str(fact_id) for fact_id in self.fact_ids],
            "relations": [str(relation_id) for relation_id in self.relation_ids],
            "for_review": self.for_review,
            "refused": [{"item": each.item, "reason": each.reason} for each in self.refused],
        }


def file_facts(
    transcript: Transcript,
    extraction: Extraction,
    drawers: Mapping[UUID, Drawer],
    review_threshold: float,
    vectors: FactVectors = NO_VECTORS,
) -> FiledFacts:
    """Store facts and relations whose turn has a drawer; the others were forgotten with their drawer.

    `vectors` are those of `statements_of(extraction)`; facts without one are compared later. Must run in a
    transaction that holds the palace lock."""
    user_id = transcript.user_id
    statements = [
        _statement(screen(fact, review_threshold), drawer, extraction)
        for fact in extraction.facts
        if (drawer := drawers.get(fact.message_id)) is not None
    ]
    known = _relations_of(user_id, drawers)
    _create_entities(user_id, extraction, drawers)
    statements.sort(key=lambda each: bool(each.fact.review_reason))  # nobody is asked about what is certain
    wanted = (each for each in statements if _is_worth_asking(each, review_threshold) or find_duplicate(each))
    filed = [fact for each in wanted if (fact := file_fact(each, vectors))]
    _file_relations(extraction, drawers)
    new = _relations_of(user_id, drawers) - known
    if drawers:
        _file_aliases(user_id, extraction)
    return FiledFacts(
        fact_ids=tuple(fact.id for fact in filed),
        relation_ids=tuple(sorted(new)),
        for_review=sum(bool(fact.review_reason) for fact in filed),
        refused=extraction.refused,
    )


def statements_of(extraction: Extraction) -> tuple[str, ...]:
    """The statements as they will be filed, with secrets masked, for embedding."""
    lasting = (fact for fact in extraction.facts if not fact.ended)
    return tuple(screen(fact).statement for fact in lasting)


def _statement(kept: ExtractedFact, drawer: Drawer, extraction: Extraction) -> Statement:
    fact = new_fact(
        drawer,
        kind=kept.kind,
        key=key_of(kept.predicate, kept.key),
        value=kept.value,
        statement=kept.statement,
        predicate=kept.predicate,
        object=kept.object,
        confidence=kept.confidence,
        authority=kept.authority,
        valid_from=_valid_from(kept, drawer.said_at),
        until=_valid_to(kept, drawer.said_at),
        single_valued=kept.single_valued,
        event_time=kept.event_time,
        persons=list(kept.persons),
        entities=_entity_names(kept, extraction),
        location=kept.location,
        topic=_topic(kept, extraction),
        importance=_importance(kept),
        mined_by=extraction.method,
        review_reason=kept.review_reason,
    )
    return Statement(fact, drawer, kept.span, kept.ended)


def _valid_from(fact: ExtractedFact, said_at: datetime) -> datetime:
    if fact.ended:
        return min(fact.valid_to or said_at, said_at)
    return fact.valid_from or said_at


def _is_worth_asking(statement: Statement, review_threshold: float) -> bool:
    """Whether a statement needs no review, or is likely and important enough to ask its owner about, who asks
    for more by a threshold above the default one."""
    fact = statement.fact
    is_new = fact.review_reason == NOT_CONFIDENT and not statement.ended
    is_asked_for = REVIEW_THRESHOLD <= fact.confidence < review_threshold
    return not is_new or is_asked_for or fact.confidence * fact.importance >= MIN_WORTH


def _entity_names(fact: ExtractedFact, extraction: Extraction) -> list[str]:
    """The entities of the window that this fact is about."""
    words = f"{fact.statement}\n{fact.value}".casefold()
    named = (entity.name for entity in extraction.entities)
    return list(dict.fromkeys(name for name in named if name.casefold() in words))


def _topic(fact: ExtractedFact, extraction: Extraction) -> str:
    topics = (place.topic for place in extraction.placements if place.message_id == fact.message_id)
    return next(topics, "")


def _importance(fact: ExtractedFact) -> float:
    """The usual importance of its kind, or more if the user explicitly asked to save the fact."""
    default = details_of(fact.kind).importance
    return max(default, SAVE_REQUEST_IMPORTANCE) if fact.predicate == "asked_to_remember" else default


def _valid_to(fact: ExtractedFact, said_at: datetime) -> datetime | None:
    """The end of something that was already over when it was said; a future end is ignored."""
    is_past = not fact.ended and fact.valid_to is not None and fact.valid_to <= said_at
    return fact.valid_to if is_past else None


def _relations_of(user_id: UUID, drawers: Mapping[UUID, Drawer]) -> set[UUID]:
    """The relations that have a source in these drawers."""
    drawer_ids = [drawer.id for drawer in drawers.values()]
    rows = Relation.objects.filter(user_id=user_id, drawer_id__in=drawer_ids, deleted_at=None)
    return set(rows.values_list("id", flat=True))


def _file_relations(extraction: Extraction, drawers: Mapping[UUID, Drawer]) -> None:
    """Record relations that do not follow from a fact of the same message, and all ended ones, because what
    they end may not follow from a fact. An assistant repeating a relation is not a source."""
    types, stated = _types(extraction), {_fact_identity(fact) for fact in extraction.facts}
    for relation in extraction.relations:
        drawer = drawers.get(relation.message_id)
        if drawer is None or (not relation.ended and _follows_from_fact(relation, stated)):
            continue
        source = _source(relation, drawer, types)
        if relation.ended or drawer.role != Drawer.Role.ASSISTANT or not is_held(source):
            add_source(source)


def _create_entities(user_id: UUID, extraction: Extraction, drawers: Mapping[UUID, Drawer]) -> None:
    """Create the entities that facts relate the owner to, with their type in the window."""
    types, stated = _types(extraction), {_fact_identity(fact) for fact in extraction.facts}
    for relation in extraction.relations:
        if relation.message_id in drawers and not relation.ended and _follows_from_fact(relation, stated):
            entity_for(user_id, *_typed(relation.object, types, relation.relation))


def _fact_identity(fact: ExtractedFact) -> tuple[UUID, str, str, bool]:
    return fact.message_id, fact.predicate, key_of_name(fact.object or fact.value), fact.ended


def _follows_from_fact(relation: ExtractedRelation, stated: Collection[tuple[UUID, str, str, bool]]) -> bool:
    """Whether a fact of the same message already states this relation of the owner."""
    said = (relation.message_id, relation.relation, key_of_name(relation.object), relation.ended)
    is_owners = key_of_name(relation.subject) == OWNER
    return is_owners and said in stated and bool(object_type(relation.relation, relation.object))


def _source(
    relation: ExtractedRelation, drawer: Drawer, types: Mapping[str, Sequence[str]]
) -> RelationSource:
    start = drawer.content.find(relation.quote) if relation.quote else -1
    return relation_source(
        drawer,
        _typed(relation.subject, types),
        relation.relation,
        _typed(relation.object, types, relation.relation),
        at=_start(relation, drawer.said_at),
        until=None if relation.ended else relation.valid_to,
        ends=relation.ended,
        single_valued=relation.single_valued,
        confidence=relation.confidence,
        start=None if start < 0 else start,
        end=None if start < 0 else start + len(relation.quote),
    )


def _types(extraction: Extraction) -> dict[str, list[str]]:
    """The types of each name in the window: "Paris" may be a person from Paris."""
    types: dict[str, list[str]] = {}
    for entity in extraction.entities:
        for name in (entity.name, *entity.aliases):
            types.setdefault(name.casefold(), []).append(entity.type)
    return types


def _typed(name: str, types: Mapping[str, Sequence[str]], predicate: str = "") -> tuple[str, str]:
    """A name with its type: the one that a predicate expects of its object, if the window allows it."""
    expected, said = predicate_of(predicate).entity, types.get(name.casefold(), ())
    if expected in said or not said:
        return name, expected or "thing"
    return name, said[0]


def _start(relation: ExtractedRelation, said_at: datetime) -> datetime:
    if relation.ended:
        return relation.valid_to or relation.valid_from or said_at
    start = relation.valid_from or said_at
    return min(start, relation.valid_to) if relation.valid_to else start


def _file_aliases(user_id: UUID, extraction: Extraction) -> None:
    for entity in extraction.entities:
        if entity.aliases:
            stored = entity_for(user_id, entity.name, entity.type)
            for alias in entity.aliases:
                add_alias(stored, alias)
