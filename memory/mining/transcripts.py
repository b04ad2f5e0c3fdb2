"""Frozen transcripts that sources pass to memory, without database objects."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

Role = Literal["user", "assistant", "tool", "system"]

CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, verbatim."""

    message_id: UUID
    sequence: int
    role: Role
    content: str
    said_at: datetime
    tool_name: str = ""
    tool_arguments: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A span of one conversation, in order, with what mining needs to know about the conversation.

    `source_kind` and `source_id` name the ledger object the turns came from. `earlier` holds up
    to two turns before the span, as context that is not mined again.
    """

    user_id: UUID
    source_kind: str
    source_id: UUID
    title: str
    started_at: datetime
    turns: tuple[Turn, ...]
    project: str = ""
    earlier: tuple[Turn, ...] = ()
