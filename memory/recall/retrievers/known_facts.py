"""Retrieve the sources of known facts: by meaning, profile value, preference and relation.

It returns the drawer a fact comes from, never the fact itself, so a wrong fact costs a place in the
ranking but never misleads the model.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from memory.facts.retrieval import FactFilter, FoundFact, facts_by_key, facts_matching, near_facts
from memory.facts.vocabulary import canonical_key, canonical_predicate, key_of
from memory.graph.traversal import Mention, find_named_entities, mentions_of, names_of
from memory.recall.types import Finding, SearchContext
from memory.search.queries import matching
from memory.text import tokenization
from memory.text.kinship import KIN, Kinship
from memory.text.patterns import UNSPACED, compile_words, patterns, table_of

FACT, PROFILE_VALUE, PREFERENCE, RELATION = 0.1, 0.7, 0.2, 0.3
"""What a certain match of each kind adds to a score: a similar fact, a profile value, a preference when
advice is asked for, a relation."""
VALUE_CERTAINTY = 0.9
RELATIVE, NAMED, FURTHER, BY_NAME = 0.8, 0.5, 0.35, 0.5
"""Certainty of relations: of the owner's relatives, of anyone named, and one step further; and of
drawers that merely name someone the question refers to."""
ENDED = 0.5
"""Factor for facts and relations that no longer hold at the time asked about."""
ASKED_FOR = 0.15
MIN_SIMILARITY = 0.1
FULL_PREFERENCE = 0.15
"""The similarity at which a preference is certain: a request for advice is far from it in meaning."""
MAX_KIN_FACTS = 20
MAX_NAMES, MAX_BY_NAME = 6, 20

PREFERENCES = FactFilter(
    kinds=("preference", "constraint", "instruction", "goal"),
    predicates=("allergic_to", "follows_diet", "has_condition", "avoids"),
)
# People have few of these, so the relation alone identifies someone.
CLOSE_RELATIONS = frozenset(
    (
        *("married_to", "engaged_to", "partner_of", "sibling_of", "child_of", "parent_of"),
        *("grandchild_of", "grandparent_of", "reports_to", "has_pet"),
    )
)
_WORK_KEYS = frozenset(("employer", "occupation"))
_STEM_LENGTH = 4
MAX_NAME_LENGTH = 3
MAX_UNSPACED_LENGTH = 6
MAX_GRAMS = 240

_PART = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*[+#]*")
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_TABLE = table_of(__file__)
_PATTERNS = patterns(_TABLE["words"])
_OWN = re.compile(_PATTERNS["own"], re.IGNORECASE)
_KEY_QUESTIONS = tuple(
    (re.compile(pattern, re.IGNORECASE), tuple(keys.split()))
    for keys, pattern in patterns(_TABLE["key_questions"]).items()
)
_ADVICE = compile_words(_PATTERNS["advice"], _PATTERNS["advice_unspaced"])
_UNSPACED_KIN = {word: kin for word, kin in KIN["zh"].items() if len(word) > 1}
_SPACED_KIN = {word: kin for code in ("es", "fr", "de", "ru", "en") for word, kin in KIN[code].items()}


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a question names: `grams`, word runs that may be names; `kin`, the owner's people and pets;
    and `keys`, the profile values it asks for."""

    grams: tuple[str, ...]
    kin: tuple[Kinship, ...]
    keys: tuple[str, ...]


class _Match(NamedTuple):
    """A drawer, how certainly it matters (0 to 1), the boost for certainty 1, and the fact or entity that
    led there."""

    drawer_id: UUID
    certainty: float
    boost: float
    kind: str
    source_id: UUID


