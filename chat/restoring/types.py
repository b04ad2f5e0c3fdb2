"""What a restore is given and gives."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from chat.importing.limits import DEFAULT_LIMITS, Limits

Progress = Callable[[int, int], None]


class RestoreRefused(Exception):
    """The file is not restored, and nothing of it was; the message is a sentence for the person."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What came of a restore, by kind of row: added, here already, and left out because it was
    forgotten here or hangs on what was. `renewed` drawers have another pointer than in the file;
    `diverged` chats went on in both places and stay as they are here."""

    added: dict[str, int] = field(default_factory=dict)
    here: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    renewed: int = 0
    diverged: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be restored for whom. With `dry_run` everything is tried and nothing kept.

    `progress` is told the rows read and the rows there are, and once more before each step of
    filing them; `agree` what came of it, last in the transaction. What either raises takes it all
    back.
    """

    user_id: UUID
    now: datetime
    dry_run: bool = False
    limits: Limits = DEFAULT_LIMITS
    progress: Progress = lambda done, total: None
    agree: Callable[[Restored], None] = lambda restored: None
