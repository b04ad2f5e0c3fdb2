"""Pages of long lists: each goes on after the last row shown, however long the list is."""

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
    """The place to go on from is not one that a list gave."""


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """A part of a list; `after` asks for what follows and is empty at the end."""

    items: tuple[Item, ...]
    after: str = ""


def after_moment(moment: datetime, row_id: UUID) -> str:
    """What a list ordered by time gives to go on after this row."""
    return f"{(moment - _EPOCH) // timedelta(microseconds=1)}_{row_id.hex}"


def after_number(number: int, row_id: UUID) -> str:
    """The same for a list ordered by a number."""
    return f"{number}_{row_id.hex}"


def moment_and_id(cursor: str) -> tuple[datetime, UUID]:
    """What `after_moment` was given. Raises CursorUnreadable."""
    microseconds, row_id = _parts(cursor)
    try:
        return _EPOCH + timedelta(microseconds=microseconds), row_id
    except OverflowError as error:
        raise CursorUnreadable from error


def number_and_id(cursor: str) -> tuple[int, UUID]:
    """What `after_number` was given. Raises CursorUnreadable."""
    number, row_id = _parts(cursor)
    if not 0 <= number <= _LARGEST:
        raise CursorUnreadable
    return number, row_id


def _parts(cursor: str) -> tuple[int, UUID]:
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise CursorUnreadable
    return int(found[1]), UUID(found[2])
