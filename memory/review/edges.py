"""Keeps the graph in step with what its owner decides about facts.

What a fact in force says of its owner is a relation, with the words the fact rests on as its source.
Sources that follow from decisions know their fact: they are written anew at each decision, and what
was read in the words themselves stays as it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.facts.versions import first_form
from memory.graph.assertion import Assertion, assert_relation, end_relation, retract
from memory.graph.resolution import find_entity
from memory.mining.rules.vocabulary import PREDICATES
from memory.mining.screening import MASK
from memory.models import OWNER, Fact, FactSource, RelationSource

LONGEST_NAME = 40
IN_FORCE = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation of the owner's as a fact states it. `decided` is that fact, if its owner decided
    about it."""

    relation: str
    object: str
    type: str
    since: datetime
    until: datetime | None
    single_valued: bool
    confidence: float
    decided: UUID | None = None


def follow(fact: Fact) -> None:
    """Let the graph say what a fact says after its owner's decisions, and what its words say when
    there are none any more. A fact that went up in another leaves its relation to it.

    Runs inside a transaction that holds the palace lock.
    """
    if fact.merged_into_id is not None:
        return
    written = RelationSource.objects.filter(user_id=fact.user_id, decided_fact_id=fact.id)
    retract(fact.user_id, list(written.values_list("id", flat=True)))
    first = first_form(fact)
    if first is None:
        return
    words = _words(fact)
    was = _edge(first, fact.id)
    told = _told(fact.user_id, was, [each.drawer_id for each in words]) if was else []
    now = _edge(fact, fact.id) if _is_in_force(fact) else None
    if was is not None:
        _end(was, now, told)
    if now is not None:
        _begin(now, words, told)


def state(fact: Fact) -> None:
    """Let the graph say what a fact that its owner wrote says.

    Runs inside a transaction that holds the palace lock.
    """
    edge = _edge(fact, None)
    if edge is not None and _is_in_force(fact):
        _begin(edge, _words(fact), ())


def _is_in_force(fact: Fact) -> bool:
    return fact.status in IN_FORCE and fact.deleted_at is None


def _words(fact: Fact) -> list[FactSource]:
    return list(FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id).order_by("id"))


def _edge(fact: Fact, decided: UUID | None) -> Edge | None:
    """The relation a fact stands for, if it is about a node of the graph."""
    known = PREDICATES.get(fact.predicate)
    name = fact.object or fact.value
    if known is None or not known.entity or not _is_name(name):
        return None
    return Edge(
        relation=fact.predicate,
        object=name,
        type=known.entity,
        since=fact.valid_from,
        until=fact.ended_at,
        single_valued=fact.single_valued,
        confidence=fact.confidence,
        decided=decided,
    )


def _is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST_NAME and MASK not in text and not text.startswith("to ")


def _told(user_id: UUID, edge: Edge, drawers: Iterable[UUID]) -> list[RelationSource]:
    """Where these drawers say that the relation holds."""
    entity = find_entity(user_id, edge.object, edge.type)
    if entity is None:
        return []
    sources = RelationSource.objects.filter(
        user_id=user_id,
        subject__type=OWNER,
        relation=edge.relation,
        object_id=entity.id,
        ends=False,
        drawer_id__in=set(drawers),
    )
    return list(sources.order_by("at", "id"))


def _end(was: Edge, now: Edge | None, told: Iterable[RelationSource]) -> None:
    """What was said and does not stand is over: from where the fact says something else, or from
    where it was said."""
    same = now is not None and (now.relation, now.object) == (was.relation, was.object)
    for source in told:
        if same and now and source.at >= now.since:
            continue
        at = source.at if now is None or same else max(source.at, now.since)
        end_relation(source.user_id, _assertion(was, source, at))


def _begin(now: Edge, words: Iterable[FactSource], told: Sequence[RelationSource]) -> None:
    """The relation holds from where the fact says so. One that can have only one value also takes
    the place of what the same words were understood as, where that began later."""
    later = [source for source in told if now.single_valued and source.at > now.since]
    for source in words:
        instead = {each.at for each in later if each.drawer_id == source.drawer_id}
        for at in sorted({now.since, *instead}):
            assert_relation(source.user_id, _assertion(now, source, at))
        if now.until is not None:
            end_relation(source.user_id, _assertion(now, source, now.until))


def _assertion(edge: Edge, words: FactSource | RelationSource, at: datetime) -> Assertion:
    start, end = words.start, words.end
    return Assertion(
        subject=(OWNER, OWNER),
        relation=edge.relation,
        object=(edge.object, edge.type),
        valid_from=at,
        valid_to=None,
        single_valued=edge.single_valued,
        confidence=edge.confidence,
        drawer_id=words.drawer_id,
        span=None if start is None or end is None else (start, end),
        decided=edge.decided,
    )
