"""Plans a consolidation, without changing anything: duplicates to merge, unused facts to archive, and empty
places to remove."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from django.db import models
from django.db.models import Exists, OuterRef, QuerySet

from memory.changes.log import Change
from memory.changes.rows import RowDiff, added, changed, images, table_of
from memory.facts.similarity import differs_materially
from memory.graph.orphans import orphans
from memory.models import (
    ChangeSet,
    Closet,
    Drawer,
    Entity,
    EntityName,
    Fact,
    FactLink,
    FactSource,
    Room,
    Summary,
    Wing,
    WingName,
)
from memory.preferences import preferences_of
from memory.text.sanitizing import normalise

AUTHORITY_RANK = {"external": 0, "tool": 1, "assistant": 2, "user": 3}
"""The rank of each authority; facts of a higher one are kept."""
LASTING_KINDS = frozenset({"identity", "relationship", "constraint", "instruction"})
MAX_RETENTION_FACTOR = 4.0
RETENTION_PER_USE = 0.5
AVERAGE_IMPORTANCE = 0.5
GRACE = timedelta(days=7)
"""New places and entities may be about to be filled."""

_ARTICLES = frozenset({"a", "an", "the", "user", "users", "user's", "user’s"})
_WORD = re.compile(r"[^\W_]+(?:['’.,-][^\W_]+)*|[^\w\s]")
_PUNCTUATION = frozenset(".,;:!?\"'’“”«»()[]…。！？，、；：-–—")

Field = tuple[type[models.Model], str]


@dataclass(frozen=True, slots=True)
class Plan:
    """All changes planned at `made_at`, and the digest of the facts behind them."""

    changes: tuple[Change, ...]
    facts_digest: str
    made_at: datetime


class Source(NamedTuple):
    """A source of a fact: its range in a drawer, when the fact began according to it and how certain that is,
    and when it was said."""

    drawer_id: UUID
    start: int
    end: int
    since: datetime | None
    confidence: float | None
    said_at: datetime
    pinned: bool


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A user's facts in use, in order of their start, with their sources.

    `similar` maps a fact to those with the same meaning by their vectors.
    """

    facts: tuple[Fact, ...]
    sources: Mapping[UUID, Sequence[Source]]
    similar: Mapping[UUID, Set[UUID]]


def plan(user_id: UUID, now: datetime) -> Plan:
    """Plan all changes, without writing anything; no fact is changed twice."""
    knowledge = read_knowledge(user_id)
    changes = list(merge_changes(knowledge))
    merged = {key for change in changes for key in (change.subject_id, *change.others)}
    if days := preferences_of(user_id).archive_after_days:
        left = replace(knowledge, facts=tuple(fact for fact in knowledge.facts if fact.id not in merged))
        changes += archive_changes(left, retention=timedelta(days=days), now=now)
    return Plan((*changes, *removal_changes(user_id, now)), facts_digest(user_id), now)


def facts_digest(user_id: UUID) -> str:
    """A digest of all facts, their wording, validity and pins, without use counts."""
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None).order_by("id")
    columns = ("id", "status", "version", "valid_from", "valid_to", "superseded_by_id", "archived_at")
    digest = sha256()
    pinned = facts.filter(sources__drawer__pinned=True).distinct()
    for rows in (facts.values_list(*columns), pinned.values_list("id")):
        for row in rows.iterator(chunk_size=5_000):
            digest.update(repr(row).encode())
    return digest.hexdigest()


def read_knowledge(user_id: UUID) -> Knowledge:
    """The facts that are active, without an end and not archived, with their sources."""
    facts = Fact.objects.filter(
        user_id=user_id, status=Fact.Status.ACTIVE, deleted_at=None, valid_to=None, archived_at=None
    )
    return Knowledge(tuple(facts.order_by("valid_from", "id")), _sources(user_id), _similar(user_id))


def _sources(user_id: UUID) -> Mapping[UUID, Sequence[Source]]:
    rows = FactSource.objects.filter(user_id=user_id, fact__deleted_at=None).order_by("fact_id", "id")
    columns = ("drawer_id", "start", "end", "since", "confidence", "drawer__said_at", "drawer__pinned")
    found: defaultdict[UUID, list[Source]] = defaultdict(list)
    for fact_id, *source in rows.values_list("fact_id", *columns).iterator(chunk_size=5_000):
        found[fact_id].append(Source(*source))
    return found


