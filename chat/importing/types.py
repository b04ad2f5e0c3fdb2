"""What an export file holds, as plain values: no database and no file format shows through."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "tool", "system"]


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message word for word, as the export has it.

    A tool call is an assistant message with `tool_name` and `tool_arguments`; its result is a
    tool message with the same `call_id`. A system message is never something a person was shown
    as speech; there `tool_name` says what machinery it came from, such as "thoughts". Text may
    still hold NUL characters and lone surrogates.
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
    """One conversation with every branch; a parent always comes before its replies.

    `current_leaf` is the external id of the message the conversation was last open at, None
    when there is no message. `learn` is False where the person had told the other product not
    to remember this chat. `empty_messages` counts messages left out because they hold nothing,
    and `repairs` has one sentence for each flaw that was worked around. One that `continues` has
    more messages of a conversation too large to be handed out at once.
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
