"""Reads planned and applied changes of consolidation, with the words that still exist."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.owned import first_or_raise
from memory.changes.log import Area
from memory.consolidation.application import undoable
from memory.facts.queries import for_display, with_words
from memory.models import ChangeSet, Closet, ConsolidationRun, Entity, Fact, Relation, Room, Wing
from memory.paging import Page, after_number, cut, number_and_id, paginate

PAGE = 50
RUNS = 20
Kind = ChangeSet.Kind
ORDER = (Kind.CLOSED, Kind.MERGED, Kind.ARCHIVED, Kind.SUMMARISED, Kind.REMOVED)


_Words = dict[UUID, tuple[str, str]]
"""Statements and names by id: as stored, and as shown to the owner."""


@dataclass(frozen=True, slots=True)
class Line:
    """One change of a run.

    `about` is what stays or goes, `others` what else it affects; both are empty if the words are gone.
    `drawer_ids` link to words that still exist.
    """

    id: UUID
    kind: str
    subject: str
    about: str
    others: tuple[str, ...]
    sentence: str
    other_sentences: tuple[str, ...]
    details: dict[str, Any]
    can_be_undone: bool
    undone_at: datetime | None


@dataclass(frozen=True, slots=True)
class RunView:
    """A run with the number of its changes by kind, as (label, number)."""

    run: ConsolidationRun
    counts: tuple[tuple[str, int], ...]
    can_be_undone: bool


def pending_plan(user_id: UUID, now: datetime) -> RunView | None:
    """The plan waiting for its owner, or None."""
    runs = ConsolidationRun.objects.filter(user_id=user_id)
    run = runs.filter(state=ConsolidationRun.State.PLANNED).order_by("-planned_at", "-id").first()
    return _run_view(run, now) if run else None


def applied_runs(user_id: UUID, now: datetime, after: str = "", limit: int = RUNS) -> Page[RunView]:
    """The runs that changed something, newest first. Raises CursorUnreadable."""
    found = ConsolidationRun.objects.filter(user_id=user_id, applied_at__isnull=False)
    page = paginate(found.exclude(counts={}), "-applied_at", "-id", after, limit)
    return Page(tuple(_run_view(run, now) for run in page.items), page.after)


def run_of(user_id: UUID, run_id: UUID, now: datetime) -> RunView:
    """One run. Raises NotFound."""
    run = first_or_raise(ConsolidationRun.objects.filter(user_id=user_id, id=run_id))
    return _run_view(run, now)


def lines(
    user_id: UUID, run: ConsolidationRun, now: datetime, after: str = "", limit: int = PAGE
) -> Page[Line]:
    """The changes of a run in order. Raises CursorUnreadable."""
    found = ChangeSet.objects.filter(user_id=user_id, area=Area.CONSOLIDATION, batch_id=run.id)
    if after:
        found = found.filter(id__gt=number_and_id(after)[1])
    page = cut(found.order_by("id"), limit, lambda row: after_number(0, row.id))
    words = _words(user_id, page.items)
    can_be_undone = undoable(user_id, run.id, now).filter(id__in=[row.id for row in page.items])
    undoable_ids = set(can_be_undone.values_list("id", flat=True))
    return Page(tuple(_line(row, words, row.id in undoable_ids) for row in page.items), page.after)


def _run_view(run: ConsolidationRun, now: datetime) -> RunView:
    kinds = (kind.value for kind in ORDER)
    counts = tuple((kind, run.counts[kind]) for kind in kinds if run.counts.get(kind))
    return RunView(run, counts, undoable(run.user_id, run.id, now).exists())


def _line(row: ChangeSet, words: _Words, can_be_undone: bool) -> Line:
    about, sentence = words.get(row.subject_id, ("", ""))
    others = [words[each] for each in row.others if each in words]
    return Line(
        id=row.id,
        kind=row.kind,
        subject=row.subject,
        about=about,
        others=tuple(stored for stored, _ in others),
        sentence=sentence,
        other_sentences=tuple(shown for _, shown in others),
        details=row.details,
        can_be_undone=can_be_undone,
        undone_at=row.undone_at,
    )


def _words(user_id: UUID, rows: Sequence[ChangeSet]) -> _Words:
    """The words of all rows that these changes affect, without deleted ones."""
    ids = {each for row in rows for each in (row.subject_id, *row.others)}
    facts = Fact.objects.filter(user_id=user_id, id__in=ids, deleted_at=None)
    found = {fact.id: (fact.statement, fact.sentence) for fact in with_words(user_id, facts)}
    for model, field in ((Closet, "name"), (Room, "title"), (Wing, "name"), (Entity, "name")):
        places = model._default_manager.filter(user_id=user_id, id__in=ids)
        found |= {row_id: (name, name) for row_id, name in places.values_list("id", field)}
    for relation in for_display(Relation.objects.filter(user_id=user_id, id__in=ids, deleted_at=None)):
        parts = (relation.subject.name, relation.words, relation.object.name)
        found[relation.id] = " ".join(filter(None, parts)), relation.edge.sentence
    return found
