"""Cursor pagination: each page continues after the last row shown, however long the list is."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.owned import NotFound

Item = TypeVar("Item")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CURSOR = re.compile(r"(-?[0-9]{1,18})_([0-9a-f]{32})")
_LARGEST = 2**31 - 1


class CursorUnreadable(NotFound, ValueError):
    """The cursor did not come from a list."""


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A page of a list; `after` is the cursor of the next page, empty on the last one."""

    items: tuple[Item, ...]
    after: str = ""


def paginate(rows: QuerySet[Any, Item], moment: str, tie_breaker: str, after: str, limit: int) -> Page[Item]:
    """A page of rows in the order of two columns, such as `-said_at` and `id`. Raises CursorUnreadable."""
    name, last_name = moment.removeprefix("-"), tie_breaker.removeprefix("-")
    if after:
        last, last_id = moment_and_id(after)
        beyond, tied = ("lt" if column.startswith("-") else "gt" for column in (moment, tie_breaker))
        after_last = Q(**{f"{name}__{beyond}": last}) | Q(**{name: last, f"{last_name}__{tied}": last_id})
        rows = rows.filter(after_last, **{f"{name}__{beyond}e": last})  # where the index begins
    return cut(
        rows.order_by(moment, tie_breaker),
        limit,
        lambda row: after_moment(_value(row, name), _value(row, last_name)),
    )


def cut(rows: QuerySet[Any, Item] | Sequence[Item], limit: int, cursor: Callable[[Item], str]) -> Page[Item]:
    """The first of these rows as a page; `cursor` makes the cursor of the last row shown."""
    found = list(rows[: limit + 1])
    shown = tuple(found[:limit])
    return Page(shown, cursor(shown[-1]) if len(found) > limit else "")


def _value(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, dict) else getattr(row, name)


def after_moment(moment: datetime, row_id: UUID) -> str:
    """The cursor of a list ordered by time."""
    return f"{(moment - _EPOCH) // timedelta(microseconds=1)}_{row_id.hex}"


def after_number(number: int, row_id: UUID) -> str:
    """The cursor of a list ordered by a number."""
    return f"{number}_{row_id.hex}"


def moment_and_id(cursor: str) -> tuple[datetime, UUID]:
    """Decode a cursor of `after_moment`. Raises CursorUnreadable."""
    microseconds, row_id = _parts(cursor)
    try:
        return _EPOCH + timedelta(microseconds=microseconds), row_id
    except OverflowError as error:
        raise CursorUnreadable from error


def number_and_id(cursor: str) -> tuple[int, UUID]:
    """Decode a cursor of `after_number`. Raises CursorUnreadable."""
    number, row_id = _parts(cursor)
    if not 0 <= number <= _LARGEST:
        raise CursorUnreadable
    return number, row_id


def _parts(cursor: str) -> tuple[int, UUID]:
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise CursorUnreadable
    return int(found[1]), UUID(found[2])
