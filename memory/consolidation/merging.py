"""Merges facts that say the same: one stays, with the sources of all."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from uuid import UUID

from memory.changes.log import Change
from memory.changes.rows import RowDiff, added, changed
from memory.consolidation.knowledge import AUTHORITY_RANK, Knowledge, Source
from memory.facts.similarity import differs_materially
from memory.models import ChangeSet, Fact, FactSource
from memory.text.sanitizing import normalise

ARTICLES = frozenset({"a", "an", "the", "user", "users", "user's", "user’s"})
_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*|[^\w\s]")
_PUNCTUATION = frozenset(".,;:!?\"'’“”«»()[]…。！？，、；：-–—")

Sources = Mapping[UUID, Sequence[Source]]
SimilarIds = Mapping[UUID, Set[UUID]]


def merge_changes(knowledge: Knowledge, facts: Iterable[Fact]) -> Iterator[Change]:
    """Merge each of these facts with those that repeat it.

    The fact with the most authority and confidence stays, valid since the first time any of them was said;
    the others are closed and keep their own sources. Single-valued facts are skipped: a newer value ends the
    older one.
    """
    candidates = sorted((fact for fact in facts if not fact.single_valued), key=_preference)
    duplicates_of = _duplicate_finder(candidates, knowledge.similar)
    taken: set[UUID] = set()
    for fact in candidates:
        if fact.id in taken:
            continue
        others = [twin for twin in duplicates_of(fact) if twin.id not in taken]
        taken.update(each.id for each in (fact, *others))
        if others:
            yield _merge(fact, sorted(others, key=_preference), knowledge.sources)


def same_words(statement: str) -> tuple[str, ...]:
    """A statement without case, articles and punctuation, in word order."""
    plain = normalise("NFKC", statement).casefold()
    words = (word for word in _WORD.findall(plain) if word not in _PUNCTUATION)
    return tuple(word for word in words if word not in ARTICLES)


def _duplicate_finder(facts: Sequence[Fact], similar_ids: SimilarIds) -> Callable[[Fact], list[Fact]]:
    """A function that finds the other facts that say the same as one of them."""
    named: defaultdict[Hashable, list[Fact]] = defaultdict(list)
    by_id = {fact.id: fact for fact in facts}
    for fact in facts:
        for name in _duplicate_keys(fact):
            named[name].append(fact)

    def find(fact: Fact) -> list[Fact]:
        found = {twin.id: twin for name in _duplicate_keys(fact) for twin in named[name]}
        similar = (by_id[each] for each in similar_ids.get(fact.id, ()) if each in by_id)
        found |= {each.id: each for each in similar if _means_the_same(fact, each)}
        found.pop(fact.id, None)
        return list(found.values())

    return find


def _duplicate_keys(fact: Fact) -> tuple[Hashable, ...]:
    """Two keys for what a fact says; facts that share either are duplicates."""
    about = _subject(fact)
    parts = (fact.key.casefold(), *map(same_words, (fact.predicate, fact.object, fact.value)))
    return ("words", about, same_words(fact.statement)), ("parts", about, parts)


def _means_the_same(fact: Fact, other: Fact) -> bool:
    """Whether two facts that are similar by their vectors differ in nothing specific."""
    return (
        _subject(fact) == _subject(other)
        and same_words(fact.object) == same_words(other.object)
        and not differs_materially(fact.statement, other.statement)
    )


def _subject(fact: Fact) -> Hashable:
    people = tuple(sorted(fact.persons))
    return fact.kind, fact.memory_type, people, fact.location, _event_date(fact)


def _event_date(fact: Fact) -> Hashable:
    """The date that distinguishes events: the same words on two days describe two events."""
    if fact.memory_type != Fact.Memory.EPISODIC:
        return fact.event_time
    return fact.event_time or fact.valid_from.date()


def _preference(fact: Fact) -> tuple[int, float, int, str, UUID]:
    """Sort key: the best fact to keep first, then by id."""
    rank = AUTHORITY_RANK.get(fact.authority, 0)
    return -rank, -fact.confidence, -fact.times_seen, fact.valid_from.isoformat(), fact.id


def _merge(kept: Fact, others: Sequence[Fact], sources: Sources) -> Change:
    copies = tuple(_copied_sources(kept, others, sources))
    rows = (_updated(kept, others), *(_closed(other, kept) for other in others), *copies)
    return Change(
        ChangeSet.Kind.MERGED.value,
        "fact",
        kept.id,
        rows,
        tuple(other.id for other in others),
        {"merged": len(others)},
    )


def _updated(kept: Fact, others: Sequence[Fact]) -> RowDiff:
    diff = changed(kept, ("status",), valid_from=min(fact.valid_from for fact in (kept, *others)))
    return replace(diff, added={"times_seen": sum(other.times_seen for other in others)})


def _closed(other: Fact, kept: Fact) -> RowDiff:
    """Close a fact with an empty window, because the kept fact covers all of it."""
    return changed(
        other,
        status=Fact.Status.SUPERSEDED.value,
        valid_to=other.valid_from,
        superseded_by_id=kept.id,
        merged_into_id=kept.id,
    )


def _copied_sources(kept: Fact, others: Sequence[Fact], sources: Sources) -> Iterator[RowDiff]:
    """Copies of the others' sources for the kept fact."""
    known = {(source.drawer_id, source.start) for source in sources.get(kept.id, ())}
    for source in (each for other in others for each in sources.get(other.id, ())):
        if (source.drawer_id, source.start) not in known:
            known.add((source.drawer_id, source.start))
            copy = FactSource(
                user_id=kept.user_id,
                fact_id=kept.id,
                drawer_id=source.drawer_id,
                start=source.start,
                end=source.end,
                since=source.since,
            )
            yield added(copy)
