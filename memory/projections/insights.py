"""Insights: which patterns stand, with their evidence, and which of them their owner dismissed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from memory.activity import Happening, record
from memory.cursors import Page, after_moment, moment_and_id
from memory.models import ActivityEvent, Fact, FactSource, Insight, InsightSource
from memory.placement import lock_palace
from memory.projections.patterns import OFTEN_DAYS, Evidence, Pattern, patterns

PAGE = 30
# What the rules look at and what pages show of a fact.
_READ = (
    "user_id",
    "id",
    "kind",
    "key",
    "value",
    "statement",
    "predicate",
    "object",
    "single_valued",
    "persons",
    "status",
    "valid_from",
    "valid_to",
    "times_seen",
    "content_hash",
)


class NoSuchInsight(Exception):
    """This person has no such insight."""


@dataclass(frozen=True, slots=True)
class ToldInsight:
    """An insight in a sentence, with the facts it rests on now."""

    insight: Insight
    sentence: str
    facts: tuple[Fact, ...]


def insights(
    user_id: UUID, *, dismissed: bool = False, after: str = "", most: int = PAGE
) -> Page[ToldInsight]:
    """Insights that hold of the facts as they are now, newest first. One whose evidence is no
    longer enough is left out. Raises CursorUnreadable."""
    found = Insight.objects.filter(user_id=user_id, dismissed_at__isnull=not dismissed)
    found = found.filter(Exists(_sources(user_id).filter(insight_id=OuterRef("id"))))
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(found_at__lt=moment) | Q(found_at=moment, id__gt=last_id))
    rows = list(found.order_by("-found_at", "id")[: most + 1])
    shown = rows[:most]
    more = len(rows) > most
    told = _told(user_id, shown)
    return Page(told, after_moment(shown[-1].found_at, shown[-1].id) if more else "")


def count_dismissed(user_id: UUID) -> int:
    """How many insights their owner dismissed."""
    return Insight.objects.filter(user_id=user_id, dismissed_at__isnull=False).count()


def renew_insights(user_id: UUID, now: datetime) -> int:
    """Look for patterns in the facts as they are now; returns how many are new.

    What is found no more goes, unless it was dismissed: then it stays known, so that it does not
    come back. The looking is done before anything is locked; facts that go meanwhile are no
    evidence.
    """
    found = {pattern.digest: pattern for pattern in patterns(_evidence(user_id, None))}
    with transaction.atomic():
        lock_palace(user_id)
        known = {bytes(i.digest): i for i in Insight.objects.filter(user_id=user_id)}
        gone = [insight for digest, insight in known.items() if digest not in found]
        _let_go(user_id, gone)
        new = [_keep(user_id, found[digest], now) for digest in found if digest not in known]
        for digest, insight in known.items():
            if digest in found:
                _rest_on(insight, found[digest].facts)
        if new:
            details = {"insights": [str(insight.id) for insight in new]}
            record(user_id, Happening(ActivityEvent.Kind.INSIGHTS_FOUND, None, details), now)
    return len(new)


def dismiss(user_id: UUID, insight_id: UUID, now: datetime) -> None:
    """Show an insight no more. Raises NoSuchInsight."""
    _set(user_id, insight_id, now, "dismissed")


def restore(user_id: UUID, insight_id: UUID, now: datetime) -> None:
    """Show a dismissed insight again. Raises NoSuchInsight."""
    _set(user_id, insight_id, now, "restored")


def _set(user_id: UUID, insight_id: UUID, now: datetime, decision: str) -> None:
    with transaction.atomic():
        lock_palace(user_id)
        insight = Insight.objects.filter(user_id=user_id, id=insight_id).first()
        if insight is None:
            raise NoSuchInsight
        dismissed = decision == "dismissed"
        if dismissed is not (insight.dismissed_at is not None):
            insight.dismissed_at = now if dismissed else None
            insight.save(update_fields=("dismissed_at",))
            kind = ActivityEvent.Kind.INSIGHT_DECIDED
            record(user_id, Happening(kind, insight.id, {"decision": decision}), now)


def _evidence(user_id: UUID, fact_ids: Sequence[UUID] | None) -> list[Evidence]:
    """Facts that hold or held, all or some, with the days on which those said often were said."""
    standing = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED)
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None, status__in=standing)
    if fact_ids is not None:
        facts = facts.filter(id__in=fact_ids)
    rows = list(facts.only(*_READ).order_by("valid_from", "id"))
    days = _days(user_id, [fact.id for fact in rows if fact.times_seen >= OFTEN_DAYS])
    return [Evidence(fact, tuple(sorted(days.get(fact.id, ())))) for fact in rows]


def _days(user_id: UUID, fact_ids: Sequence[UUID]) -> dict[UUID, set[date]]:
    said = FactSource.objects.filter(user_id=user_id, fact_id__in=fact_ids, drawer__deleted_at=None)
    days: dict[UUID, set[date]] = {}
    for fact_id, at in said.values_list("fact_id", "drawer__said_at"):
        days.setdefault(fact_id, set()).add(at.date())
    return days


def _keep(user_id: UUID, pattern: Pattern, now: datetime) -> Insight:
    insight = Insight.objects.create(
        user_id=user_id, rule=pattern.rule, digest=pattern.digest, found_at=now
    )
    _rest_on(insight, pattern.facts)
    return insight


def _rest_on(insight: Insight, facts: Iterable[Fact]) -> None:
    """Let an insight rest on these facts and no other."""
    named = Fact.objects.filter(user_id=insight.user_id, id__in=[fact.id for fact in facts])
    wanted = set(named.filter(deleted_at=None).values_list("id", flat=True))
    own = _sources(insight.user_id).filter(insight_id=insight.id)
    there = set(own.values_list("fact_id", flat=True))
    own.filter(fact_id__in=there - wanted).delete()
    InsightSource.objects.bulk_create(
        InsightSource(user_id=insight.user_id, insight_id=insight.id, fact_id=fact_id)
        for fact_id in sorted(wanted - there)
    )


def _let_go(user_id: UUID, gone: Sequence[Insight]) -> None:
    ids = [insight.id for insight in gone]
    _sources(user_id).filter(insight_id__in=ids).delete()
    Insight.objects.filter(user_id=user_id, id__in=ids, dismissed_at=None).delete()


def _sources(user_id: UUID) -> QuerySet[InsightSource]:
    return InsightSource.objects.filter(user_id=user_id)


def _told(user_id: UUID, rows: Sequence[Insight]) -> tuple[ToldInsight, ...]:
    """What each insight says of the facts it rests on, those that still stand."""
    links: dict[UUID, list[UUID]] = {}
    sources = _sources(user_id).filter(insight_id__in=[insight.id for insight in rows])
    for insight_id, fact_id in sources.values_list("insight_id", "fact_id"):
        links.setdefault(insight_id, []).append(fact_id)
    every = list({fact_id for several in links.values() for fact_id in several})
    evidence = {each.fact.id: each for each in _evidence(user_id, every)}
    told = []
    for insight in rows:
        own = [evidence[each] for each in links.get(insight.id, ()) if each in evidence]
        own.sort(key=lambda each: (each.fact.valid_from, str(each.fact.id)))
        pattern = next((p for p in patterns(own) if p.digest == bytes(insight.digest)), None)
        if pattern is not None:
            told.append(ToldInsight(insight, pattern.sentence, pattern.facts))
    return tuple(told)
