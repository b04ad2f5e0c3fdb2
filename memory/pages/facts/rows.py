"""Facts as grouped rows of one line each, which expand to show their quotes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from memory.facts.queries import Evidence, KnownFact, with_quotes
from memory.models import Fact, FactSource, Wing
from memory.pages.highlighting import Mark, Piece, pieces
from memory.paging import CursorUnreadable, Page, paginate
from memory.templatetags.days import day_of

CONTEXT_LENGTH = 60
MAX_QUOTES = 2
PAGE = 48
Text = str | Promise

KIND_NAMES = {
    "identity": _("About you"),
    "relationship": _("People"),
    "preference": _("Preferences"),
    "behaviour": _("Habits"),
    "constraint": _("Limits and needs"),
    "project": _("Projects"),
    "technical": _("Tools and devices"),
    "goal": _("Goals"),
    "event": _("Events"),
    "skill": _("Abilities"),
    "experience": _("Experience"),
    "instruction": _("For assistants"),
    "successful_path": _("What worked"),
    "insight": _("Insights"),
    "other": _("Other"),
}
"""The kinds in the order in which pages list them."""
KIND_CHOICES = tuple(KIND_NAMES.items())
ICONS = {
    "identity": "profile",
    "preference": "heart",
    "relationship": "people",
    "experience": "timeline",
    "skill": "skills",
    "goal": "flag",
    "constraint": "warn",
    "event": "timeline",
    "behaviour": "retry",
    "technical": "settings",
    "project": "palace",
    "instruction": "chat",
    "successful_path": "good",
    "insight": "insights",
}
_KINDS = tuple(KIND_NAMES)
_RANKS = {kind: rank for rank, kind in enumerate(_KINDS)}
_LAST = len(_KINDS) - 1


@dataclass(frozen=True, slots=True)
class Row:
    """A fact on one line, and the quotes it expands to; `more` counts further quotes."""

    fact: Fact
    quotes: tuple[tuple[Evidence[FactSource], tuple[Piece, ...]], ...]
    more: int

    @property
    def wing(self) -> Wing | None:
        """The wing of its first source, or None."""
        return self.quotes[0][0].source.drawer.wing if self.quotes else None

    @property
    def icon(self) -> SafeString:
        return _render_cached("_icon.html", get_language(), name=ICONS.get(self.fact.kind, "facts"))

    @property
    def mark(self) -> SafeString:
        """The mark of its wing, empty if there is none."""
        wing = self.wing
        return (
            _render_cached("_wing_mark.html", get_language(), kind=wing.kind, named=True)
            if wing
            else SafeString()
        )

    @property
    def kind(self) -> Text:
        return KIND_NAMES.get(self.fact.kind, self.fact.kind)


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under a title; `count` is their number on all pages, None if unknown."""

    title: Text
    rows: tuple[Row, ...]
    count: int | None = None

    @property
    def kind(self) -> str:
        """The kind of its rows, if it is a group of one."""
        return self.rows[0].fact.kind


@dataclass(frozen=True, slots=True)
class GroupedFacts:
    """A page of facts in groups; `after` is the cursor of the next page, "" on the last one."""

    groups: tuple[Group, ...]
    after: str
    count: int


def rows_of(user_id: UUID, facts: Sequence[Fact]) -> tuple[Row, ...]:
    """These facts as rows, in the same order."""
    return tuple(_row(known) for known in with_quotes(user_id, facts, CONTEXT_LENGTH))


def grouped_facts(
    user_id: UUID, found: QuerySet[Fact], after: str = "", *, newest: bool = False
) -> GroupedFacts:
    """A page of facts, grouped by month (newest first) or by kind. Raises CursorUnreadable."""
    counts = dict(found.values_list("kind").annotate(number=Count("*")).order_by())
    by_rank: Counter[int] = Counter()
    for kind, count in counts.items():
        by_rank[_RANKS.get(kind, _LAST)] += count
    kinds = {rank: found.filter(_in_group(rank)) for rank in sorted(by_rank)}
    page = fetch_page({0: found} if newest else kinds, after)
    rows = rows_of(user_id, page.items)
    groups = _by_month(rows) if newest else _by_kind(rows, by_rank)
    return GroupedFacts(tuple(groups), page.after, sum(counts.values()))


@cache
def _render_cached(template: str, _language: str, **values: str | bool) -> SafeString:
    """Render an icon or mark once per language: pages repeat them on many rows."""
    return render_to_string(template, values)


def _row(known: KnownFact) -> Row:
    shown = known.quotes[:MAX_QUOTES]
    quotes = tuple((each, pieces(each.text, [Mark(each.start, each.end)])) for each in shown)
    return Row(known.fact, quotes, len(known.quotes) - len(shown))


def fetch_page(groups: Mapping[int, QuerySet[Fact]], after: str, limit: int = PAGE) -> Page[Fact]:
    """A page of numbered groups of facts, one after the other and newest first. Its cursor continues in a
    group, or begins one if nothing follows the number. Raises CursorUnreadable."""
    begun, _dot, last = after.partition(".") if after else ("0", "", "")
    if begun not in map(str, range(len(_KINDS))):
        raise CursorUnreadable
    shown: list[Fact] = []
    for rank in (each for each in groups if each >= int(begun)):
        if len(shown) == limit:
            return Page(tuple(shown), f"{rank}.")
        cursor = last if rank == int(begun) else ""
        page = paginate(groups[rank], "-valid_from", "id", cursor, limit - len(shown))
        shown += page.items
        if page.after:
            return Page(tuple(shown), f"{rank}.{page.after}")
    return Page(tuple(shown))


def _in_group(rank: int) -> Q:
    if rank == _LAST:
        return ~Q(kind__in=_KINDS[:_LAST])
    return Q(kind=_KINDS[rank])


def by_kind(facts: Iterable[Fact]) -> list[tuple[Text, list[Fact]]]:
    """The facts by the name of their kind, in the order of the list of facts."""
    ranked = sorted(facts, key=lambda fact: _RANKS.get(fact.kind, _LAST))
    grouped = groupby(ranked, lambda fact: _RANKS.get(fact.kind, _LAST))
    return [(KIND_NAMES[_KINDS[rank]], list(several)) for rank, several in grouped]


def _by_month(rows: Sequence[Row]) -> Iterator[Group]:
    def month(row: Row) -> str:
        return date_format(day_of(row.fact.valid_from), "F Y")

    for title, several in groupby(rows, month):
        yield Group(title, tuple(several))


def _by_kind(rows: Sequence[Row], counts: Mapping[int, int]) -> Iterator[Group]:
    for rank, several in groupby(rows, lambda row: _RANKS.get(row.fact.kind, _LAST)):
        yield Group(KIND_NAMES[_KINDS[rank]], tuple(several), counts[rank])
