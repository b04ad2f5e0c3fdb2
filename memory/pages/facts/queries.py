"""Queries of the fact pages: lists by kind, status and wing, facts to review, and everything about a fact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory.facts.conflicts import CONFLICTING_RELATIONSHIP, UNDECIDED, contradicted_by
from memory.facts.endings import asked_endings
from memory.facts.queries import (
    Evidence,
    KnownFact,
    current_facts,
    evidence_in,
    evidence_of,
    with_quotes,
    with_words,
)
from memory.facts.validity import LESS_CERTAIN, values_of
from memory.mining.screening import NOT_CONFIDENT
from memory.models import Fact, FactEnding, FactLink, FactSource, FactVersion
from memory.paging import Page, paginate
from memory.text.forms import FORMS, question
from memory.text.owner_sentences import for_owner

PAGE = 50
CONTEXT_LENGTH = 300
MAX_SHOWN = 20
MAX_WAITING = 30
CONFLICTS = (UNDECIDED, LESS_CERTAIN, CONFLICTING_RELATIONSHIP)
_ENDING_FIELDS = ("user_id", "drawer_id", "start", "end", "drawer__user_id", "drawer__role")


@dataclass(frozen=True, slots=True)
class FactSelection:
    """Which facts to list: of a status or true at a moment, optionally of some kinds or of a wing."""

    status: str = Fact.Status.ACTIVE
    wing_id: UUID | None = None
    at: datetime | None = None
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SimilarFact:
    """A similar fact, its similarity in percent, and whether it is a duplicate."""

    fact: Fact
    percent: int
    is_duplicate: bool


@dataclass(frozen=True, slots=True)
class Version:
    """A fact as it was before a decision of its owner or, if `undone`, after it."""

    number: int
    sentence: str
    status: str
    replaced_at: datetime
    undone: bool


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A fact to review, the fact it contradicts, and those it could be merged into."""

    candidate: KnownFact
    contradicts: KnownFact | None
    similar_facts: tuple[SimilarFact, ...]

    @property
    def is_doubted(self) -> bool:
        """Whether it waits because its words could not be read with confidence."""
        return NOT_CONFIDENT in self.candidate.fact.review_reason

    @property
    def reason(self) -> str:
        """Why it waits; empty if its certainty or the fact it contradicts already says so."""
        reason = self.candidate.fact.review_reason
        is_said = reason == NOT_CONFIDENT or (self.contradicts and reason in CONFLICTS)
        return "" if is_said else reason

    @property
    def ends_rival(self) -> bool:
        """Whether approving it ends the fact it contradicts: both give the only value of one key."""
        fact = self.candidate.fact
        return bool(self.contradicts and fact.single_valued and fact.key == self.contradicts.fact.key)

    @property
    def question(self) -> str:
        """The question that both facts answer, if they contradict each other and their predicate is known."""
        predicate = self.candidate.fact.predicate
        return question(predicate) if self.contradicts and predicate in FORMS else ""


@dataclass(frozen=True, slots=True)
class EndingItem:
    """A fact that may have ended at `ended_at`, according to `quote`."""

    id: UUID
    fact: Fact
    ended_at: datetime
    quote: Evidence[FactEnding]


def facts_page(
    user_id: UUID, selection: FactSelection, after: str = "", limit: int = PAGE
) -> Page[KnownFact]:
    """A page of facts with their quotes, newest first. Raises CursorUnreadable."""
    page = paginate(select_facts(user_id, selection), "-valid_from", "id", after, limit)
    return Page(with_quotes(user_id, page.items), page.after)


def waiting_facts(user_id: UUID, after: str = "", limit: int = MAX_WAITING) -> Page[ReviewItem]:
    """Facts to review, newest first, with what is needed to decide. Raises CursorUnreadable."""
    page = paginate(
        select_facts(user_id, FactSelection(Fact.Status.PENDING)), "-valid_from", "id", after, limit
    )
    rivals = {fact.id: rival for fact in page.items if (rival := contradicted_by(fact))}
    known = {each.fact.id: each for each in with_quotes(user_id, [*page.items, *rivals.values()])}
    similar = _similar_facts(user_id, [fact.id for fact in page.items])
    against = {fact_id: known[rival.id] for fact_id, rival in rivals.items()}
    same = {key: tuple(each for each in several if each.is_duplicate) for key, several in similar.items()}
    items = (ReviewItem(known[each.id], against.get(each.id), same[each.id]) for each in page.items)
    return Page(tuple(items), page.after)


