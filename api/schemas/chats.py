"""Conversations, messages and agents, as the API tells and takes them."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ninja import Path, Schema
from pydantic import Field

from api.paging import Asked
from api.schemas.values import Given, Moment, Name, Number, OptionalName
from chat.conversations import LONGEST_MESSAGE
from chat.titles import LONGEST_TITLE

Title = Annotated[str, Field(max_length=LONGEST_TITLE)]
Model = Annotated[str, Field(max_length=120)]
Sequence = Annotated[int, Path(ge=1, le=2**31 - 1)]


class Conversation(Schema):
    """A chat. `head_sequence` is the newest message of the branch on show."""

    id: UUID
    title: str
    agent_id: UUID | None
    model: str
    source: str
    project: str
    use_memory: bool
    learn: bool
    last_sequence: int
    head_sequence: int
    closed_at: datetime | None
    started_at: datetime
    last_message_at: datetime


class Message(Schema):
    """One message of a chat. Two that have the same `parent_sequence` begin branches."""

    id: UUID
    sequence: int
    parent_sequence: int | None
    role: str
    content: str
    status: str
    notice: str
    tool_name: str
    tool_arguments: str
    call_id: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    trace_id: UUID | None
    said_at: datetime


class WantedChats(Asked):
    """Which chats: those in whose title or messages these words are."""

    q: Annotated[str, Field(max_length=200)] = ""


class NewChat(Given):
    """A chat to keep. `agent` is the default one unless given."""

    title: Title = ""
    agent: UUID | None = None
    use_memory: bool = True
    learn: bool = True
    project: OptionalName = ""


class ChatChange(Given):
    """What is different from now on; what is left out stays."""

    title: Title | None = None
    agent: UUID | None = None
    use_memory: bool | None = None
    learn: bool | None = None


class ChatEdited(Schema):
    """A chat or an agent that was changed. Posting to `/edits/{id}/undo` takes each of `edits` back,
    for 30 days; there is none when nothing was different, and none for switches, which are set back
    as they were set."""

    id: UUID
    edits: list[UUID]


class NewMessage(Given):
    """A message to add: at the end of the branch on show, or behind the message `parent` (0 for
    none). A tool call is an assistant's message with `tool_name`; its result is of role `tool`."""

    role: Literal["user", "assistant", "tool", "system"]
    content: Annotated[str, Field(max_length=LONGEST_MESSAGE)]
    parent: Number | None = None
    said_at: Moment | None = None
    tool_name: OptionalName = ""
    tool_arguments: Annotated[str, Field(max_length=LONGEST_MESSAGE)] = ""
    call_id: OptionalName = ""
    model: Model = ""


class Kept(Schema):
    """Where a message is now."""

    id: UUID
    sequence: int


class ForgetToo(Schema):
    """Whether what was remembered from the chat goes into the trash too."""

    forget: bool = False


class Removed(Schema):
    """How many drawers went into the trash with a chat."""

    drawers: int


class Agent(Schema):
    """Somebody to chat with."""

    id: UUID
    name: str
    instructions: str
    model: str
    recall_memory: bool
    mine: bool
    is_default: bool


class NewAgent(Given):
    """An agent to make."""

    name: Name
    instructions: Annotated[str, Field(max_length=20_000)] = ""
    model: Model = ""
    recall_memory: bool = True
    mine: bool = True


class AgentChange(Given):
    """What is different from now on; what is left out stays."""

    name: Name | None = None
    instructions: Annotated[str, Field(max_length=20_000)] | None = None
    model: Model | None = None
    recall_memory: bool | None = None
    mine: bool | None = None
