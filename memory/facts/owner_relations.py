"""The owner's own relations, a projection of facts.

"The user works at Acme" is a fact and, because the object of `works_at` is an organisation, also a relation
between the owner and Acme with the same validity, or until the last rewording of the fact ends. Each source
of the fact yields a source of the relation with the same id, so the graph shows the same words. It replaces
what the same drawer asserts about the same relation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from memory.facts.statements import plain
from memory.facts.vocabulary import predicate_of
from memory.graph.relations import resettle, retract
from memory.graph.resolution import entity_for
from memory.models import OWNER, Fact, FactSource, RelationSource, reworded
from memory.text.secrets import holds_mask

HOLDS_OR_HELD = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED)
MAX_NAME_LENGTH = 80
MAX_PHRASE_LENGTH = 40
MAX_NAME_WORDS = 3
_PHRASES = ("topic", "thing")


def object_type(predicate: str, name: str) -> str:
    """The type of the entity to which a fact with this predicate and object relates its owner.

    Empty if the object is not a name.
    """
    entity = predicate_of(predicate).entity
    if not entity or holds_mask(name) or not 0 < len(name) <= MAX_NAME_LENGTH:
        return ""
    is_long = len(name) > MAX_PHRASE_LENGTH or len(name.split()) > MAX_NAME_WORDS
    is_phrase = entity in _PHRASES and (is_long or name.casefold().startswith("to "))
    return "" if is_phrase else entity


def project(user_id: UUID, facts: Iterable[Fact]) -> None:
    """Update the owner's relations after these facts were settled.

    Facts in the trash are skipped: their sources are hidden with their drawers and restored with them.
    """
    present = [fact for fact in facts if predicate_of(fact.predicate).entity and fact.deletion_id is None]
    if present:
        _Projection(user_id, present).write()


def forget_projection(user_id: UUID, fact_ids: Sequence[UUID]) -> None:
    """Delete the relations derived from these facts, whose meaning has changed."""
    derived = RelationSource.objects.filter(user_id=user_id, decided_fact_id__in=fact_ids)
    retract(user_id, derived.values_list("id", flat=True))


@dataclass(frozen=True, slots=True)
class _Edge:
    """The object and validity of a projected relation."""

    object_id: UUID
    start: datetime
    end: datetime | None


class _Projection:
    """The sources of the owner's relations derived from some facts, as they are and as they should be."""

    def __init__(self, user_id: UUID, facts: Sequence[Fact]) -> None:
        self._user_id = user_id
        self._facts = {fact.id: fact for fact in facts}
        same = Fact.objects.filter(reworded(), user_id=user_id, id__in=list(self._facts))
        self._reworded = set(same.values_list("id", flat=True))
        self._words: dict[UUID, list[FactSource]] = {fact_id: [] for fact_id in self._facts}
        sources = FactSource.objects.filter(user_id=user_id, fact_id__in=list(self._facts))
        for source in sources.select_related("drawer").order_by("id"):
            self._words[source.fact_id].append(source)
        known = RelationSource.objects.filter(user_id=user_id)
        self._known = list(known.filter(decided_fact_id__in=list(self._facts)))
        self._asserted = list(
            known.filter(
                decided_fact_id=None,
                ends=False,
                subject__type=OWNER,
                relation__in={fact.predicate for fact in facts},
                drawer_id__in={source.drawer_id for source in sources},
            )
        )

    def write(self) -> None:
        """Write what differs, and settle the affected relations."""
        wanted: dict[UUID, RelationSource] = {}
        stale: list[RelationSource] = []
        for fact in self._facts.values():
            edge = self._edge(fact)
            stale += self._replaced_assertions(fact, edge)
            wanted |= {each.id: each for each in self._sources(fact, edge)} if edge else {}
        known = {source.id: source for source in self._known}
        stale += [source for source in self._known if source.id not in wanted]
        changed = [each for each in wanted.values() if _differs(each, known.get(each.id))]
        before = [known[each.id] for each in changed if each.id in known]
        if not stale and not changed:
            return
        RelationSource.objects.filter(user_id=self._user_id, id__in=[each.id for each in stale]).delete()
        RelationSource.objects.bulk_create(
            changed,
            update_conflicts=True,
            unique_fields=("user", "id"),
            update_fields=_PROJECTED_FIELDS,
        )
        resettle(self._user_id, [*stale, *before, *changed])

    def _edge(self, fact: Fact) -> _Edge | None:
        name = fact.object or fact.value
        type_ = object_type(fact.predicate, name)
        is_valid = fact.deleted_at is None and fact.merged_into_id is None and fact.status in HOLDS_OR_HELD
        holds = fact.valid_to != fact.valid_from and (fact.valid_to or fact.status == Fact.Status.ACTIVE)
        if not type_ or not is_valid or not holds or not self._words[fact.id]:
            return None
        objects = {each.object_id for each in self._known if each.decided_fact_id == fact.id}
        if len(objects) != 1:  # keep a known one, which the owner may have split off
            objects = {entity_for(self._user_id, name, type_).id}
        return _Edge(objects.pop(), fact.valid_from, self._end(fact))

    def _end(self, fact: Fact) -> datetime | None:
        """When the relation ends that a fact states: with its last rewording."""
        for _step in self._facts:  # a chain has at most all of them
            successor = fact.superseded_by_id if fact.id in self._reworded else None
            later = self._facts.get(successor) if successor else None
            if later is None or plain(later.object) != plain(fact.object):
                break
            fact = later
        return fact.valid_to

    @cached_property
    def _owner(self) -> UUID:
        return entity_for(self._user_id, OWNER, OWNER).id

    def _sources(self, fact: Fact, edge: _Edge) -> list[RelationSource]:
        moments = _moments(self._words[fact.id], edge)
        return [
            RelationSource(
                user_id=self._user_id,
                id=source.id,
                subject_id=self._owner,
                relation=fact.predicate,
                object_id=edge.object_id,
                at=moments[source.id],
                until=edge.end,
                single_valued=fact.single_valued and predicate_of(fact.predicate).single_valued,
                confidence=fact.confidence,
                drawer_id=source.drawer_id,
                start=source.start,
                end=source.end,
                recorded_at=fact.recorded_at,
                decided_fact_id=fact.id,
            )
            for source in self._words[fact.id]
        ]

    def _replaced_assertions(self, fact: Fact, edge: _Edge | None) -> list[RelationSource]:
        """Sources of the same relation that were asserted independently of the fact."""
        drawers = {source.drawer_id for source in self._words[fact.id]}
        about = {each.object_id for each in self._known if each.decided_fact_id == fact.id and each.ends}
        about |= {edge.object_id} if edge else set()
        return [
            each
            for each in self._asserted
            if each.relation == fact.predicate and each.drawer_id in drawers and each.object_id in about
        ]


_PROJECTED_FIELDS = (
    *("subject_id", "relation", "object_id", "ends", "at", "until", "single_valued", "confidence"),
    *("drawer_id", "start", "end", "recorded_at", "decided_fact_id"),
)


def _differs(wanted: RelationSource, known: RelationSource | None) -> bool:
    return known is None or any(getattr(wanted, name) != getattr(known, name) for name in _PROJECTED_FIELDS)


def _moments(sources: Sequence[FactSource], edge: _Edge) -> dict[UUID, datetime]:
    """The moment each source contributes.

    That is the start of the relation for the first remaining source, and for those outside its validity.
    """
    said = {source.id: source.since or source.drawer.said_at for source in sources}
    live = [source.id for source in sources if source.drawer.deleted_at is None]
    first = min(live, key=lambda each: said[each], default=None)
    return {
        each: at if each != first and edge.start <= at and (edge.end is None or at < edge.end) else edge.start
        for each, at in said.items()
    }
