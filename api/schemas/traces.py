"""What was recalled for a reply and what its owner says of it, as the API tells and takes it."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Schema
from pydantic import Field

from api.schemas.values import Given


class Source(Schema):
    """A recalled drawer as it is now: the beginning of its words (empty when it was forgotten
    since; `cut` when it goes on), why it was chosen, and what its owner said of it. `misfit` says
    that it was called not relevant here, `disputed` that it is called wrong."""

    drawer_id: UUID
    pointer: str
    wing: str
    wing_kind: str
    closet: str
    role: str
    said_at: datetime
    reason: str
    words: str
    cut: bool
    pinned: bool
    misfit: bool
    disputed: UUID | None
    remark: str
    deletion_id: UUID | None

    @staticmethod
    def resolve_reason(source: Any) -> str:
        """One sentence."""
        return str(source.ground.reason)

    @staticmethod
    def resolve_disputed(source: Any) -> UUID | None:
        """The id by which the dispute is taken back."""
        found: UUID | None = source.dispute.event_id if source.dispute else None
        return found


class Trace(Schema):
    """How memory was searched before a reply, stage by stage, and what it was given."""

    id: UUID
    at: datetime
    trace: dict[str, Any]
    sources: list[Source]


class Judged(Schema):
    """What was judged."""

    trace_id: UUID
    drawer_id: UUID
    misfit: bool


class Wrong(Given):
    """What is wrong; it stands beside the words from then on, and models are told."""

    remark: Annotated[str, Field(max_length=2_000)] = ""


class Disputed(Schema):
    """How many facts went to review. Posting to `/disputes/{id}/undo` takes it back."""

    id: UUID
    drawer_id: UUID
    facts: int


class Batch(Schema):
    """What one mining of a chat remembered; `deletion_id` is set while that is undone. Posting to
    `/activity/{id}/take-back` with its `event_id` undoes it."""

    event_id: UUID
    drawers: int
    facts: list[str]
    more_facts: int
    for_review: int
    deletion_id: UUID | None


class Remembered(Schema):
    """What is remembered of a chat, and how it stands with the rest: `off`, `empty`, `done`,
    `waiting`, `late`, `full`, `rereading` or `failed`, and the same in words."""

    state: str
    words: str
    batches: list[Batch]