def _similar(user_id: UUID) -> Mapping[UUID, Set[UUID]]:
    threshold = preferences_of(user_id).duplicate_similarity
    links = FactLink.objects.filter(user_id=user_id, similarity__gt=threshold).order_by("id")
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for one, other in links.values_list("fact_id", "other_id").iterator(chunk_size=5_000):
        found[one].add(other)
        found[other].add(one)
    return found


def merge_changes(knowledge: Knowledge) -> Iterator[Change]:
    """Merge facts that say the same: one stays, with the sources of all.

    The fact with the most authority and confidence stays, valid since the first time any of them was said;
    the others are closed and keep their own sources. Single-valued facts are skipped: a newer value ends the
    older one.
    """
    candidates = sorted((fact for fact in knowledge.facts if not fact.single_valued), key=_preference)
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
    words = _WORD.findall(normalise("NFKC", statement).casefold())
    return tuple(word for word in words if word not in _PUNCTUATION and word not in _ARTICLES)


def _duplicate_finder(
    facts: Sequence[Fact], similar: Mapping[UUID, Set[UUID]]
) -> Callable[[Fact], list[Fact]]:
    """A function that finds the other facts that say the same as one of them."""
    named: defaultdict[Hashable, list[Fact]] = defaultdict(list)
    by_id = {fact.id: fact for fact in facts}
    for fact in facts:
        for name in _duplicate_keys(fact):
            named[name].append(fact)

    def find(fact: Fact) -> list[Fact]:
        found = {twin.id: twin for name in _duplicate_keys(fact) for twin in named[name]}
        near = (by_id[each] for each in similar.get(fact.id, ()) if each in by_id)
        found |= {each.id: each for each in near if _means_the_same(fact, each)}
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
    """What a fact is about; the same words on two days describe two events."""
    is_event = fact.memory_type == Fact.Memory.EPISODIC
    date = fact.event_time or (fact.valid_from.date() if is_event else None)
    return fact.kind, fact.memory_type, tuple(sorted(fact.persons)), fact.location, date


def _preference(fact: Fact) -> tuple[int, float, int, str, UUID]:
    """Sort key: the best fact to keep first, then by id."""
    rank = AUTHORITY_RANK.get(fact.authority, 0)
    return -rank, -fact.confidence, -fact.times_seen, fact.valid_from.isoformat(), fact.id


def _merge(kept: Fact, others: Sequence[Fact], sources: Mapping[UUID, Sequence[Source]]) -> Change:
    start = min(fact.valid_from for fact in (kept, *others))
    counted = {"times_seen": sum(other.times_seen for other in others)}
    rows = [replace(changed(kept, ("status",), valid_from=start), added=counted)]
    rows += (_closed(other, kept) for other in others)
    rows += _copied_sources(kept, others, sources)
    ids, details = tuple(other.id for other in others), {"merged": len(others)}
    return Change(ChangeSet.Kind.MERGED.value, "fact", kept.id, tuple(rows), ids, details)


def _closed(other: Fact, kept: Fact) -> RowDiff:
    """Close a fact with an empty window, because the kept fact covers all of it."""
    return changed(
        other,
        status=Fact.Status.SUPERSEDED.value,
        valid_to=other.valid_from,
        superseded_by_id=kept.id,
        merged_into_id=kept.id,
    )


def _copied_sources(
    kept: Fact, others: Sequence[Fact], sources: Mapping[UUID, Sequence[Source]]
) -> Iterator[RowDiff]:
    """Copies of the others' sources for the kept fact."""
    known = {(source.drawer_id, source.start) for source in sources.get(kept.id, ())}
    copied = ("drawer_id", "start", "end", "since", "confidence")
    for source in (each for one in others for each in sources.get(one.id, ())):
        if (source.drawer_id, source.start) not in known:
            known.add((source.drawer_id, source.start))
            place = {name: getattr(source, name) for name in copied}
            yield added(FactSource(user_id=kept.user_id, fact_id=kept.id, **place))


