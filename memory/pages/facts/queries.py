"""Reads facts for their pages: lists by kind, state and wing, what waits for a decision, and all
there is to say about one fact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory.facts.conflicts import contradicted_by
from memory.facts.queries import KnownFact, current_facts, with_quotes, with_words
from memory.facts.validity import values_of
from memory.models import Fact, FactLink, FactSource, FactVersion
from memory.outgoing import Outgoing
from memory.paging import Page, after_moment, moment_and_id
from memory.text.owner_sentences import for_owner

PAGE = 50
AROUND = 300
MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which facts to list: of a status, or all that were true at a moment; of a kind, of several,
    and of a wing when they are given."""

    status: str = Fact.Status.ACTIVE
    kind: str = ""
    wing_id: UUID | None = None
    at: datetime | None = None
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words around those a fact rests on; `start` and `end` count in `text`."""

    source: FactSource
    text: str
    start: int
    end: int
    cut_before: bool
    cut_after: bool


@dataclass(frozen=True, slots=True)
class Relative:
    """A fact that means much the same, how much in percent, and whether it says the same."""

    fact: Fact
    percent: int
    is_same: bool


@dataclass(frozen=True, slots=True)
class Version:
    """A form a fact had before its owner decided about it, or, if `undone`, after that."""

    number: int
    told: str
    status: str
    replaced_at: datetime
    undone: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """A fact that waits, what it contradicts, and what it could be merged into."""

    known: KnownFact
    against: KnownFact | None
    relatives: tuple[Relative, ...]


def facts_chosen(user_id: UUID, chosen: Chosen, after: str = "", most: int = PAGE) -> Page[KnownFact]:
    """Facts with their words, newest first. Raises CursorUnreadable."""
    page = _page(_chosen(user_id, chosen), after, most)
    return Page(with_quotes(user_id, page.items), page.after)


def waiting_facts(user_id: UUID, after: str = "", most: int = PAGE) -> Page[Waiting]:
    """Facts that wait for a decision, newest first, with all that is needed to decide. Raises
    CursorUnreadable."""
    page = _page(_chosen(user_id, Chosen(Fact.Status.PENDING)), after, most)
    return Page(waiting_with_all(user_id, page.items), page.after)


def waiting_with_all(user_id: UUID, facts: Sequence[Fact]) -> tuple[Waiting, ...]:
    """These facts with all that is needed to decide about them."""
    rivals = {fact.id: rival for fact in facts if (rival := contradicted_by(fact))}
    known = {each.fact.id: each for each in with_quotes(user_id, [*facts, *rivals.values()])}
    return tuple(
        Waiting(
            known[fact.id],
            known[rivals[fact.id].id] if fact.id in rivals else None,
            relatives_of(fact),
        )
        for fact in facts
    )


def evidence_of(fact: Fact) -> tuple[Evidence, ...]:
    """The words a fact rests on, each in its place, oldest first; those in the trash are left
    out."""
    sources = FactSource.objects.filter(user_id=fact.user_id, fact_id=fact.id, drawer__deleted_at=None)
    ordered = sources.select_related("drawer", "drawer__wing").order_by("drawer__said_at", "id")
    return tuple(_evidence(source) for source in ordered[:MOST_SHOWN])


def versions_of(fact: Fact) -> tuple[Version, ...]:
    """What the fact was before each decision, the latest first."""
    rows = FactVersion.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    return tuple(
        Version(
            row.number,
            _told(fact, row.content),
            str(Fact.Status(row.content["status"]).label),
            row.replaced_at,
            row.undone_at is not None,
        )
        for row in rows.order_by("-replaced_at", "-id")[:MOST_SHOWN]
    )


def _told(fact: Fact, content: Mapping[str, Any]) -> str:
    """The fact as it stood, in a sentence to its owner."""
    stood = ("predicate", "value", "object", "statement", "mined_by", "persons")
    return for_owner(
        Fact(**{name: content.get(name, getattr(fact, name)) for name in stood}),
        lambda: fact.words,
        over=False,
    )


def other_values(fact: Fact) -> tuple[Fact, ...]:
    """The other values of the same thing, in the order they held."""
    if not fact.single_valued:
        return ()
    values = values_of(fact.user_id, fact.key).exclude(id=fact.id)
    return with_words(fact.user_id, values.order_by("valid_from", "id")[:MOST_SHOWN])


def relatives_of(fact: Fact) -> tuple[Relative, ...]:
    """Facts that mean much the same and still stand or wait, the likest first."""
    links = FactLink.objects.filter(Q(fact_id=fact.id) | Q(other_id=fact.id), user_id=fact.user_id).order_by(
        "-likeness"
    )
    by_id = {
        (link.other_id if link.fact_id == fact.id else link.fact_id): link for link in links[:MOST_SHOWN]
    }
    facts = Fact.objects.filter(
        user_id=fact.user_id, id__in=by_id, deleted_at=None, merged_into_id=None
    ).exclude(status=Fact.Status.REJECTED)
    found = [
        Relative(
            each,
            round(100 * by_id[each.id].likeness),
            by_id[each.id].kind == FactLink.Kind.SAME,
        )
        for each in with_words(fact.user_id, facts)
    ]
    return tuple(sorted(found, key=lambda each: (-each.percent, each.fact.id)))


def _chosen(user_id: UUID, chosen: Chosen) -> QuerySet[Fact]:
    if chosen.at is not None:
        found = current_facts(user_id, chosen.at)
    else:
        found = Fact.objects.filter(user_id=user_id, status=chosen.status, deleted_at=None)
    if chosen.kind:
        found = found.filter(kind=chosen.kind)
    if chosen.kinds:
        found = found.filter(kind__in=chosen.kinds)
    if chosen.wing_id is not None:
        here = FactSource.objects.filter(
            user_id=user_id,
            fact_id=OuterRef("id"),
            drawer__wing_id=chosen.wing_id,
            drawer__deleted_at=None,
        )
        found = found.filter(Exists(here))
    return found.filter(merged_into_id=None)


def _page(found: QuerySet[Fact], after: str, most: int) -> Page[Fact]:
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(
            Q(valid_from__lt=moment) | Q(valid_from=moment, id__gt=last_id),
            valid_from__lte=moment,
        )
    rows = list(found.order_by("-valid_from", "id")[: most + 1])
    shown = rows[:most]
    more = len(rows) > most
    return Page(tuple(shown), after_moment(shown[-1].valid_from, shown[-1].id) if more else "")


def _evidence(source: FactSource) -> Evidence:
    content = source.drawer.content
    begin, stop = max(0, source.start - AROUND), min(len(content), source.end + AROUND)
    out = Outgoing(source.user_id)
    before, quote, after = (
        out.words(content, *part)
        for part in ((begin, source.start), (source.start, source.end), (source.end, stop))
    )
    return Evidence(
        source=source,
        text=before + quote + after,
        start=len(before),
        end=len(before + quote),
        cut_before=begin > 0,
        cut_after=stop < len(content),
    )
