"""Reads facts, their sources, and relations between entities."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Generic, TypeVar
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Greatest, JSONObject, Length, Substr
from django.utils import timezone

from memory.facts.endings import asked_endings
from memory.facts.validity import HOLDS_OR_HELD
from memory.models import (
    OWNER,
    ChangeSet,
    Drawer,
    Entity,
    Fact,
    FactEnding,
    FactSource,
    Relation,
    RelationSource,
    held_at,
    holding_reworded,
    reworded,
)
from memory.outgoing import MARGIN, Outgoing
from memory.paging import Page, paginate
from memory.text.owner_sentences import MAX_WORDS_LENGTH

SourceT = TypeVar("SourceT", FactSource, FactEnding, RelationSource)

UNAPPROVED = frozenset((Fact.Status.PENDING, Fact.Status.REJECTED))
PAGE = 50
RELATIONS_PER_PAGE = 40
MAX_PER_DRAWER = 60
_SOURCE_FIELDS = (
    *("user_id", "fact_id", "drawer_id", "start", "end", "drawer__user_id", "drawer__role"),
    *("drawer__speaker", "drawer__said_at"),
)
_PLACE_FIELDS = (
    *("drawer__wing__name", "drawer__wing__kind", "drawer__room__title"),
    *("drawer__pointer_wing", "drawer__pointer_room", "drawer__pointer_drawer"),
)


@dataclass(frozen=True, slots=True)
class Evidence(Generic[SourceT]):
    """A source of a fact or relation in its context, secrets masked; `start` and `end` are offsets in `text`,
    which is empty if only the drawer is known."""

    source: SourceT
    text: str
    start: int
    end: int
    cut_before: bool
    cut_after: bool

    @property
    def words(self) -> str:
        """The source words, cut to the length that a sentence about them needs."""
        return self.text[self.start : self.end][:MAX_WORDS_LENGTH]

    @property
    def drawer_id(self) -> UUID:
        """The drawer of the source."""
        return self.source.drawer_id

    @property
    def role(self) -> str:
        """Who said it."""
        return str(self.source.drawer.role)


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact with its sources, oldest first, without those in the trash."""

    fact: Fact
    quotes: tuple[Evidence[FactSource], ...]


@dataclass(frozen=True, slots=True)
class FactInDrawer:
    """A fact from a drawer, numbered from 1, with the character span of its words."""

    number: int
    fact: Fact
    start: int
    end: int


def current_facts(user_id: UUID, at: datetime | None = None) -> QuerySet[Fact]:
    """Facts that hold now, or that were true at a moment; not deleted or rejected."""
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None)
    if at is None:
        return facts.filter(status=Fact.Status.ACTIVE)
    return facts.filter(held_at(at), status__in=HOLDS_OR_HELD)


def mark_recalled(user_id: UUID, fact_ids: Iterable[UUID], now: datetime) -> None:
    """Count one more use of these facts in recall."""
    facts = Fact.objects.filter(user_id=user_id, id__in=set(fact_ids))
    facts.update(times_recalled=F("times_recalled") + 1, last_recalled_at=now)


def with_quotes(
    user_id: UUID, facts: Sequence[Fact], around: int = 0, *, places: bool = True
) -> tuple[KnownFact, ...]:
    """These facts in the same order, each with its quotes, this many characters around them, and their
    `places`. Sets their first source words, and whether they state a start and still hold in other words."""
    quotes: dict[UUID, list[Evidence[FactSource]]] = {fact.id: [] for fact in facts}
    for each in evidence_in(user_id, _sources(user_id, list(quotes), places=places), around):
        quotes[each.source.fact_id].append(each)
    set_reworded(user_id, facts)
    for fact in facts:
        fact.words = quotes[fact.id][0].words if quotes[fact.id] else ""
        fact.start_is_stated = fact.valid_from not in {q.source.drawer.said_at for q in quotes[fact.id]}
    return tuple(KnownFact(fact, tuple(quotes[fact.id])) for fact in facts)


def evidence_of(fact: Fact, around: int, limit: int) -> tuple[Evidence[FactSource], ...]:
    """The first sources of a fact, with this many characters around each."""
    return tuple(evidence_in(fact.user_id, _sources(fact.user_id, [fact.id], places=True), around, limit))


