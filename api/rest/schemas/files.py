"""Imports, exports and restores, as the API tells and takes them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Schema

from api.rest.values import Given


class Import(Schema):
    """An import: `state` is `checking`, `ready`, `waiting`, `running`, `done`, `failed` or
    `cancelled`. `preview` is what the file holds, once it was looked through; the counts are what
    came of it. `position` counts the entries that were dealt with."""

    id: UUID
    state: str
    format: str
    preview: dict[str, Any]
    position: int
    conversations: int
    grown: int
    messages: int
    duplicates: int
    empty: int
    refused: int
    started_at: datetime
    finished_at: datetime | None
    error: str


class RefusedEntry(Schema):
    """Something in a file that could not be read, and why."""

    where: str
    reason: str


class WantedExport(Given):
    """Everything, or one wing."""

    wing: UUID | None = None


class Transfer(Schema):
    """An export or a restore: `state` is `checking`, `ready` (to be restored), `waiting`, `running`,
    `done` or `failed`. `done` of `total` rows were written or read. `counts` says what the file
    holds or, of a restore, what it would add and added. Its file is deleted at `expires_at`."""

    id: UUID
    state: str
    wing_id: UUID | None
    size: int
    done: int
    total: int
    counts: dict[str, Any]
    error: str
    asked_at: datetime
    finished_at: datetime | None
    expires_at: datetime
