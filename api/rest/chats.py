"""Conversations and their messages: reading, keeping, closing and deleting them."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from ninja import Path, Query, Router, Schema, Status
from pydantic import Field

from accounts.http import BearerRequest
from api.auth import CHAT
from api.problems import Refused
from api.rest.paging import Asked, Paged, paged
from api.rest.values import Given, Made, Moment, Name, Number, OptionalName
from chat import conversations, edits, retention, search
from chat.agents import found_agent
from chat.branches import message_at
from chat.conversations import LONGEST_MESSAGE, Choices, MessageRefused, ToolUse, switch
from chat.conversations import NewMessage as LedgerMessage
from chat.models import Agent as ChatAgent
from chat.models import Conversation as Chat
from chat.titles import LONGEST_TITLE
from chat.titles import rename as retitle
from memory.changes.log import ChangedSince

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


router = Router(tags=["Conversations"])


@router.get("conversations", response=Paged[Conversation], summary="Chats, newest first")
def chats(request: BearerRequest, asked: Query[WantedChats]) -> Any:
    """Every chat that is kept."""
    found = search.conversations(request.user.id, asked.q, asked.after, asked.limit)
    return paged(found)


@router.post("conversations", response={201: Made}, auth=CHAT, summary="Begin a chat")
def begin_chat(request: BearerRequest, new: NewChat) -> Any:
    """An empty chat, which is remembered like any other."""
    choices = Choices(
        agent=found_agent(request.user.id, new.agent) if new.agent else None,
        use_memory=new.use_memory,
        learn=new.learn,
        source=Chat.Source.API,
        project=new.project,
        title=new.title,
    )
    return Status(201, conversations.start(request.user.id, choices, timezone.now()))


@router.get("conversations/{uuid:conversation_id}", response=Conversation, summary="One chat")
def chat(request: BearerRequest, conversation_id: UUID) -> Any:
    """A chat without its messages."""
    return conversations.find(request.user.id, conversation_id)


@router.patch(
    "conversations/{uuid:conversation_id}",
    response=ChatEdited,
    auth=CHAT,
    summary="Change a chat",
)
def change_chat(request: BearerRequest, conversation_id: UUID, change: ChatChange) -> Any:
    """Another title, another agent, or what memory may do there."""
    found = conversations.find(request.user.id, conversation_id)
    agent = found_agent(request.user.id, change.agent) if change.agent else None
    return {"id": conversation_id, "edits": _apply(found, agent, change, timezone.now())}


@router.post("edits/{uuid:own_edit_id}/undo", response=ChatEdited, auth=CHAT, summary="Take it back")
def undo_chat_edit(request: BearerRequest, own_edit_id: UUID) -> Any:
    """Put back what a chat was called, or what stood in an agent, unless it was changed since."""
    try:
        edit = edits.undo(request.user.id, own_edit_id, timezone.now())
    except ChangedSince as error:
        sentence = "It was changed again since, so nothing was taken back."
        raise Refused(409, sentence) from error
    return {"id": edit.subject_id, "edits": [edit.id]}


@router.delete("conversations/{uuid:conversation_id}", response=Removed, auth=CHAT, summary="Delete it")
def delete_chat(request: BearerRequest, conversation_id: UUID, asked: Query[ForgetToo]) -> Any:
    """Delete a chat, which can be restored for 30 days; with `forget`, put what was remembered from
    it into the trash too."""
    found = conversations.find(request.user.id, conversation_id)
    return {"drawers": retention.remove(found, timezone.now(), forget_too=asked.forget)}


@router.get("conversations/deleted", response=Paged[Conversation], summary="Deleted chats")
def deleted_chats(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Those that can be restored, the latest deleted first."""
    return paged(search.deleted(request.user.id, asked.after, asked.limit))


@router.post("conversations/{uuid:conversation_id}/restore", response=Made, auth=CHAT, summary="Restore it")
def restore_chat(request: BearerRequest, conversation_id: UUID) -> Any:
    """Bring a deleted chat back, and what was forgotten with it."""
    return retention.restore(request.user.id, conversation_id, timezone.now())


@router.get(
    "conversations/{uuid:conversation_id}/messages",
    response=Paged[Message],
    summary="Messages of a chat",
)
def messages(request: BearerRequest, conversation_id: UUID, asked: Query[Asked]) -> Any:
    """The messages of every branch, in the order they came."""
    found = conversations.find(request.user.id, conversation_id)
    return paged(search.messages(found, asked.after, asked.limit))


@router.post(
    "conversations/{uuid:conversation_id}/messages",
    response={201: Kept},
    auth=CHAT,
    summary="Add a message",
)
def add_message(request: BearerRequest, conversation_id: UUID, new: NewMessage) -> Any:
    """Keep a message word for word. Nobody replies; `/v1/chat/completions` is for that."""
    found = conversations.find(request.user.id, conversation_id)
    message = LedgerMessage(
        role=new.role,
        content=new.content,
        parent=new.parent,
        said_at=new.said_at,
        model=new.model,
        tool=ToolUse(new.tool_name, new.tool_arguments, new.call_id),
    )
    try:
        return Status(201, conversations.append(found, message, timezone.now()))
    except MessageRefused as error:
        raise Refused(422, str(error)) from error


@router.get(
    "conversations/{uuid:conversation_id}/messages/{sequence}",
    response=Message,
    summary="One message",
)
def message(request: BearerRequest, conversation_id: UUID, sequence: Sequence) -> Any:
    """One message of a chat, by its number."""
    return message_at(conversations.find(request.user.id, conversation_id), sequence)


@router.post(
    "conversations/{uuid:conversation_id}/messages/{sequence}/show",
    response=Made,
    auth=CHAT,
    summary="Show a branch",
)
def show_branch(request: BearerRequest, conversation_id: UUID, sequence: Sequence) -> Any:
    """Show the newest branch of a chat that goes through this message."""
    found = conversations.find(request.user.id, conversation_id)
    conversations.show_branch(found, sequence)
    return found


@router.post("conversations/{uuid:conversation_id}/close", response=Made, auth=CHAT, summary="Close a chat")
def close_chat(request: BearerRequest, conversation_id: UUID) -> Any:
    """Say that a chat is over, so that it is remembered without waiting."""
    found = conversations.find(request.user.id, conversation_id)
    conversations.close(found, timezone.now())
    return found


@router.post("conversations/{uuid:conversation_id}/mine", response=Made, auth=CHAT, summary="Remember it now")
def mine_chat(request: BearerRequest, conversation_id: UUID) -> Any:
    """Have a chat remembered without waiting for it to fall quiet."""
    found = conversations.find(request.user.id, conversation_id)
    conversations.remember_now(found, timezone.now())
    return found


def _apply(conversation: Chat, agent: ChatAgent | None, change: ChatChange, now: datetime) -> list[UUID]:
    """Set the title, the agent and the switches of a chat as asked; returns what takes the title
    back."""
    with transaction.atomic():
        edit = None if change.title is None else retitle(conversation, change.title, now)
        given = {"use_memory": change.use_memory, "learn": change.learn}
        kept = {name: getattr(conversation, name) for name in given}
        told = {name: value for name, value in given.items() if value is not None}
        switch(conversation, {"agent": agent, **kept, **told})
    return [edit.id] if edit else []