def _sources(user_id: UUID, fact_ids: Sequence[UUID], *, places: bool) -> QuerySet[FactSource]:
    """The sources of these facts, oldest first, with or without their places, without the text of drawers."""
    found = FactSource.objects.filter(user_id=user_id, fact_id__in=fact_ids).select_related("drawer")
    found = found.select_related("drawer__wing", "drawer__room") if places else found
    return found.only(*_SOURCE_FIELDS, *(_PLACE_FIELDS if places else ())).order_by("drawer__said_at", "id")


def with_words(user_id: UUID, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """These facts with what `with_quotes` sets."""
    return tuple(known.fact for known in with_quotes(user_id, tuple(facts), places=False))


def evidence_in(
    user_id: UUID, sources: QuerySet[SourceT], around: int = 0, limit: int | None = None
) -> Iterator[Evidence[SourceT]]:
    """These sources with this many characters around each, without those in the trash."""
    out = Outgoing(user_id)
    excerpts = sources.filter(drawer__deleted_at=None).annotate(
        near=Greatest(F("start") - around - MARGIN, 0),
        length=Length("drawer__content"),
        excerpt=Substr("drawer__content", F("near") + 1, F("end") - F("near") + around + MARGIN),
    )
    for source in excerpts[:limit]:
        if source.start is None or source.end is None:
            yield Evidence(source, "", 0, 0, False, False)
            continue
        begin, stop = max(0, source.start - around), min(source.length, source.end + around)
        cuts = [each - source.near for each in (begin, source.start, source.end, stop)]
        before, quote, after = (out.words(source.excerpt, *part) for part in pairwise(cuts))
        if begin > 0:
            before = before[before.find(" ") + 1 :]
        if stop < source.length:
            after = after[: after.rfind(" ")] if " " in after else after
        yield Evidence(
            source=source,
            text=before + quote + after,
            start=len(before),
            end=len(before + quote),
            cut_before=begin > 0,
            cut_after=stop < source.length,
        )


def set_reworded(user_id: UUID, facts: Sequence[Fact]) -> None:
    """Set which of these facts still hold in other words, in at most one query."""
    followed = [fact.id for fact in facts if fact.superseded_by_id]
    holding = holding_reworded(user_id, followed, timezone.now()) if followed else set()
    for fact in facts:
        fact.holds_reworded = fact.id in holding


def facts_in_drawer(user_id: UUID, drawer_id: UUID) -> tuple[FactInDrawer, ...]:
    """The facts extracted from a drawer, in text order."""
    sources = (
        FactSource.objects.filter(user_id=user_id, drawer_id=drawer_id, fact__deleted_at=None)
        .select_related("fact")
        .order_by("start", "end", "id")[:MAX_PER_DRAWER]
    )
    facts = with_words(user_id, [source.fact for source in sources])
    return tuple(
        FactInDrawer(number, fact, source.start, source.end)
        for number, (source, fact) in enumerate(zip(sources, facts, strict=True), start=1)
    )


def drawers_with_facts(user_id: UUID, drawer_ids: Sequence[UUID], kinds: Collection[str]) -> set[UUID]:
    """Those of the drawers that support a current fact of one of these kinds."""
    sources = FactSource.objects.filter(
        user_id=user_id,
        drawer_id__in=drawer_ids,
        fact__deleted_at=None,
        fact__status=Fact.Status.ACTIVE,
        fact__kind__in=kinds,
    )
    return set(sources.values_list("drawer_id", flat=True))


def relations_in_drawer(user_id: UUID, drawer_id: UUID) -> tuple[Relation, ...]:
    """The relations extracted from a drawer."""
    sources = RelationSource.objects.filter(user_id=user_id, drawer_id=drawer_id)
    found = Relation.objects.filter(user_id=user_id, id__in=sources.values("edge_id"), deleted_at=None)
    return tuple(for_display(found).order_by("valid_from", "id")[:MAX_PER_DRAWER])


@dataclass(frozen=True, slots=True)
class RelationChoice:
    """Which relations to list: of one entity or all, at any time or at a moment.

    `ended` includes those that had ended by then; `types` limits them to entities of these types and the
    owner.
    """

    entity_id: UUID | None = None
    at: datetime | None = None
    ended: bool = False
    types: frozenset[str] = frozenset()


def relations_at(
    user_id: UUID, choice: RelationChoice, *, after: str = "", limit: int = RELATIONS_PER_PAGE
) -> Page[Relation]:
    """A page of the chosen relations, newest first. Raises CursorUnreadable."""
    found = Relation.objects.filter(user_id=user_id, deleted_at=None)
    if choice.entity_id is not None:
        found = found.filter(Q(subject_id=choice.entity_id) | Q(object_id=choice.entity_id))
    if choice.types:
        types = {OWNER, *choice.types}
        found = found.filter(subject__type__in=types, object__type__in=types)
    if choice.at is not None:
        found = found.filter(Q(valid_from__lte=choice.at) if choice.ended else held_at(choice.at))
    return paginate(for_display(found), "-valid_from", "id", after, limit)


def owner_of(user_id: UUID) -> Entity | None:
    """The owner's entity, or None if there is none yet."""
    return Entity.objects.filter(user_id=user_id, type=OWNER).order_by("id").first()


def entity_of(user_id: UUID, entity_id: UUID) -> Entity | None:
    """One of the user's entities, or None."""
    return Entity.objects.filter(user_id=user_id, id=entity_id).first()


def entities_page(user_id: UUID, wanted: str = "", after: str = "", limit: int = PAGE) -> Page[Entity]:
    """A page of entities in order of creation, optionally those whose name contains the words of `wanted`.
    Raises CursorUnreadable."""
    found = Entity.objects.filter(user_id=user_id, merged_into_id=None)
    for word in wanted.split():
        found = found.filter(name__icontains=word)
    return paginate(found, "created_at", "id", after, limit)


def for_display(found: QuerySet[Relation]) -> QuerySet[Relation]:
    """These relations with what their sentence and its start are read from."""
    sources = RelationSource.objects.filter(
        user_id=OuterRef(OuterRef("user_id")), edge_id=OuterRef(OuterRef("id"))
    )
    facts = Fact.objects.filter(
        user_id=OuterRef("user_id"), id__in=sources.values("decided_fact_id"), deleted_at=None
    )
    stated = facts.order_by("-valid_from", "id").values(
        stated=JSONObject(statement="statement", object="object", value="value")
    )
    read = {"said_at": F("drawer__said_at"), "stated": Subquery(stated[:1])}
    return found.select_related("subject", "object").annotate(**read)


def count_by_status(user_id: UUID) -> dict[str, int]:
    """The number of facts by status, without those merged into others or continued in other words."""
    found = Fact.objects.filter(~reworded(), user_id=user_id, deleted_at=None, merged_into_id=None)
    return dict(found.values_list("status").annotate(number=Count("*")).order_by())


def count_waiting(user_id: UUID) -> int:
    """How many items await review: facts, and questions about whether a fact has ended."""
    waiting = Fact.objects.filter(user_id=user_id, status=Fact.Status.PENDING, deleted_at=None)
    return waiting.values("id").union(asked_endings(user_id).values("id"), all=True).count()


def notes_to_mark(user_id: UUID, fact_ids: Collection[UUID], *, sensitive: bool) -> QuerySet[Drawer]:
    """The notes behind these facts that are to be marked as sensitive, because a fact they support is not
    approved, or no longer. Marks that the owner set stay."""
    sources = FactSource.objects.filter(user_id=OuterRef("user_id"), drawer_id=OuterRef("id"))
    marks = ChangeSet.objects.filter(user_id=OuterRef("user_id"), subject_id=OuterRef("id"), undone_at=None)
    withheld = Exists(sources.filter(fact__status__in=UNAPPROVED))
    marked_by_owner = Exists(marks.filter(kind=ChangeSet.Kind.HIDDEN))
    notes = Drawer.objects.filter(user_id=user_id, role=Drawer.Role.NOTE, sensitive=not sensitive)
    notes = notes.filter(Exists(sources.filter(fact_id__in=fact_ids)))
    return notes.filter(withheld) if sensitive else notes.exclude(withheld | marked_by_owner)
