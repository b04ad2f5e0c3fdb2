"""A part of the palace to look in: the SQL that says whether a drawer lies there, and which do where
there are few."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

FEW = 3_000
"""Where no more drawers lie than this, each of them is compared with the question."""

_CONDITIONS = {
    "wing_id": "drawer.wing_id = %(wing_id)s",
    "wing_kind": "drawer.wing_id IN (SELECT wing.id FROM memory_wing wing "
    "WHERE wing.user_id = drawer.user_id AND wing.kind = %(wing_kind)s)",
    "role": "drawer.role = %(role)s",
    "since": "drawer.said_at >= %(since)s",
    "until": "drawer.said_at < %(until)s",
}


@dataclass(frozen=True, slots=True)
class Within:
    """Where a person who searches wants to look; what is empty does not narrow. `since` and
    `until` are half-open."""

    wing_id: UUID | None = None
    wing_kind: str = ""
    role: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_everywhere(self) -> bool:
        """Whether nothing is left out."""
        return self == EVERYWHERE

    @property
    def condition(self) -> str:
        """What is true of a row `drawer` of the table of drawers that lies here, as SQL with
        `parameters` by name."""
        return " AND ".join((*(_CONDITIONS[name] for name in self.parameters), "TRUE"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The values in `condition`."""
        return {name: getattr(self, name) for name in _CONDITIONS if getattr(self, name)}


EVERYWHERE = Within()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the palace, with the ids of the drawers that lie in it where there are few of them,
    as the array that PostgreSQL writes and reads: thousands need not be read here."""

    within: Within = EVERYWHERE
    few: str | None = None

    @property
    def is_everywhere(self) -> bool:
        """Whether nothing is left out."""
        return self.within.is_everywhere


WHOLE_PALACE = Part()


def part_of(user_id: UUID, within: Within) -> Part:
    """The part of a person's palace in which they want to look. Asks nothing for the whole of it."""
    if within.is_everywhere:
        return WHOLE_PALACE
    sql = f"""
        WITH lying AS MATERIALIZED (
          SELECT drawer.id FROM memory_drawer drawer
          WHERE drawer.user_id = %(user)s AND drawer.deleted_at IS NULL AND {within.condition}
          LIMIT %(few)s + 1
        )
        SELECT CASE WHEN (SELECT count(*) FROM lying) <= %(few)s
                    THEN (SELECT coalesce(array_agg(id), '{{}}')::text FROM lying) END
    """  # noqa: S608 - made of constants only
    with connection.cursor() as cursor:
        cursor.execute(sql, {"user": user_id, "few": FEW, **within.parameters})
        return Part(within, cursor.fetchone()[0])