def search(context: SearchContext, limit: int) -> Iterator[Finding]:
    """Up to `limit` drawers, best first: signals `known` (certainty, 0 to 1), `asked_for` (the same without
    facts that are only similar) and `known_boost`."""
    mentions = mentions_in(context.query.text)
    found: dict[UUID, list[_Match]] = {}
    facts = (
        *_similar(context, limit // 2),
        *_profile_values(context, mentions, limit // 6),
        *_preferences(context, limit // 4),
    )
    for match in (*facts, *_best(_Relations(context, mentions).matches(), limit // 2)):
        found.setdefault(match.drawer_id, []).append(match)
    findings = [_finding(drawer_id, matches) for drawer_id, matches in found.items()]
    findings.sort(key=lambda each: (-each.signals["known_boost"], str(each.drawer_id)))
    yield from findings[:limit]


def _best(matches: Iterable[_Match], limit: int) -> list[_Match]:
    """The most certain match of each of up to `limit` drawers."""
    best: dict[UUID, _Match] = {}
    for match in matches:
        if match.drawer_id not in best or match.certainty > best[match.drawer_id].certainty:
            best[match.drawer_id] = match
    return sorted(best.values(), key=lambda each: (-each.certainty, str(each.drawer_id)))[:limit]


def _finding(drawer_id: UUID, matches: Sequence[_Match]) -> Finding:
    retrievers: dict[str, tuple[UUID, ...]] = {}
    for kind in ("facts", "graph"):
        if sources := dict.fromkeys(match.source_id for match in matches if match.kind == kind):
            retrievers[kind] = tuple(sources)
    certainty = max(match.certainty for match in matches)
    boost = max(match.certainty * match.boost for match in matches)
    signals = {"known": certainty, "known_boost": boost}
    if asked_for := max((match.certainty for match in matches if match.boost > FACT), default=0.0):
        signals["asked_for"] = asked_for
    return Finding(drawer_id, signals, retrievers=retrievers)


def _similar(context: SearchContext, limit: int) -> Iterator[_Match]:
    """Facts whose statement is similar to the question."""
    if (meaning := context.meaning) is None:
        return
    for fact in near_facts(context.user_id, meaning.space, meaning.vector, context.date_range, limit):
        certainty = _discounted(fact, meaning.calibrated(fact.cosine))
        if certainty >= MIN_SIMILARITY:
            yield from _fact_matches(fact, certainty, FACT)


def _profile_values(context: SearchContext, mentions: Mentions, limit: int) -> Iterator[_Match]:
    """Profile values whose key the question asks for."""
    families = [kin.family for kin in mentions.kin]
    if keys := (*mentions.keys, *families):
        for fact in facts_by_key(context.user_id, keys, families, context.date_range, limit):
            yield from _fact_matches(fact, _discounted(fact, VALUE_CERTAINTY), PROFILE_VALUE)


def _preferences(context: SearchContext, limit: int) -> Iterator[_Match]:
    """Preferences and constraints on the subject, if the question asks for advice."""
    meaning = context.meaning
    if meaning is None or not asks_for_advice(context.query.text):
        return
    nearness = (meaning.space, meaning.vector)
    for fact in facts_matching(context.user_id, PREFERENCES, nearness, context.date_range, limit):
        similarity = meaning.calibrated(fact.cosine)
        if fact.holds and similarity > 0:
            yield from _fact_matches(fact, min(1.0, similarity / FULL_PREFERENCE), PREFERENCE)


def _discounted(fact: FoundFact, certainty: float) -> float:
    return certainty if fact.holds else certainty * ENDED


def _fact_matches(fact: FoundFact, certainty: float, boost: float) -> Iterator[_Match]:
    return (_Match(drawer_id, certainty, boost, "facts", fact.id) for drawer_id in fact.sources)


class _Relations:
    """Walks relations one or two steps from the people and things a question names, never through the
    owner, who is related to everything."""

    def __init__(self, context: SearchContext, mentions: Mentions) -> None:
        self._context = context
        self._mentions = mentions
        self._named, self._owner = find_named_entities(context.user_id, mentions.grams)

    @cached_property
    def _topics(self) -> frozenset[str]:
        return _topics(self._mentions.grams)

    def matches(self) -> Iterator[_Match]:
        """The drawers on the way, nearest first."""
        kin = list(self._relatives())
        yield from (_relation_match(mention, RELATIVE, entity_id) for mention, entity_id in kin)
        people = list(dict.fromkeys(entity_id for mention, entity_id in kin if mention.holds))
        named = [entity for entity in self._named if entity not in people]
        yield from self._neighbours(people, RELATIVE)
        mentions = self._mentions_of(named)
        yield from self._matches(mentions, named, NAMED)
        ends = {
            end for mention in mentions if mention.holds for end in (mention.subject_id, mention.object_id)
        }
        yield from self._neighbours(sorted(ends - {self._owner, *people, *named}, key=str), FURTHER)
        yield from self._by_name([*people, *named])

    def _neighbours(self, entities: Sequence[UUID], certainty: float) -> Iterator[_Match]:
        yield from self._matches(self._mentions_of(entities), entities, certainty)

    def _matches(
        self, mentions: Iterable[Mention], entities: Sequence[UUID], certainty: float
    ) -> Iterator[_Match]:
        for each in mentions:
            entity_id = each.subject_id if each.subject_id in entities else each.object_id
            asked_for = not self._topics.isdisjoint(_topics([each.relation]))
            yield _relation_match(each, certainty + (ASKED_FOR if asked_for else 0.0), entity_id)

    def _by_name(self, entities: Sequence[UUID]) -> Iterator[_Match]:
        """Drawers that name someone the question refers to only indirectly."""
        named = {gram.casefold() for gram in self._mentions.grams}
        for entity_id, name in names_of(self._context.user_id, entities)[:MAX_NAMES]:
            if name.casefold() not in named:
                words = tokenization.query_words(name)
                for row in matching(self._context.user_id, words, MAX_BY_NAME):
                    if row.coverage >= 1.0:
                        yield _Match(row.drawer_id, BY_NAME, RELATION, "graph", entity_id)

    def _relatives(self) -> Iterator[tuple[Mention, UUID]]:
        """From the owner to the people and pets that kinship words refer to."""
        if self._owner is None:
            return
        for kin in self._mentions.kin:
            ends = [
                (mention, mention.other(self._owner)) for mention in self._mentions_of([self._owner], kin)
            ]
            entities = self._named_relatives(kin, {other for _, other in ends})
            yield from ((mention, other) for mention, other in ends if other in entities)

    def _named_relatives(self, kin: Kinship, others: set[UUID]) -> set[UUID]:
        """Those named by facts; without such facts, everyone in a close relation."""
        families = (kin.family,)
        facts = facts_by_key(
            self._context.user_id, families, families, self._context.date_range, MAX_KIN_FACTS
        )
        names = [fact.object for fact in facts]
        called = set(find_named_entities(self._context.user_id, names)[0]) if names else set()
        return (others & called) or (others if kin.predicate in CLOSE_RELATIONS else set())

    def _mentions_of(self, entities: Sequence[UUID], kin: Kinship | None = None) -> list[Mention]:
        date_range = self._context.date_range
        relations = (kin.predicate,) if kin else ()
        return mentions_of(self._context.user_id, entities, (date_range.since, date_range.until), relations)


def _relation_match(mention: Mention, certainty: float, entity_id: UUID) -> _Match:
    discounted = certainty if mention.holds else certainty * ENDED
    return _Match(mention.drawer_id, discounted, RELATION, "graph", entity_id)


def _topics(names: Iterable[str]) -> frozenset[str]:
    """Keys, predicates and word beginnings by which a relation and a question match."""
    found: set[str] = set()
    for name in names:
        relation = canonical_predicate(name)
        found |= {relation, canonical_key(name), key_of(relation, relation)}
        found |= {part[:_STEM_LENGTH] for part in _PART.findall(relation) if len(part) >= _STEM_LENGTH}
    return frozenset(found | (_WORK_KEYS if found & _WORK_KEYS else frozenset()))


def mentions_in(text: str) -> Mentions:
    """What a question names. Kin and keys are recognised in six languages, names in any script."""
    words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(text)]
    grams = (*_runs(words), *_pieces(text))
    kin = tuple({found.label: found for found in _find_kin(text)}.values())
    # "My sister's job" asks for nothing of the owner's own.
    keys = () if kin else tuple(dict.fromkeys(_find_keys(text)))
    return Mentions(tuple(dict.fromkeys(grams))[:MAX_GRAMS], kin, keys)


def asks_for_advice(question: str) -> bool:
    """Whether a question asks for a recommendation."""
    return bool(_ADVICE.search(question))


def _runs(words: list[str]) -> Iterator[str]:
    """Runs of one to three words of at least three characters."""
    for length in range(MAX_NAME_LENGTH, 0, -1):
        for start in range(len(words) - length + 1):
            run = " ".join(words[start : start + length])
            if len(run) > 2:
                yield run


def _pieces(text: str) -> Iterator[str]:
    for run in _UNSPACED.findall(text):
        for length in range(min(MAX_UNSPACED_LENGTH, len(run)), 1, -1):
            yield from (run[start : start + length] for start in range(len(run) - length + 1))


def _find_kin(text: str) -> Iterator[Kinship]:
    for own in _OWN.finditer(text):
        named = [_POSSESSIVE.sub("", word) for word in _WORD.findall(own["what"].casefold())]
        for gram in _runs(named):
            if found := _SPACED_KIN.get(gram) or _SPACED_KIN.get(gram.removesuffix("s")):
                yield found
                break
    yield from (kin for word, kin in _UNSPACED_KIN.items() if f"我{word}" in text or f"我的{word}" in text)


def _find_keys(text: str) -> Iterator[str]:
    for own in _OWN.finditer(text):
        named = _WORD.findall(own["what"])
        for length in range(len(named), 0, -1):
            yield canonical_key(" ".join(named[:length]))
    for pattern, keys in _KEY_QUESTIONS:
        if pattern.search(text):
            yield from keys
