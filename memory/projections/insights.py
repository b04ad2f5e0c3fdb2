"""Insights: patterns in current facts, with their evidence. Only the owner's decisions are stored."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Q
from django.db.models.functions import Lower
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.owned import NotFound
from memory.changes.activity import record
from memory.facts.validity import certainty, is_less_certain
from memory.models import ActivityEvent, Fact, FactSource, Insight
from memory.paging import Page, after_moment, cut, moment_and_id
from memory.placement import locked_palace

OFTEN_DAYS = 3
MAX_EVIDENCE = 40
SHOWN_VALUES = 6
MAX_READ = 5_000
PAGE = 30
TASTES = ("dislikes", "likes")
_FIELDS = (
    *("user_id", "id", "kind", "key", "value", "statement", "predicate", "object", "single_valued"),
    *("status", "valid_from", "valid_to", "times_seen", "content_hash"),
    *("superseded_by_id", "mined_by", "authority", "event_time", "confidence", "review_reason"),
)
"""The fields that rules and pages read: thousands of facts are read, and few make a pattern."""


class Evidence(NamedTuple):
    """A fact with the days on which it was stated, in order."""

    fact: Fact
    days: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a rule found about a subject, as a sentence, with the supporting facts."""

    rule: str
    subject: str
    sentence: str
    facts: tuple[Fact, ...]
    dismissed_at: datetime | None = None

    @property
    def digest(self) -> bytes:
        """Identifies the rule and its subject, whatever the evidence."""
        return sha256(f"{self.rule}\n{self.subject}".encode()).digest()

    @property
    def id(self) -> UUID:
        """The same, for URLs."""
        return UUID(bytes=self.digest[:16])

    @property
    def found_at(self) -> datetime:
        """When its newest fact began."""
        return max(fact.valid_from for fact in self.facts)


def patterns(evidence: Sequence[Evidence]) -> tuple[Pattern, ...]:
    """All patterns that the rules find in current and past facts."""
    return tuple(pattern for rule in RULES for pattern in rule(evidence))


