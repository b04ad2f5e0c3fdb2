"""Search filters: the part of the palace to look in, as SQL or as a list of drawer ids."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

MAX_EXACT_DRAWERS = 3_000
"""Up to this many drawers in scope are all compared with the question."""

_CONDITIONS = {
    "wing_id": "drawer.wing_id = %(wing_id)s",
    "wing_kind": "drawer.wing_id IN (SELECT wing.id FROM memory_wing wing "
    "WHERE wing.user_id = drawer.user_id AND wing.kind = %(wing_kind)s)",
    "role": "drawer.role = %(role)s",
    "since": "drawer.said_at >= %(since)s",
    "until": "drawer.said_at < %(until)s",
}


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """The filters of a search; empty ones do not narrow it. `since` and `until` are half-open."""

    wing_id: UUID | None = None
    wing_kind: str = ""
    role: str = ""
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_everywhere(self) -> bool:
        """Whether no filter narrows the search."""
        return self == EVERYWHERE

    @property
    def condition(self) -> str:
        """A SQL condition on the drawer table aliased `drawer`, using `parameters` by name."""
        return " AND ".join((*(_CONDITIONS[name] for name in self.parameters), "TRUE"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The values `condition` needs."""
        return {name: getattr(self, name) for name in _CONDITIONS if getattr(self, name)}


EVERYWHERE = SearchFilters()


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Filters, and the ids they select if there are few. The ids stay PostgreSQL array text, so that
    thousands of them are never parsed here. `indexed` searches vectors through the user's ANN index."""

    within: SearchFilters = EVERYWHERE
    drawer_ids: str | None = None
    indexed: bool = False

    @property
    def is_everywhere(self) -> bool:
        """Whether no filter narrows the search."""
        return self.within.is_everywhere


WHOLE_PALACE = SearchScope()


def scope_of(user_id: UUID, within: SearchFilters) -> SearchScope:
    """The drawers these filters select; without filters, no query is made."""
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
        cursor.execute(sql, {"user": user_id, "few": MAX_EXACT_DRAWERS, **within.parameters})
        return SearchScope(within, cursor.fetchone()[0])
