"""Changes as plain values: which rows, what they say before, and what they say after."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row of a table, as JSON values by column.

    Nothing `before` adds the row, nothing `after` removes it. A column with the same value on
    both sides is only looked at: the change is made if it still says so.
    """

    table: str
    id: UUID
    before: Values | None
    after: Values | None
    added: Mapping[str, int] = field(default_factory=dict)

    def reversed(self) -> "RowChange":
        """The change that takes this one back. It looks only at columns that were written."""
        if self.before is None or self.after is None:
            return RowChange(self.table, self.id, self.after, self.before)
        written = [name for name in self.after if self.after[name] != self.before[name]]
        return RowChange(
            self.table,
            self.id,
            {name: self.after[name] for name in written},
            {name: self.before[name] for name in written},
            {name: -count for name, count in self.added.items()},
        )


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a person can understand and take back: its kind, what it is about, which others
    it concerns, numbers that say why, and the rows it changes."""

    kind: str
    subject: str
    subject_id: UUID
    rows: tuple[RowChange, ...]
    others: tuple[UUID, ...] = ()
    details: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Place:
    """A closet, or a room when it has no `closet_id`, with the digest of its drawers."""

    room_id: UUID
    closet_id: UUID | None
    digest: str

    @property
    def id(self) -> UUID:
        """The id of the closet or room."""
        return self.closet_id or self.room_id


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary to be shown, and the one it replaces."""

    id: UUID
    place: Place
    text: str
    written_by: str
    replaces: UUID | None


@dataclass(frozen=True, slots=True)
class Plan:
    """All that would be changed at `made_at`, summaries to be shown among it, and the digest of
    the facts it was made from."""

    changes: tuple[Change, ...]
    drafts: tuple[Draft, ...]
    facts_digest: str
    made_at: datetime


def stamp(moment: datetime | None) -> str | None:
    """A moment as it stands in the values of a row."""
    return moment.isoformat() if moment else None


def rows_as_json(rows: Iterable[RowChange]) -> list[dict[str, Any]]:
    """Rows as they are kept in the journal."""
    return [
        {
            "table": row.table,
            "id": str(row.id),
            "before": row.before,
            "after": row.after,
            "added": row.added,
        }
        for row in rows
    ]


def rows_from_json(rows: Iterable[Mapping[str, Any]]) -> tuple[RowChange, ...]:
    """The reverse of `rows_as_json`."""
    return tuple(
        RowChange(row["table"], UUID(row["id"]), row["before"], row["after"], row["added"])
        for row in rows
    )


def digest_of(changes: Sequence[Change]) -> str:
    """A digest of everything these changes would do, in their order."""
    told = [[change.kind, str(change.subject_id), rows_as_json(change.rows)] for change in changes]
    return sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
