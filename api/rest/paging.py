"""Pages of lists: each goes on behind the last item of the one before, whatever is added."""

from base64 import b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from ninja import Schema
from pydantic import Field

from memory.paging import CursorUnreadable, Page, after_moment, moment_and_id

USUAL = 50
MOST = 100
Item = TypeVar("Item")


class Asked(Schema):
    """Which part of a list is wanted."""

    cursor: Annotated[
        str, Field(max_length=200, description="`next` of the page before; empty at the beginning.")
    ] = ""
    limit: Annotated[int, Field(ge=1, le=MOST, description="Items on the page, at most.")] = USUAL

    @property
    def after(self) -> str:
        """Where the list goes on, as its domain function reads it. Raises CursorUnreadable."""
        if not self.cursor:
            return ""
        try:
            padded = self.cursor + "=" * (-len(self.cursor) % 4)
            return b64decode(padded.encode("ascii"), b"-_", validate=True).decode("ascii")
        except (Error, ValueError) as error:
            raise CursorUnreadable from error


class Paged(Schema, Generic[Item]):
    """A part of a list. `next` is the cursor of what follows, and null at the end."""

    items: list[Item]
    next: str | None


def part_of(rows: Iterable[Any], moment: str, asked: Asked, *, newest_first: bool = True) -> Page[Any]:
    """A page of a short list, by a moment that its rows have. Raises CursorUnreadable."""

    def place(row: Any) -> tuple[datetime, UUID]:
        return getattr(row, moment), row.id

    ordered = sorted(rows, key=place, reverse=newest_first)
    if asked.after:
        last = moment_and_id(asked.after)
        later = (lambda row: place(row) < last) if newest_first else (lambda row: place(row) > last)
        ordered = list(filter(later, ordered))
    shown = tuple(ordered[: asked.limit])
    return Page(shown, after_moment(*place(shown[-1])) if len(ordered) > len(shown) else "")


def paged(page: Page[Any], told: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """A page of the domain as it is answered, each item as `told` has it."""
    items: Iterable[Any] = page.items if told is None else map(told, page.items)
    return {"items": list(items), "next": _opaque(page.after)}


def _opaque(after: str) -> str | None:
    return urlsafe_b64encode(after.encode()).decode().rstrip("=") if after else None
