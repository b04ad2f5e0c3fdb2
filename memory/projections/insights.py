"""Insights: patterns in the facts, with their evidence, and which of them the owner dismissed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.owned import first_or_raise
from memory.changes.activity import NewEvent, record
from memory.models import ActivityEvent, Fact, FactSource, Insight, InsightSource
from memory.paging import Page, paginate
from memory.placement import lock_palace

OFTEN_DAYS = 3
MAX_EVIDENCE = 40
SHOWN_VALUES = 6


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact with the days on which it was said, in order."""

    fact: Fact
    days: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a rule found about a subject, in a sentence, with the facts it rests on."""

    rule: str
    subject: str
    sentence: str
    facts: tuple[Fact, ...]

    @property
    def digest(self) -> bytes:
        """Identifies this rule about this subject, whatever its evidence."""
        return sha256(f"{self.rule}\n{self.subject}".encode()).digest()


def patterns(evidence: Sequence[Evidence]) -> tuple[Pattern, ...]:
    """All patterns that the rules find in current and past facts."""
    return tuple(pattern for rule in RULES for pattern in rule(evidence))


def _often(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """The same thing, said on several days."""
    for each in _current(evidence):
        if len(each.days) >= OFTEN_DAYS:
            sentence = _("Said on %(count)s days, from %(first)s to %(last)s: %(what)s") % {
                "what": each.fact.statement,
                "count": len(each.days),
                "first": each.days[0].isoformat(),
                "last": each.days[-1].isoformat(),
            }
            yield Pattern("often", bytes(each.fact.content_hash).hex(), sentence, (each.fact,))


def _changed(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Several values, one after another, of something that has only one at a time."""
    for key, several in _grouped((each, each.fact.key) for each in evidence):
        held = [
            each.fact
            for each in several
            if each.fact.single_valued and each.fact.valid_from != each.fact.valid_to
        ]
        values = _without_repeats(held)
        if len(values) > 1:
            sentence = ngettext(
                "Your %(what)s changed once: %(values)s.",
                "Your %(what)s changed %(count)s times: %(values)s.",
                len(values) - 1,
            ) % {
                "what": key.replace("_", " "),
                "count": len(values) - 1,
                "values": " → ".join(fact.value for fact in values[-SHOWN_VALUES:]),
            }
            yield Pattern("changed", key, sentence, _kept(values))


