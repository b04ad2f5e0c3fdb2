"""The arm of the graph: from who and what a question names, along relations, to the words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from memory import lexical
from memory.facts.finding import facts_by_key
from memory.graph.mentions import Said, meant_by, names_of, said_of
from memory.mining.rules.table import Kinship
from memory.mining.rules.vocabulary import canonical_key, canonical_predicate, key_of
from memory.recall.arms.mentions import Mentions, family_of, mentions_in
from memory.recall.arms.types import Asked, Finding
from memory.searching import matching

KIN, NAMED, FURTHER, BY_NAME = 0.8, 0.5, 0.35, 0.5
"""What a relation counts for: of the owner's own people, of what is named, and one step on; and
what it counts for that somebody meant is named."""
MOST_BY_NAME = 20
MOST_NAMES = 6
ASKED_FOR = 0.15
OVER = 0.5
MOST_FACTS = 20

# Of these there are few, so that the relation alone says who is meant.
CLOSE = frozenset(
    ("married_to", "engaged_to", "partner_of", "sibling_of", "child_of", "parent_of", "reports_to")
) | {"has_pet"}
_WORKING = frozenset(("employer", "occupation"))
_STEM = 4
_PART = re.compile(r"[^\W_]+")


def search(asked: Asked, most: int) -> Iterator[Finding]:
    """The drawers that tell of relations one or two steps from who and what the question names, or
    that name somebody whom it means by another word: `relation`, 0 to 1. The owner is no way
    through."""
    found: dict[UUID, tuple[float, UUID]] = {}
    for step in _Walk(asked, mentions_in(asked.query.text)).steps():
        if step.worth > found.get(step.drawer_id, (0.0, step.met))[0]:
            found[step.drawer_id] = (step.worth, step.met)
    best = sorted(found.items(), key=lambda each: (-each[1][0], str(each[0])))
    for drawer_id, (worth, entity_id) in best[:most]:
        yield Finding(drawer_id, {"relation": worth}, brought_by={"graph": (entity_id,)})


@dataclass(frozen=True, slots=True)
class _Step:
    """A drawer on the way, what it is worth, and the entity it tells of."""

    drawer_id: UUID
    worth: float
    met: UUID


class _Walk:
    """The steps from what one question names."""

    def __init__(self, asked: Asked, mentions: Mentions) -> None:
        self._asked = asked
        self._mentions = mentions
        meant = meant_by(asked.user_id, mentions.grams)
        self._owner, self._named = meant.owner, meant.named

    @cached_property
    def _topics(self) -> frozenset[str]:
        return _topics(self._mentions.grams)

    def steps(self) -> Iterator[_Step]:
        """The drawers met, nearest first."""
        kin = list(self._to_kin())
        yield from (_step(said, KIN, met) for said, met in kin)
        people = list(dict.fromkeys(met for said, met in kin if said.holds))
        named = [entity for entity in self._named if entity not in people]
        yield from self._around(people, KIN)
        near = self._said(named)
        yield from self._told(near, named, NAMED)
        ends = {end for said in near if said.holds for end in (said.subject_id, said.object_id)}
        yield from self._around(sorted(ends - {self._owner, *people, *named}, key=str), FURTHER)
        yield from self._named_otherwise(people, BY_NAME)
        yield from self._named_otherwise(named, BY_NAME)

    def _around(self, entities: Sequence[UUID], worth: float) -> Iterator[_Step]:
        yield from self._told(self._said(entities), entities, worth)

    def _told(
        self, said: Iterable[Said], entities: Sequence[UUID], worth: float
    ) -> Iterator[_Step]:
        for each in said:
            met = each.subject_id if each.subject_id in entities else each.object_id
            asked_for = not self._topics.isdisjoint(_topics([each.relation]))
            yield _step(each, worth + (ASKED_FOR if asked_for else 0.0), met)

    def _named_otherwise(self, entities: Sequence[UUID], worth: float) -> Iterator[_Step]:
        """What has a name of theirs that the question does not have."""
        asked = {gram.casefold() for gram in self._mentions.grams}
        for entity_id, name in names_of(self._asked.user_id, entities)[:MOST_NAMES]:
            if name.casefold() not in asked:
                words = lexical.query_words(name)
                for row in matching(self._asked.user_id, words, MOST_BY_NAME):
                    if row.coverage >= 1.0:
                        yield _Step(row.drawer_id, worth, entity_id)

    def _to_kin(self) -> Iterator[tuple[Said, UUID]]:
        """From the owner to the people and animals meant by words of kinship."""
        if self._owner is None:
            return
        for kin in self._mentions.kin:
            ends = [(said, said.other(self._owner)) for said in self._said([self._owner], kin)]
            meant = self._meant(kin, {other for _, other in ends})
            yield from ((said, other) for said, other in ends if other in meant)

    def _meant(self, kin: Kinship, others: set[UUID]) -> set[UUID]:
        """Those whom facts call so; without such facts everybody in a close relation."""
        family = family_of(kin)
        facts = facts_by_key(
            self._asked.user_id, (family,), (family,), self._asked.stretch, MOST_FACTS
        )
        names = [fact.object for fact in facts]
        called = set(meant_by(self._asked.user_id, names).named) if names else set()
        return (others & called) or (others if kin.predicate in CLOSE else set())

    def _said(self, entities: Sequence[UUID], kin: Kinship | None = None) -> list[Said]:
        stretch = self._asked.stretch
        relations = (kin.predicate,) if kin else ()
        return said_of(self._asked.user_id, entities, (stretch.since, stretch.until), relations)


def _step(said: Said, worth: float, met: UUID) -> _Step:
    return _Step(said.drawer_id, worth if said.holds else worth * OVER, met)


def _topics(names: Iterable[str]) -> frozenset[str]:
    """Keys, relations and beginnings of words by which a relation and a question meet."""
    found: set[str] = set()
    for name in names:
        relation = canonical_predicate(name)
        found |= {relation, canonical_key(name), key_of(relation, relation)}
        found |= {part[:_STEM] for part in _PART.findall(relation) if len(part) >= _STEM}
    return frozenset(found | (_WORKING if found & _WORKING else frozenset()))
