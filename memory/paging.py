"""Cursor pagination: each page continues after the last row shown, however long the list is."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar
from uuid import UUID

Item = TypeVar("Item")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CURSOR = re.compile(r"(-?[0-9]{1,18})_([0-9a-f]{32})")
_LARGEST = 2**31 - 1


class CursorUnreadable(ValueError):
    """The cursor did not come from a list."""


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A page of a list; `after` is the cursor of the next page, empty on the last one."""

    items: tuple[Item, ...]
    after: str = ""


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
