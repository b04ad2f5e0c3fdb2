"""The timeline: past and upcoming events by their own date, and when current facts about the owner began.

Stated dates are not converted to the owner's time zone: an appointment on the 3rd could move to the 2nd.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from enum import StrEnum
from uuid import UUID

from django.db.models import Case, DateTimeField, Exists, F, OuterRef, Q, QuerySet, When
from django.db.models.functions import Cast, ExtractYear, TruncDate, TruncDay

from memory.facts.queries import KnownFact, current_facts, with_quotes
from memory.models import Fact, FactSource
from memory.paging import Page, paginate
from memory.preferences import preferences_of, zone_of
from memory.text.date_patterns import MONTHS


class InvalidDate(ValueError):
    """There is no such year, month or day."""


@dataclass(frozen=True, slots=True)
class Period:
    """All time, a year, a month or a day.

    Raises InvalidDate, also for a month without its year and a day without its month.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        given = [each is not None for each in (self.year, self.month, self.day)]
        if given != sorted(given, reverse=True):
            raise InvalidDate
        try:
            date(*(1 if each is None else each for each in (self.year, self.month, self.day)))
        except ValueError as error:
            raise InvalidDate from error

    @property
    def first(self) -> datetime | None:
        """Its first instant, in the form in which dates without a time are stored; None for all time."""
        if self.year is None:
            return None
        return datetime(self.year, self.month or 1, self.day or 1, tzinfo=UTC)

    @property
    def last(self) -> datetime | None:
        """Its last instant; None for all time."""
        if self.year is None:
            return None
        month = self.month or 12
        day = self.day or monthrange(self.year, month)[1]
        return datetime.combine(date(self.year, month, day), time.max, UTC)


ALL_TIME = Period()


PAGE = 40

_ABOUT_A_MONTH, _ABOUT_A_YEAR = re.compile(r"\(about \d{4}-\d\d\)"), re.compile(r"\(about \d{4}\)")
_MONTH = "|".join((*MONTHS.values(), "janeiro"))
_THE_FIRST = re.compile(
    r"\d{4}-\d\d-01"
    rf"|(?<![\d.,-])1(?:st|er|º|\.)?\s+(?:(?:of|de)\s+)?(?:{_MONTH})\b"
    rf"|\b(?:{_MONTH})\s+(?:the\s+)?1(?:st)?(?![\d,.-]*\d|\w)"
    r"|\bon the 1st(?!\s*\w)"
    r"|(?<!\d)1\s*日",
    re.I,
)
# The abbreviation is also a name.
_JANUARY = re.compile(
    r"\d{4}-01\b|\bjan(?:uary|uar|vier|eiro)\b|\benero\b|\bянвар|(?<!\d)1\s*月"
    r"|\bjan\.?\s+\d|\d\s+jan\b",
    re.I,
)


class Precision(StrEnum):
    """How exactly a date is known."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Choice:
    """Filters: a period, a kind, and words of the statement.

    Without `dated`, only events without a date, ordered by the day they were stated.
    """

    period: Period = ALL_TIME
    kind: str = ""
    words: str = ""
    dated: bool = True


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event on the timeline, or the start of a fact (`is_start`): its day (the first of a month or year if
    only that is known), its time of day if known, its precision, and whether it is upcoming."""

    known: KnownFact
    day: date
    clock: time | None
    precision: Precision
    is_coming: bool
    is_start: bool = False

    @property
    def fact(self) -> Fact:
        return self.known.fact


def timeline(
    user_id: UUID, choice: Choice, now: datetime, after: str = "", limit: int = PAGE
) -> Page[Occurrence]:
    """Events and starts, newest first. Raises CursorUnreadable."""
    zone = zone_of(preferences_of(user_id))
    page = paginate(_select(user_id, choice, zone), "-at", "id", after, limit)
    items = tuple(_occurrence(known, now, zone) for known in with_quotes(user_id, page.items))
    return Page(items, page.after)


