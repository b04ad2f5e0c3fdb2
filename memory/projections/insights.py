"""Insights: patterns in current facts, with their evidence. Only the owner's decisions are stored."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.owned import NotFound
from memory.changes.activity import NewEvent, record
from memory.models import ActivityEvent, Fact, FactSource, Insight
from memory.paging import Page, after_moment, cut, moment_and_id
from memory.placement import lock_palace

OFTEN_DAYS = 3
MAX_EVIDENCE = 40
SHOWN_VALUES = 6
MAX_READ = 5_000
TASTES = frozenset(("likes", "dislikes"))


class FactRow(NamedTuple):
    """The fields of a fact that rules and pages read, in the order of the model: thousands are read, and few
    make a pattern."""

    user_id: UUID
    id: UUID
    kind: str
    key: str
    value: str
    statement: str
    predicate: str
    object: str
    single_valued: bool
    status: str
    valid_from: datetime
    valid_to: datetime | None
    times_seen: int
    content_hash: bytes


FactLike = Fact | FactRow


class Evidence(NamedTuple):
    """A fact with the days on which it was stated, in order."""

    fact: FactLike
    days: tuple[date, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a rule found about a subject, as a sentence, with the supporting facts."""

    rule: str
    subject: str
    sentence: str
    facts: tuple[FactLike, ...]

    @property
    def digest(self) -> bytes:
        """Identifies the rule and its subject, whatever the evidence."""
        return sha256(f"{self.rule}\n{self.subject}".encode()).digest()

    @property
    def id(self) -> UUID:
        """The same, for URLs."""
        return UUID(bytes=self.digest[:16])


def patterns(evidence: Sequence[Evidence]) -> tuple[Pattern, ...]:
    """All patterns that the rules find in current and past facts."""
    return tuple(pattern for rule in RULES for pattern in rule(evidence))


def _often(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Something stated on several days."""
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
    """Successive values of something single-valued."""
    single = (each for each in evidence if each.fact.single_valued)
    held = (each for each in single if each.fact.valid_from != each.fact.valid_to)
    for key, several in _grouped((each, each.fact.key) for each in held):
        values = _without_repeats(each.fact for each in several)
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
            yield Pattern("changed", key, sentence, _latest(values))


def _both(evidence: Sequence[Evidence]) -> Iterator[Pattern]:
    """Something the user both likes and dislikes."""
    tastes = [(e, e.fact.object.casefold()) for e in _current(evidence) if e.fact.predicate in TASTES]
    named = ({thing for each, thing in tastes if each.fact.predicate == taste} for taste in TASTES)
    both = set.intersection(*named)
    for thing, several in _grouped(each for each in tastes if each[1] in both):
        sentence = _("You said that you like “%(thing)s”, and that you don’t.") % {
            "thing": several[0].fact.object
        }
        yield Pattern("both", thing, sentence, _latest(each.fact for each in several))


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


def _without_repeats(facts: Iterable[FactLike]) -> list[FactLike]:
    """The facts in order of their start, without those that repeat the previous value."""
    kept: list[FactLike] = []
    for fact in sorted(facts, key=lambda each: (each.valid_from, str(each.id))):
        if not kept or kept[-1].value.casefold() != fact.value.casefold():
            kept.append(fact)
    return kept


def _latest(facts: Iterable[FactLike]) -> tuple[FactLike, ...]:
    return tuple(facts)[-MAX_EVIDENCE:]


PAGE = 30


@dataclass(frozen=True, slots=True)
class InsightView:
    """A pattern for display, dated by its newest fact."""

    id: UUID
    rule: str
    found_at: datetime
    dismissed_at: datetime | None
    sentence: str
    facts: tuple[Fact, ...]


def insights(
    user_id: UUID, *, dismissed: bool = False, after: str = "", limit: int = PAGE
) -> Page[InsightView]:
    """Insights in current facts, or the dismissed ones, newest first.

    Raises CursorUnreadable.
    """
    kept = Insight.objects.filter(user_id=user_id).values_list("digest", "dismissed_at")
    decided = {bytes(digest): at for digest, at in kept}
    found = [_view(pattern, decided.get(pattern.digest)) for pattern in patterns(_evidence(user_id))]
    rows = [each for each in found if dismissed is (each.dismissed_at is not None)]
    if after:
        last = moment_and_id(after)
        rows = [each for each in rows if (each.found_at, each.id) < last]
    rows.sort(key=lambda each: (each.found_at, each.id), reverse=True)
    return cut(rows, limit, lambda each: after_moment(each.found_at, each.id))


def _view(pattern: Pattern, dismissed_at: datetime | None) -> InsightView:
    newest = max(fact.valid_from for fact in pattern.facts)
    names = FactRow._fields
    facts = tuple(
        Fact.from_db(DEFAULT_DB_ALIAS, names, [getattr(fact, name) for name in names])
        for fact in pattern.facts
    )
    return InsightView(pattern.id, pattern.rule, newest, dismissed_at, pattern.sentence, facts)


def count_dismissed(user_id: UUID) -> int:
    """How many insights the owner dismissed."""
    return Insight.objects.filter(user_id=user_id, dismissed_at__isnull=False).count()


def decide(user_id: UUID, insight_id: UUID, now: datetime, *, dismissed: bool) -> None:
    """Dismiss an insight, or show it again. Raises NotFound."""
    digests = {pattern.id: pattern.digest for pattern in patterns(_evidence(user_id))}
    if insight_id not in digests:
        raise NotFound
    with transaction.atomic():
        lock_palace(user_id)
        insight, _ = Insight.objects.get_or_create(user_id=user_id, digest=digests[insight_id])
        if dismissed is not (insight.dismissed_at is not None):
            insight.dismissed_at = now if dismissed else None
            insight.save(update_fields=("dismissed_at",))
            details = {"decision": "dismissed" if dismissed else "restored"}
            record(user_id, NewEvent(ActivityEvent.Kind.INSIGHT_DECIDED, insight_id, details), now)


def _evidence(user_id: UUID) -> list[Evidence]:
    """The newest current and past facts that rules read, with the days on which frequent ones were stated."""
    statuses = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED)
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None, status__in=statuses)
    often, noted = Q(times_seen__gte=OFTEN_DAYS), Q(kind="insight")
    facts = facts.filter(often | noted | Q(single_valued=True) | Q(predicate__in=TASTES))
    newest = facts.order_by("-valid_from", "-id").values_list(*FactRow._fields)[:MAX_READ]
    rows = [FactRow._make(row) for row in newest][::-1]
    days = _days(user_id, [fact.id for fact in rows if fact.times_seen >= OFTEN_DAYS])
    return [Evidence(fact, tuple(sorted(days.get(fact.id, ())))) for fact in rows]


def _days(user_id: UUID, fact_ids: Sequence[UUID]) -> dict[UUID, set[date]]:
    said = FactSource.objects.filter(user_id=user_id, fact_id__in=fact_ids, drawer__deleted_at=None)
    days: dict[UUID, set[date]] = {}
    for fact_id, at in said.values_list("fact_id", "drawer__said_at"):
        days.setdefault(fact_id, set()).add(at.date())
    return days
