"""Imports, exports and restores: one by id, or a page of them."""

from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from memory.paging import Page, after_moment, after_number, moment_and_id, number_and_id
from transfer.models import ImportRun, RefusedEntry, Transfer
from transfer.transfers import transfers_of

Row = TypeVar("Row", bound=Model)


class NoSuchRun(Exception):
    """This person has no such import, export or restore."""


def import_run(user_id: UUID, run_id: UUID) -> ImportRun:
    """One of the person's imports. Raises NoSuchRun."""
    return _one(ImportRun.objects.filter(user_id=user_id, id=run_id))


def import_runs(user_id: UUID, after: str, most: int) -> Page[ImportRun]:
    """Imports, newest first. Raises CursorUnreadable."""
    return _newest(ImportRun.objects.filter(user_id=user_id), "started_at", after, most)


def refused_entries(run: ImportRun, after: str, most: int) -> Page[RefusedEntry]:
    """Entries of a file that could not be read, in order. Raises CursorUnreadable."""
    found = RefusedEntry.objects.filter(user_id=run.user_id, run_id=run.id).order_by("id")
    if after:
        found = found.filter(id__gt=number_and_id(after)[1])
    rows = list(found[: most + 1])
    shown, more = rows[:most], len(rows) > most
    return Page(tuple(shown), after_number(0, shown[-1].id) if more else "")


def transfer(user_id: UUID, direction: str, transfer_id: UUID) -> Transfer:
    """One of the person's exports or restores. Raises NoSuchRun."""
    return _one(transfers_of(user_id).filter(direction=direction, id=transfer_id))


def transfers(user_id: UUID, direction: str, after: str, most: int) -> Page[Transfer]:
    """Exports or restores, newest first. Raises CursorUnreadable."""
    return _newest(transfers_of(user_id).filter(direction=direction), "asked_at", after, most)


def _one(found: QuerySet[Row]) -> Row:
    row = found.first()
    if row is None:
        raise NoSuchRun
    return row


def _newest(found: QuerySet[Any], name: str, after: str, most: int) -> Page[Any]:
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(**{f"{name}__lt": moment}) | Q(**{name: moment, "id__lt": last_id}))
    rows = list(found.order_by(f"-{name}", "-id")[: most + 1])
    shown, more = rows[:most], len(rows) > most
    if not more:
        return Page(tuple(shown))
    last: datetime = getattr(shown[-1], name)
    return Page(tuple(shown), after_moment(last, shown[-1].id))
