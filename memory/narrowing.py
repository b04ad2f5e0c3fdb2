"""A part of the palace to look in, and the SQL that says whether a drawer lies there."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

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