def _both(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Something both liked and disliked."""
    tastes = [e for e in _current(evidence) if e.fact.predicate in {"likes", "dislikes"}]
    for thing, several in _grouped((each, each.fact.object.casefold()) for each in tastes):
        if len({each.fact.predicate for each in several}) == 2:
            sentence = _("You said that you like “%(thing)s”, and that you don’t.") % {
                "thing": several[0].fact.object
            }
            yield Pattern("both", thing, sentence, _kept(each.fact for each in several))


def _noted(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """What a model recorded as an insight."""
    for each in _current(evidence):
        if each.fact.kind == "insight":
            subject = bytes(each.fact.content_hash).hex()
            yield Pattern("noted", subject, each.fact.statement, (each.fact,))


RULES: tuple[Callable[[Sequence[Evidence]], Iterator[Pattern]], ...] = (_changed, _often, _both, _noted)


def _current(evidence: Iterable[Evidence]) -> list[Evidence]:
    return [each for each in evidence if each.fact.status == Fact.Status.ACTIVE]


def _grouped(pairs: Iterable[tuple[Evidence, str]]) -> list[tuple[str, list[Evidence]]]:
    found: dict[str, list[Evidence]] = {}
    for each, name in pairs:
        if name:
            found.setdefault(name, []).append(each)
    return sorted(found.items())


def _without_repeats(facts: Iterable[Fact]) -> list[Fact]:
    """The facts in order of their start, without those that repeat the value before."""
    kept: list[Fact] = []
    for fact in sorted(facts, key=lambda each: (each.valid_from, str(each.id))):
        if not kept or kept[-1].value.casefold() != fact.value.casefold():
            kept.append(fact)
    return kept


def _kept(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple(facts)[-MAX_EVIDENCE:]


PAGE = 30
# What the rules look at, and what pages show of a fact.
_READ = (
    *("user_id", "id", "kind", "key", "value", "statement", "predicate", "object", "single_valued"),
    *("status", "valid_from", "valid_to", "times_seen", "content_hash"),
)


@dataclass(frozen=True, slots=True)
class InsightView:
    """An insight in a sentence, with the facts it now rests on."""

    insight: Insight
    sentence: str
    facts: tuple[Fact, ...]


def insights(
    user_id: UUID, *, dismissed: bool = False, after: str = "", most: int = PAGE
) -> Page[InsightView]:
    """Insights that hold for today's facts, newest first.

    Those without enough evidence are left out. Raises CursorUnreadable.
    """
    found = Insight.objects.filter(user_id=user_id, dismissed_at__isnull=not dismissed)
    found = found.filter(Exists(_sources(user_id).filter(insight_id=OuterRef("id"))))
    page = paginate(found, "-found_at", "id", after, most)
    return Page(_insight_views(user_id, page.items), page.after)


def count_dismissed(user_id: UUID) -> int:
    """How many insights the owner dismissed."""
    return Insight.objects.filter(user_id=user_id, dismissed_at__isnull=False).count()


def renew_insights(user_id: UUID, now: datetime) -> int:
    """Look for patterns in today's facts; returns how many are new.

    Patterns that are no longer found are deleted, unless they were dismissed: those stay known, so that they
    do not come back. The search runs before anything is locked; facts deleted meanwhile are no evidence.
    """
    found = {pattern.digest: pattern for pattern in patterns(_evidence(user_id, None))}
    with transaction.atomic():
        lock_palace(user_id)
        known = {bytes(i.digest): i for i in Insight.objects.filter(user_id=user_id)}
        gone = [insight for digest, insight in known.items() if digest not in found]
        _delete_insights(user_id, gone)
        new = [_keep(user_id, found[digest], now) for digest in found if digest not in known]
        for digest, insight in known.items():
            if digest in found:
                _set_evidence(insight, found[digest].facts)
        if new:
            details = {"insights": [str(insight.id) for insight in new]}
            record(user_id, NewEvent(ActivityEvent.Kind.INSIGHTS_FOUND, None, details), now)
    return len(new)


def decide(user_id: UUID, insight_id: UUID, now: datetime, *, dismissed: bool) -> None:
    """Dismiss an insight, or show it again. Raises NotFound."""
    with transaction.atomic():
        lock_palace(user_id)
        insight = first_or_raise(Insight.objects.filter(user_id=user_id, id=insight_id))
        if dismissed is not (insight.dismissed_at is not None):
            insight.dismissed_at = now if dismissed else None
            insight.save(update_fields=("dismissed_at",))
            details = {"decision": "dismissed" if dismissed else "restored"}
            record(user_id, NewEvent(ActivityEvent.Kind.INSIGHT_DECIDED, insight.id, details), now)


def _evidence(user_id: UUID, fact_ids: Sequence[UUID] | None) -> list[Evidence]:
    """Current and past facts, all or some, with the days on which frequent ones were said."""
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
    insight = Insight.objects.create(user_id=user_id, rule=pattern.rule, digest=pattern.digest, found_at=now)
    _set_evidence(insight, pattern.facts)
    return insight


def _set_evidence(insight: Insight, facts: Iterable[Fact]) -> None:
    """Set the facts an insight rests on."""
    named = Fact.objects.filter(user_id=insight.user_id, id__in=[fact.id for fact in facts])
    wanted = set(named.filter(deleted_at=None).values_list("id", flat=True))
    own = _sources(insight.user_id).filter(insight_id=insight.id)
    there = set(own.values_list("fact_id", flat=True))
    own.filter(fact_id__in=there - wanted).delete()
    InsightSource.objects.bulk_create(
        InsightSource(user_id=insight.user_id, insight_id=insight.id, fact_id=fact_id)
        for fact_id in sorted(wanted - there)
    )


def _delete_insights(user_id: UUID, gone: Sequence[Insight]) -> None:
    ids = [insight.id for insight in gone]
    _sources(user_id).filter(insight_id__in=ids).delete()
    Insight.objects.filter(user_id=user_id, id__in=ids, dismissed_at=None).delete()


def _sources(user_id: UUID) -> QuerySet[InsightSource]:
    return InsightSource.objects.filter(user_id=user_id)


def _insight_views(user_id: UUID, rows: Sequence[Insight]) -> tuple[InsightView, ...]:
    """The sentence of each insight, from the facts it rests on that still exist."""
    links: dict[UUID, list[UUID]] = {}
    sources = _sources(user_id).filter(insight_id__in=[insight.id for insight in rows])
    for insight_id, fact_id in sources.values_list("insight_id", "fact_id"):
        links.setdefault(insight_id, []).append(fact_id)
    every = list({fact_id for several in links.values() for fact_id in several})
    evidence = {each.fact.id: each for each in _evidence(user_id, every)}
    views = []
    for insight in rows:
        own = [evidence[each] for each in links.get(insight.id, ()) if each in evidence]
        own.sort(key=lambda each: (each.fact.valid_from, str(each.fact.id)))
        pattern = next((p for p in patterns(own) if p.digest == bytes(insight.digest)), None)
        if pattern is not None:
            views.append(InsightView(insight, pattern.sentence, pattern.facts))
    return tuple(views)