def _changed(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Successive values of something single-valued, without those clearly less certain than another, and
    without ages and birthdays."""
    facts = (each.fact for each in evidence if each.fact.predicate not in ("aged", "born_on"))
    single = (fact for fact in facts if fact.single_valued)
    for key, several in _grouped((fact.key, fact) for fact in single if fact.valid_from != fact.valid_to):
        surest = max(several, key=certainty)
        values = _without_repeats(fact for fact in several if not is_less_certain(fact, surest))
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
            yield Pattern("changed", key, sentence, tuple(values[-MAX_EVIDENCE:]))


def _often(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Something stated on several days."""
    for fact, days in evidence:
        if fact.status == Fact.Status.ACTIVE and len(days) >= OFTEN_DAYS:
            sentence = _("Said on %(count)s days, from %(first)s to %(last)s: %(what)s") % {
                "what": fact.statement,
                "count": len(days),
                "first": date_format(days[0], "j F Y"),
                "last": date_format(days[-1], "j F Y"),
            }
            yield Pattern("often", bytes(fact.content_hash).hex(), sentence, (fact,))


def _both(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Something the user both likes and dislikes."""
    current = (fact for fact, _days in evidence if fact.status == Fact.Status.ACTIVE)
    tastes = ((fact.object.casefold(), fact) for fact in current if fact.predicate in TASTES)
    for thing, facts in _grouped(tastes):
        if {fact.predicate for fact in facts} == set(TASTES):
            said = _("You said that you like “%(thing)s”, and that you don’t.")
            yield Pattern("both", thing, said % {"thing": facts[0].object}, tuple(facts[-MAX_EVIDENCE:]))


def _noted(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """What a model recorded as an insight."""
    for fact, _days in evidence:
        if fact.status == Fact.Status.ACTIVE and fact.kind == "insight":
            yield Pattern("noted", bytes(fact.content_hash).hex(), fact.statement, (fact,))


RULES: tuple[Callable[[Sequence[Evidence]], Iterator[Pattern]], ...] = (_changed, _often, _both, _noted)


def _grouped(named: Iterable[tuple[str, Fact]]) -> list[tuple[str, list[Fact]]]:
    found: dict[str, list[Fact]] = {}
    for name, fact in named:
        if name:
            found.setdefault(name, []).append(fact)
    return sorted(found.items())


def _without_repeats(facts: Iterable[Fact]) -> list[Fact]:
    """The facts in order of their start, without those that repeat the previous value or began with it."""
    kept: list[Fact] = []
    for fact in sorted(facts, key=lambda each: (each.valid_from, -certainty(each), str(each.id))):
        last = kept[-1] if kept else None
        if not last or (last.value.casefold() != fact.value.casefold() and last.valid_from < fact.valid_from):
            kept.append(fact)
    return kept


def insights(user_id: UUID, *, dismissed: bool = False, after: str = "", limit: int = PAGE) -> Page[Pattern]:
    """Patterns in current facts, or the dismissed ones, newest first. Raises CursorUnreadable."""
    kept = Insight.objects.filter(user_id=user_id).values_list("digest", "dismissed_at")
    decided = {bytes(digest): dismissed_at for digest, dismissed_at in kept}
    found = (replace(each, dismissed_at=decided.get(each.digest)) for each in patterns(_evidence(user_id)))
    rows = [each for each in found if dismissed is (each.dismissed_at is not None)]
    if after:
        last = moment_and_id(after)
        rows = [each for each in rows if (each.found_at, each.id) < last]
    rows.sort(key=lambda each: (each.found_at, each.id), reverse=True)
    return cut(rows, limit, lambda each: after_moment(each.found_at, each.id))


def count_dismissed(user_id: UUID) -> int:
    """How many insights the owner dismissed."""
    return Insight.objects.filter(user_id=user_id, dismissed_at__isnull=False).count()


def decide(user_id: UUID, insight_id: UUID, now: datetime, *, dismissed: bool) -> None:
    """Dismiss an insight, or show it again. Raises NotFound."""
    digests = {pattern.id: pattern.digest for pattern in patterns(_evidence(user_id))}
    if insight_id not in digests:
        raise NotFound
    with locked_palace(user_id):
        insight, _created = Insight.objects.get_or_create(user_id=user_id, digest=digests[insight_id])
        if dismissed is not (insight.dismissed_at is not None):
            insight.dismissed_at = now if dismissed else None
            insight.save(update_fields=("dismissed_at",))
            details = {"decision": "dismissed" if dismissed else "restored"}
            record(user_id, ActivityEvent.Kind.INSIGHT_DECIDED, details, now, subject_id=insight_id)


def _evidence(user_id: UUID) -> list[Evidence]:
    """The newest current and past facts that can make a pattern, with the days on which frequent ones were
    stated."""
    statuses = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED)
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None, status__in=statuses)
    facts = facts.annotate(thing=Lower("object"))
    liked = facts.filter(predicate="likes").values("thing")
    disliked = facts.filter(predicate="dislikes").values("thing")  # fewer: usually the first condition fails
    values = facts.filter(single_valued=True).values("key").annotate(values=Count("id")).filter(values__gt=1)
    found = facts.filter(
        Q(times_seen__gte=OFTEN_DAYS)
        | Q(kind="insight")
        | Q(single_valued=True, key__in=values.values("key"))
        | Q(predicate__in=TASTES, thing__in=disliked) & Q(thing__in=liked)
    )
    newest = list(found.order_by("-valid_from", "-id").only(*_FIELDS)[:MAX_READ])[::-1]
    days = _days(user_id, [fact.id for fact in newest if fact.times_seen >= OFTEN_DAYS])
    return [Evidence(fact, tuple(sorted(days.get(fact.id, ())))) for fact in newest]


def _days(user_id: UUID, fact_ids: Sequence[UUID]) -> dict[UUID, set[date]]:
    said = FactSource.objects.filter(user_id=user_id, fact_id__in=fact_ids, drawer__deleted_at=None)
    days: dict[UUID, set[date]] = {}
    for fact_id, at in said.values_list("fact_id", "drawer__said_at"):
        days.setdefault(fact_id, set()).add(at.date())
    return days