def archive_changes(knowledge: Knowledge, *, retention: timedelta, now: datetime) -> Iterator[Change]:
    """Archive facts that were neither stated nor used for longer than the retention they have earned.

    An archived fact still holds; it is only no longer recalled unprompted. `retention` is that of a fact of
    average importance stated once; each time it is stated or recalled adds half of it, up to four times as
    much. Never archived are facts of LASTING_KINDS that the user stated, facts they approved or reworded, and
    facts that rest on a pinned drawer.
    """
    for fact in knowledge.facts:
        sources = knowledge.sources.get(fact.id, ())
        used = [fact.recorded_at, fact.valid_from, *(source.said_at for source in sources)]
        unused = now - max(*used, fact.last_recalled_at or fact.recorded_at)
        if unused > retention * _retention_factor(fact) and not _is_lasting(fact, sources):
            row = changed(fact, ("status", "times_seen", "times_recalled"), archived_at=now)
            details = {"days": unused.days, "times_seen": fact.times_seen}
            yield Change(ChangeSet.Kind.ARCHIVED.value, "fact", fact.id, (row,), details=details)


def _is_lasting(fact: Fact, sources: Iterable[Source]) -> bool:
    stated = fact.authority == "user" and fact.kind in LASTING_KINDS
    decided = bool(fact.review_reason) or fact.version > 1
    return stated or decided or any(source.pinned for source in sources)


def _retention_factor(fact: Fact) -> float:
    """The multiple of the base retention that a fact has earned.

    From 1 to 4 for its use, times a factor from a half to one and a half for its importance.
    """
    uses = fact.times_seen - 1 + fact.times_recalled
    use = min(MAX_RETENTION_FACTOR, 1.0 + RETENTION_PER_USE * uses)
    return use * (1.0 + fact.importance - AVERAGE_IMPORTANCE)


def removal_changes(user_id: UUID, now: datetime) -> Iterator[Change]:
    """Remove empty closets, rooms and wings, and entities without a relation, with their names.

    Anything in the trash counts as content, because it can be restored. Places that were merged into another
    stay, because their names redirect there.
    """
    before, itself = now - GRACE, OuterRef("id")
    closets = _empty(Closet, user_id, before, Drawer.objects.filter(closet_id=itself))
    kept_closets = Closet.objects.filter(room_id=itself).exclude(id__in=closets)
    rooms = _empty(Room, user_id, before, Drawer.objects.filter(room_id=itself), kept_closets)
    kept_rooms = Room.objects.filter(wing_id=itself).exclude(id__in=rooms)
    wings = _empty(Wing, user_id, before, Drawer.objects.filter(wing_id=itself), kept_rooms)
    entities = [entity.id for entity in orphans(user_id) if entity.created_at < before]
    yield from _removals(user_id, Closet, closets, (Summary, "closet_id"), (Closet, "merged_into_id"))
    yield from _removals(user_id, Room, rooms, (Summary, "subject_id"), (Room, "merged_into_id"))
    yield from _removals(user_id, Wing, wings, (WingName, "wing_id"), (Wing, "merged_into_id"))
    yield from _removals(user_id, Entity, entities, (EntityName, "entity_id"))


def _empty(
    model: type[models.Model], user_id: UUID, before: datetime, *contents: QuerySet[Any]
) -> list[UUID]:
    places = model._default_manager.filter(user_id=user_id, created_at__lt=before, merged_into_id=None)
    for content in contents:
        places = places.filter(~Exists(content.filter(user_id=user_id)))
    return list(places.order_by("id").values_list("id", flat=True))


def _removals(
    user_id: UUID, model: type[models.Model], ids: Sequence[UUID], *dependents: Field
) -> Iterator[Change]:
    """Remove these rows, each with the rows that refer to it."""
    rows = images(user_id, model, ids)
    for row_id in ids:
        diffs = []
        for child, field in dependents:
            found = child._default_manager.filter(user_id=user_id, **{field: row_id}).order_by("id")
            children = images(user_id, child, found.values_list("id", flat=True))
            diffs += [RowDiff(table_of(child), child_id, image, None) for child_id, image in children.items()]
        diffs.append(RowDiff(table_of(model), row_id, rows[row_id], None))
        yield Change(ChangeSet.Kind.REMOVED.value, model._meta.model_name or "", row_id, tuple(diffs))