def years_of(user_id: UUID) -> tuple[int, ...]:
    """The years that have events or starts, newest first."""
    zone = zone_of(preferences_of(user_id))
    dated = _select(user_id, Choice(), zone).annotate(year=ExtractYear("at", tzinfo=UTC))
    return tuple(dated.order_by("-year").values_list("year", flat=True).distinct())


def count_undated(user_id: UUID) -> int:
    """How many experiences have no date."""
    return _select(user_id, Choice(dated=False), UTC).count()


def precision_of(at: datetime, statement: str) -> Precision:
    """How precise a stored date is.

    A month or year is stored as its first day, so the words decide whether that day itself was meant.
    """
    if at.astimezone(UTC).time() != time():
        return Precision.TIME
    if _ABOUT_A_YEAR.search(statement):
        return Precision.YEAR
    if _ABOUT_A_MONTH.search(statement):
        return Precision.MONTH
    if at.day != 1 or _THE_FIRST.search(statement):
        return Precision.DAY
    if at.month != 1 or _JANUARY.search(statement):
        return Precision.MONTH
    return Precision.YEAR


def _select(user_id: UUID, choice: Choice, zone: tzinfo) -> QuerySet[Fact]:
    """The chosen facts, each with the time `at` under which it is listed."""
    events = Q(memory_type=Fact.Memory.EPISODIC, event_time__isnull=not choice.dated)
    found = current_facts(user_id)
    if choice.dated:
        found = found.filter(events | _starts(user_id)).annotate(at=_listed_at(zone))
    else:
        found = found.filter(events).annotate(at=F("valid_from"))
    if choice.period.year is not None and choice.dated:
        found = found.filter(at__range=(choice.period.first, choice.period.last))
    if choice.kind:
        found = found.filter(kind=choice.kind)
    for word in choice.words.split():
        found = found.filter(statement__icontains=word)
    return found


def _listed_at(zone: tzinfo) -> Case:
    """The date of an event, or the day on which a fact began. A stated start is midnight in UTC, or in the
    owner's time zone if they chose the day."""
    started_on = Case(
        When(valid_from=TruncDay("valid_from", tzinfo=UTC), then="valid_from"),
        default=Cast(TruncDate("valid_from", tzinfo=zone), DateTimeField()),
    )
    return Case(When(memory_type=Fact.Memory.EPISODIC, then="event_time"), default=started_on)


def _starts(user_id: UUID) -> Q:
    """Facts that can have only one value, such as a home, if their start was stated or they replaced another
    value."""
    said_then = FactSource.objects.filter(
        user_id=user_id,
        fact_id=OuterRef("id"),
        drawer__deleted_at=None,
        drawer__said_at=OuterRef("valid_from"),
    )
    earlier = Fact.objects.filter(
        user_id=user_id,
        superseded_by_id=OuterRef("id"),
        key=OuterRef("key"),
        valid_from__lt=F("valid_to"),
        deleted_at=None,
    )
    single = Q(memory_type=Fact.Memory.SEMANTIC, single_valued=True)
    return single & (~Exists(said_then) | Exists(earlier))


def _occurrence(known: KnownFact, now: datetime, zone: tzinfo) -> Occurrence:
    """Stated dates and times are the owner's own, although they are stored in UTC."""
    fact = known.fact
    is_start = fact.memory_type == Fact.Memory.SEMANTIC
    is_dated = is_start or fact.event_time is not None
    moment = fact.at.astimezone(UTC if is_dated else zone)  # type: ignore[attr-defined]
    words = f"{fact.statement} {fact.words}" if is_start else fact.statement
    is_stated = fact.start_is_stated if is_start else is_dated
    precision = precision_of(moment, words) if is_stated else Precision.DAY
    clock = moment.time() if precision is Precision.TIME else None
    is_coming = is_dated and moment.replace(tzinfo=zone) > now
    return Occurrence(known, moment.date(), clock, precision, is_coming, is_start)
