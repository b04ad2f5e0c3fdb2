"""What an export holds, as plain values independent of database and file format."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "tool", "system"]


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message word for word, as in the export.

    A tool call is an assistant message with `tool_name` and `tool_arguments`; its result is a tool
    message with the same `call_id`. A system message was never shown as speech; its `tool_name` says
    where it came from, such as "thoughts". Text may hold NUL characters and lone surrogates.
    """

    external_id: str
    parent_external_id: str | None
    role: Role
    content: str
    said_at: datetime | None
    tool_name: str = ""
    tool_arguments: str = ""
    call_id: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """One conversation with every branch, parents before replies.

    `current_leaf` is the external id of the message it was last open at, None without messages.
    `learn` is False if the person had told the other product not to remember it. `empty_messages`
    counts messages left out, and `repairs` has a sentence for each flaw that was fixed. One that
    `continues` has more messages of a conversation too large for one part.
    """

    external_id: str
    title: str
    created_at: datetime | None
    updated_at: datetime | None
    project: str
    messages: tuple[ImportedMessage, ...]
    current_leaf: str | None
    learn: bool = True
    empty_messages: int = 0
    repairs: tuple[str, ...] = ()
    continues: bool = False


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """An entry that could not be read: `where` to find it, and a sentence saying why."""

    where: str
    reason: str


Entry = ImportedConversation | BrokenEntry
