"""Retrieve the sources of known facts: by meaning, profile value, preference and relation.

It returns the drawer a fact comes from, never the fact itself, so a wrong fact costs a place in the
ranking but never misleads the model.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from memory.facts.retrieval import FactFilter, FoundFact, facts_by_key, facts_matching, near_facts
from memory.facts.vocabulary import canonical_key, canonical_predicate, key_of
from memory.graph.mentions import Mention, find_named_entities, mentions_of, names_of
from memory.recall.retrievers.mentions import Mentions, asks_for_advice, mentions_in
from memory.recall.retrievers.types import Asked, Finding
from memory.search.queries import matching
from memory.text import tokenization
from memory.text.kinship import Kinship

FACT, VALUE, TASTE, RELATION = 0.1, 0.7, 0.2, 0.3
"""What a certain lead of each kind adds to a score: a similar fact, a profile value, a preference where
advice is asked, a relation."""
CERTAIN_VALUE = 0.9
KIN, NAMED, FURTHER, BY_NAME = 0.8, 0.5, 0.35, 0.5
"""Certainty of relations: of the owner's own people, of whoever is named, and one step further; and of
drawers that merely name somebody meant."""
ENDED = 0.5
"""Factor for facts and relations that no longer hold at the time asked about."""
ASKED_FOR = 0.15
MIN_SIMILARITY = 0.1
FULL_TASTE = 0.15
"""The similarity at which a preference is certain: advice is far from the taste it depends on."""
MAX_KIN_FACTS = 20
MAX_NAMES, MAX_BY_NAME = 6, 20

TASTES = FactFilter(
    kinds=("preference", "constraint", "instruction", "goal"),
    predicates=("allergic_to", "follows_diet", "has_condition", "avoids"),
)
# A person has few of these, so the relation alone says who is meant.
CLOSE = frozenset(
    ("married_to", "engaged_to", "partner_of", "sibling_of", "child_of", "parent_of", "reports_to", "has_pet")
)
_WORKING = frozenset(("employer", "occupation"))
_STEM = 4
_PART = re.compile(r"[^\W_]+")


class _Lead(NamedTuple):
    """A drawer, how certainly it matters (0 to 1), the boost for certainty 1, and the fact or entity that
    led there."""

    drawer_id: UUID
    certainty: float
    boost: float
    kind: str
    source_id: UUID


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """Up to `most` drawers, best first: signals `known` (certainty, 0 to 1) and `known_boost`."""
    mentions = mentions_in(asked.query.text)
    found: dict[UUID, list[_Lead]] = {}
    facts = (*_similar(asked, most // 2), *_values(asked, mentions, most // 6), *_tastes(asked, most // 4))
    for lead in (*facts, *_best(_Relations(asked, mentions).leads(), most // 2)):
        found.setdefault(lead.drawer_id, []).append(lead)
    findings = [_finding(drawer_id, leads) for drawer_id, leads in found.items()]
    findings.sort(key=lambda each: (-each.signals["known_boost"], str(each.drawer_id)))
    yield from findings[:most]


def _best(leads: Iterable[_Lead], most: int) -> list[_Lead]:
    """The most certain lead to each of up to `most` drawers."""
    best: dict[UUID, _Lead] = {}
    for lead in leads:
        if lead.drawer_id not in best or lead.certainty > best[lead.drawer_id].certainty:
            best[lead.drawer_id] = lead
    return sorted(best.values(), key=lambda each: (-each.certainty, str(each.drawer_id)))[:most]


def _finding(drawer_id: UUID, leads: Sequence[_Lead]) -> Finding:
    retrievers: dict[str, tuple[UUID, ...]] = {}
    for kind in ("facts", "graph"):
        if sources := dict.fromkeys(lead.source_id for lead in leads if lead.kind == kind):
            retrievers[kind] = tuple(sources)
    certainty = max(lead.certainty for lead in leads)
    boost = max(lead.certainty * lead.boost for lead in leads)
    return Finding(drawer_id, {"known": certainty, "known_boost": boost}, retrievers=retrievers)


def _similar(asked: Asked, most: int) -> Iterator[_Lead]:
    """Facts whose statement is similar to the question."""
    if (meaning := asked.meaning) is None:
        return
    for fact in near_facts(asked.user_id, meaning.space, meaning.vector, asked.date_range, most):
        certainty = _holding(fact, meaning.calibrated(fact.cosine))
        if certainty >= MIN_SIMILARITY:
            yield from _leads(fact, certainty, FACT)


def _values(asked: Asked, mentions: Mentions, most: int) -> Iterator[_Lead]:
    """Profile values whose key the question asks for."""
    families = [kin.family for kin in mentions.kin]
    if keys := (*mentions.keys, *families):
        for fact in facts_by_key(asked.user_id, keys, families, asked.date_range, most):
            yield from _leads(fact, _holding(fact, CERTAIN_VALUE), VALUE)


def _tastes(asked: Asked, most: int) -> Iterator[_Lead]:
    """Preferences and limits on the subject, where the question asks for advice."""
    meaning = asked.meaning
    if meaning is None or not asks_for_advice(asked.query.text):
        return
    nearness = (meaning.space, meaning.vector)
    for fact in facts_matching(asked.user_id, TASTES, nearness, asked.date_range, most):
        similarity = meaning.calibrated(fact.cosine)
        if fact.holds and similarity > 0:
            yield from _leads(fact, min(1.0, similarity / FULL_TASTE), TASTE)


def _holding(fact: FoundFact, certainty: float) -> float:
    return certainty if fact.holds else certainty * ENDED


def _leads(fact: FoundFact, certainty: float, boost: float) -> Iterator[_Lead]:
    return (_Lead(drawer_id, certainty, boost, "facts", fact.id) for drawer_id in fact.sources)


class _Relations:
    """Walks relations one or two steps from the people and things a question names, never through the
    owner, who is related to everything."""

    def __init__(self, asked: Asked, mentions: Mentions) -> None:
        self._asked = asked
        self._mentions = mentions
        meant = find_named_entities(asked.user_id, mentions.grams)
        self._owner, self._named = meant.owner, meant.named

    @cached_property
    def _topics(self) -> frozenset[str]:
        return _topics(self._mentions.grams)

    def leads(self) -> Iterator[_Lead]:
        """The drawers met, nearest first."""
        kin = list(self._to_kin())
        yield from (_lead(said, KIN, met) for said, met in kin)
        people = list(dict.fromkeys(met for said, met in kin if said.holds))
        named = [entity for entity in self._named if entity not in people]
        yield from self._around(people, KIN)
        near = self._said(named)
        yield from self._told(near, named, NAMED)
        ends = {end for said in near if said.holds for end in (said.subject_id, said.object_id)}
        yield from self._around(sorted(ends - {self._owner, *people, *named}, key=str), FURTHER)
        yield from self._by_name([*people, *named])

    def _around(self, entities: Sequence[UUID], certainty: float) -> Iterator[_Lead]:
        yield from self._told(self._said(entities), entities, certainty)

    def _told(self, said: Iterable[Mention], entities: Sequence[UUID], certainty: float) -> Iterator[_Lead]:
        for each in said:
            met = each.subject_id if each.subject_id in entities else each.object_id
            asked_for = not self._topics.isdisjoint(_topics([each.relation]))
            yield _lead(each, certainty + (ASKED_FOR if asked_for else 0.0), met)

    def _by_name(self, entities: Sequence[UUID]) -> Iterator[_Lead]:
        """Drawers with a name of someone the question refers to without naming them."""
        asked = {gram.casefold() for gram in self._mentions.grams}
        for entity_id, name in names_of(self._asked.user_id, entities)[:MAX_NAMES]:
            if name.casefold() not in asked:
                words = tokenization.query_words(name)
                for row in matching(self._asked.user_id, words, MAX_BY_NAME):
                    if row.coverage >= 1.0:
                        yield _Lead(row.drawer_id, BY_NAME, RELATION, "graph", entity_id)

    def _to_kin(self) -> Iterator[tuple[Mention, UUID]]:
        """From the owner to the people and pets meant by words of kinship."""
        if self._owner is None:
            return
        for kin in self._mentions.kin:
            ends = [(said, said.other(self._owner)) for said in self._said([self._owner], kin)]
            meant = self._meant(kin, {other for _, other in ends})
            yield from ((said, other) for said, other in ends if other in meant)

    def _meant(self, kin: Kinship, others: set[UUID]) -> set[UUID]:
        """Those named by facts; without such facts, everyone in a close relation."""
        families = (kin.family,)
        facts = facts_by_key(self._asked.user_id, families, families, self._asked.date_range, MAX_KIN_FACTS)
        names = [fact.object for fact in facts]
        called = set(find_named_entities(self._asked.user_id, names).named) if names else set()
        return (others & called) or (others if kin.predicate in CLOSE else set())

    def _said(self, entities: Sequence[UUID], kin: Kinship | None = None) -> list[Mention]:
        stretch = self._asked.date_range
        relations = (kin.predicate,) if kin else ()
        return mentions_of(self._asked.user_id, entities, (stretch.since, stretch.until), relations)


def _lead(said: Mention, certainty: float, met: UUID) -> _Lead:
    holding = certainty if said.holds else certainty * ENDED
    return _Lead(said.drawer_id, holding, RELATION, "graph", met)


def _topics(names: Iterable[str]) -> frozenset[str]:
    """Keys, predicates and word beginnings by which a relation and a question match."""
    found: set[str] = set()
    for name in names:
        relation = canonical_predicate(name)
        found |= {relation, canonical_key(name), key_of(relation, relation)}
        found |= {part[:_STEM] for part in _PART.findall(relation) if len(part) >= _STEM}
    return frozenset(found | (_WORKING if found & _WORKING else frozenset()))