def endings_to_review(user_id: UUID, after: str = "", limit: int = MAX_WAITING) -> Page[EndingItem]:
    """Facts that may have ended, the latest ending first. Raises CursorUnreadable."""
    page = paginate(asked_endings(user_id), "-at", "id", after, limit)
    facts = Fact.objects.filter(user_id=user_id, id__in=[each.asked_id for each in page.items])
    by_id = {fact.id: fact for fact in with_words(user_id, facts)}
    endings = FactEnding.objects.filter(user_id=user_id, id__in=[each.id for each in page.items])
    quoted = evidence_in(user_id, endings.select_related("drawer").only(*_ENDING_FIELDS))
    quotes = {each.source.id: each for each in quoted}
    items = (
        EndingItem(each.id, by_id[each.asked_id], each.at, quotes[each.id])
        for each in page.items
        if each.asked_id in by_id and each.id in quotes
    )
    return Page(tuple(items), page.after)


def sources_of(fact: Fact) -> tuple[Evidence[FactSource], ...]:
    """The sources of a fact in their context, oldest first, without those in the trash."""
    return evidence_of(fact, CONTEXT_LENGTH, MAX_SHOWN)


def versions_of(fact: Fact) -> tuple[Version, ...]:
    """The earlier versions of a fact, newest first."""
    rows = FactVersion.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    return tuple(
        Version(
            row.number,
            _past_sentence(fact, row.content),
            _ended_status(row.content["status"]),
            row.replaced_at,
            row.undone_at is not None,
        )
        for row in rows.order_by("-replaced_at", "-id")[:MAX_SHOWN]
    )


def _ended_status(status: str) -> str:
    """The name of a status; empty for an active fact, because a version that was replaced is not current."""
    return "" if status == Fact.Status.ACTIVE else str(Fact.Status(status).label)


def _past_sentence(fact: Fact, content: Mapping[str, Any]) -> str:
    """An earlier version of a fact as a sentence to its owner."""
    stood = ("predicate", "value", "object", "statement", "mined_by", "authority", "persons")
    return for_owner(
        Fact(**{name: content.get(name, getattr(fact, name)) for name in stood}),
        lambda: fact.words,
        over=False,
    )


def other_values(fact: Fact) -> tuple[Fact, ...]:
    """The other values of a single-valued key, in order of time."""
    if not fact.single_valued:
        return ()
    values = values_of(fact.user_id, fact.key).exclude(id=fact.id)
    return with_words(fact.user_id, values.order_by("valid_from", "id")[:MAX_SHOWN])


def similar_facts_of(fact: Fact) -> tuple[SimilarFact, ...]:
    """Similar facts that were not rejected, most similar first."""
    return _similar_facts(fact.user_id, [fact.id])[fact.id]


def _similar_facts(user_id: UUID, fact_ids: Sequence[UUID]) -> Mapping[UUID, tuple[SimilarFact, ...]]:
    """The similar facts of several facts, none of which is rejected, deleted or merged."""
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None, merged_into_id=None)
    shown = facts.exclude(status=Fact.Status.REJECTED)
    either = Q(fact_id__in=fact_ids, other_id__in=shown.values("id"))
    either |= Q(other_id__in=fact_ids, fact_id__in=shown.values("id"))
    links: dict[UUID, dict[UUID, FactLink]] = {fact_id: {} for fact_id in fact_ids}
    for link in FactLink.objects.filter(either, user_id=user_id).order_by("-similarity"):
        for one, other in ((link.fact_id, link.other_id), (link.other_id, link.fact_id)):
            if one in links and len(links[one]) < MAX_SHOWN:
                links[one][other] = link
    ids = {other for several in links.values() for other in several}
    by_id = {each.id: each for each in with_words(user_id, shown.filter(id__in=ids))}
    return {fact_id: _ranked(several, by_id) for fact_id, several in links.items()}


def _ranked(links: Mapping[UUID, FactLink], by_id: Mapping[UUID, Fact]) -> tuple[SimilarFact, ...]:
    found = [
        SimilarFact(by_id[other], round(100 * link.similarity), link.kind == FactLink.Kind.SAME)
        for other, link in links.items()
        if other in by_id
    ]
    return tuple(sorted(found, key=lambda each: (-each.percent, each.fact.id)))


def select_facts(user_id: UUID, selection: FactSelection) -> QuerySet[Fact]:
    """The selected facts, unordered."""
    if selection.at is not None:
        found = current_facts(user_id, selection.at)
    else:
        found = Fact.objects.filter(user_id=user_id, status=selection.status, deleted_at=None)
    if selection.kinds:
        found = found.filter(kind__in=selection.kinds)
    if selection.wing_id is not None:
        here = FactSource.objects.filter(
            user_id=user_id,
            fact_id=OuterRef("id"),
            drawer__wing_id=selection.wing_id,
            drawer__deleted_at=None,
        )
        found = found.filter(Exists(here))
    return found.filter(merged_into_id=None)
