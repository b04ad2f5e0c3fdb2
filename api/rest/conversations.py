"""Conversations, their messages, and agents."""

from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from ninja import Path, Query, Router, Schema, Status
from ninja.decorators import decorate_view
from pydantic import Field

from accounts.http import BearerRequest
from accounts.owned import NotFound
from api.auth import CHAT
from api.rest.idempotency import in_one_transaction
from api.rest.schemas import Id, Moment, OptionalName, Paged, PageQuery, SearchQuery, StrictSchema
from chat import agents, conversations, edits, models, retention, titles
from chat.branches import message_at, messages_of
from chat.mining.status import mining_status_of
from chat.projects import change_project
from chat.search import search_chats
from memory.paging import after_number, cut, number_and_id

router = Router(tags=["Conversations"])
agent_router = Router(tags=["Agents"])
router.add_router("", agent_router)
Title = Annotated[str, Field(max_length=titles.MAX_TITLE_LENGTH)]
Content = Annotated[str, Field(max_length=conversations.MAX_MESSAGE_LENGTH)]
Instructions = Annotated[str, Field(max_length=20_000)]
AgentName = Annotated[str, Field(min_length=1, max_length=120)]
ModelName = Annotated[str, Field(max_length=120)]
Sequence = Annotated[int, Path(ge=1, le=2**31 - 1)]
MiningState = Literal[
    "off", "empty", "done", "due", "waiting", "late", "full", "reextracting", "failed"
]  # fmt: skip
ParentSequence = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Conversation(Schema):
    """A conversation. `head_sequence` is the newest message of the selected branch."""

    id: UUID
    title: str
    agent_id: UUID | None
    model: str
    source: str
    project: str
    recall_memory: bool
    mine: bool
    last_sequence: int
    head_sequence: int
    pinned_at: datetime | None
    closed_at: datetime | None
    started_at: datetime
    last_message_at: datetime


class Message(Schema):
    """A message. Messages with the same `parent_sequence` start different branches."""

    id: UUID
    sequence: int
    parent_sequence: int | None
    role: str
    content: str
    status: str
    notice: str
    tool_name: str
    tool_arguments: str
    tool_call_id: str = Field(validation_alias="call_id")
    model: str
    input_tokens: int | None
    output_tokens: int | None
    trace_id: UUID | None
    said_at: datetime


class NewConversation(StrictSchema):
    """A conversation to create, with the default agent unless `agent` is given."""

    title: Title = ""
    agent: UUID | None = None
    recall_memory: bool = True
    mine: bool = True
    project: OptionalName = ""


class ConversationUpdate(StrictSchema):
    """The fields to change; omitted fields stay as they are. An empty `project` removes it."""

    title: Title | None = None
    agent: UUID | None = None
    recall_memory: bool | None = None
    mine: bool | None = None
    project: OptionalName | None = None
    pinned: bool | None = None


class Edits(Schema):
    """The object that changed. Each of `edits` is a change of an agent, a new title, or the move of saved
    drawers to the wing of another project. Undo it with `POST /undo/{id}` or, if your token lacks the scope
    `write`, all but the move with `POST /edits/{id}/undo`, within 30 days. Switches such as `mine` and
    `pinned` have no edit; set them back instead."""

    id: UUID
    edits: list[UUID]


class NewMessage(StrictSchema):
    """A message to add: to the selected branch, or after the message `parent` (0 for none). A tool call is an
    `assistant` message with a `tool_name`; its result has the role `tool`."""

    role: Literal["user", "assistant", "tool", "system"]
    content: Content
    parent: ParentSequence | None = None
    said_at: Moment | None = None
    tool_name: OptionalName = ""
    tool_arguments: Content = ""
    tool_call_id: OptionalName = ""
    model: ModelName = ""


class AddedMessage(Schema):
    """The message that was added."""

    id: UUID
    sequence: int


class DeleteQuery(Schema):
    """Whether to forget what was mined from the conversation too."""

    forget: bool = False


class DeletedConversation(Schema):
    """How many drawers were moved to the trash with the conversation."""

    drawers: int


class MiningBatch(Schema):
    """What one run of mining stored. Undo it with `POST /undo/{event_id}`; `deletion_id` is set
    while it is undone."""

    event_id: UUID
    drawers: int
    facts: list[str]
    more_facts: int
    for_review: int
    deletion_id: UUID | None


class MinedConversation(Schema):
    """What was mined from a conversation; `notice` explains the `state`."""

    state: MiningState
    notice: str = Field(validation_alias="words")
    batches: list[MiningBatch]


class Agent(Schema):
    """A persona to chat with."""

    id: UUID
    name: str
    instructions: str
    model: str
    recall_memory: bool
    mine: bool
    is_default: bool


class NewAgent(StrictSchema):
    """An agent to create."""

    name: AgentName
    instructions: Instructions = ""
    model: ModelName = ""
    recall_memory: bool = True
    mine: bool = True


class AgentUpdate(StrictSchema):
    """The fields to change; omitted fields stay as they are."""

    name: AgentName | None = None
    instructions: Instructions | None = None
    model: ModelName | None = None
    recall_memory: bool | None = None
    mine: bool | None = None


@router.get("conversations", response=Paged[Conversation])
def list_conversations(request: BearerRequest, query: Query[SearchQuery]) -> Any:
    """List conversations, newest first."""
    return query.page_of(search_chats(request.user.id, query.q), "-last_message_at")


@router.post("conversations", response={201: Id}, auth=CHAT)
@decorate_view(in_one_transaction)
def create_conversation(request: BearerRequest, new: NewConversation) -> Any:
    """Create an empty conversation."""
    choices = conversations.Choices(
        **new.model_dump(exclude={"agent"}),
        agent=agents.get_agent(request.user.id, new.agent) if new.agent else None,
        source=models.Conversation.Source.API,
    )
    return Status(201, conversations.start(request.user.id, choices, timezone.now()))


@router.get("conversations/deleted", response=Paged[Conversation])
def list_deleted_conversations(request: BearerRequest, query: Query[PageQuery]) -> Any:
    """List deleted conversations that can be restored, the latest deleted first."""
    return query.page_of(retention.restorable_chats(request.user.id), "-deleted_at")


@router.get("conversations/{uuid:conversation_id}", response=Conversation)
def get_conversation(request: BearerRequest, conversation_id: UUID) -> Any:
    """Get a conversation without its messages."""
    return _found(request, conversation_id)


@router.patch("conversations/{uuid:conversation_id}", response=Edits, auth=CHAT)
def update_conversation(request: BearerRequest, conversation_id: UUID, change: ConversationUpdate) -> Any:
    """Change the title, agent, project or memory switches of a conversation, or pin it."""
    found = _found(request, conversation_id)
    agent = agents.get_agent(request.user.id, change.agent) if change.agent else None
    return {"id": conversation_id, "edits": _apply(found, agent, change, timezone.now())}


@router.delete("conversations/{uuid:conversation_id}", response=DeletedConversation, auth=CHAT)
def delete_conversation(request: BearerRequest, conversation_id: UUID, query: Query[DeleteQuery]) -> Any:
    """Delete a conversation.

    It can be restored for 30 days. With `forget`, what was mined from it moves to the trash too."""
    found = _found(request, conversation_id)
    return {"drawers": retention.remove(found, timezone.now(), forget_too=query.forget)}


@router.post("conversations/{uuid:conversation_id}/restore", response=Id, auth=CHAT)
def restore_conversation(request: BearerRequest, conversation_id: UUID) -> Any:
    """Restore a deleted conversation, and what was forgotten with it."""
    try:
        return retention.restore(request.user.id, conversation_id, timezone.now())
    except NotFound:
        return _found(request, conversation_id)


@router.post("conversations/{uuid:conversation_id}/close", response=Id, auth=CHAT)
def close_conversation(request: BearerRequest, conversation_id: UUID) -> Any:
    """Close a conversation so that it is mined without waiting."""
    found = _found(request, conversation_id)
    conversations.close(found, timezone.now())
    return found


@router.post("conversations/{uuid:conversation_id}/mine", response=Id, auth=CHAT)
def mine_conversation(request: BearerRequest, conversation_id: UUID) -> Any:
    """Mine a conversation now."""
    found = _found(request, conversation_id)
    conversations.request_conversation_mining(found, timezone.now())
    return found


@router.get("conversations/{uuid:conversation_id}/mined", response=MinedConversation)
def get_mined_conversation(request: BearerRequest, conversation_id: UUID) -> Any:
    """Get what was mined from a conversation or, if nothing was, why."""
    return mining_status_of(_found(request, conversation_id), timezone.now())


@router.get("conversations/{uuid:conversation_id}/messages", response=Paged[Message])
def list_messages(request: BearerRequest, conversation_id: UUID, query: Query[PageQuery]) -> Any:
    """List the messages of all branches in the order they were added."""
    found = messages_of(_found(request, conversation_id)).order_by("sequence")
    if query.after:
        found = found.filter(sequence__gt=number_and_id(query.after)[0])
    return cut(found, query.limit, lambda message: after_number(message.sequence, message.id))


@router.post("conversations/{uuid:conversation_id}/messages", response={201: AddedMessage}, auth=CHAT)
@decorate_view(in_one_transaction)
def create_message(request: BearerRequest, conversation_id: UUID, new: NewMessage) -> Any:
    """Add a message verbatim.

    This does not generate a reply; use `/v1/chat/completions` for that."""
    message = conversations.NewMessage(
        role=new.role,
        content=new.content,
        parent=new.parent,
        said_at=new.said_at,
        model=new.model,
        tool=conversations.ToolUse(new.tool_name, new.tool_arguments, new.tool_call_id),
    )
    return Status(201, conversations.append(_found(request, conversation_id), message, timezone.now()))


@router.get("conversations/{uuid:conversation_id}/messages/{sequence}", response=Message)
def get_message(request: BearerRequest, conversation_id: UUID, sequence: Sequence) -> Any:
    """Get a message by its sequence number."""
    return message_at(_found(request, conversation_id), sequence)


@router.post("conversations/{uuid:conversation_id}/messages/{sequence}/select", response=Id, auth=CHAT)
def select_branch(request: BearerRequest, conversation_id: UUID, sequence: Sequence) -> Any:
    """Select the newest branch that contains a message."""
    found = _found(request, conversation_id)
    conversations.show_branch(found, sequence)
    return found


@router.post("edits/{uuid:edit_id}/undo", response=Edits, auth=CHAT)
def undo_edit(request: BearerRequest, edit_id: UUID) -> Any:
    """Undo an edit of a conversation or an agent."""
    edit = edits.undo(request.user.id, edit_id, timezone.now())
    return {"id": edit.subject_id, "edits": [edit.id]}


@agent_router.get("agents", response=list[Agent])
def list_agents(request: BearerRequest) -> Any:
    """List agents, the default one first."""
    agents.default_agent(request.user.id)
    return agents.agents_of(request.user.id)


@agent_router.post("agents", response={201: Id}, auth=CHAT)
@decorate_view(in_one_transaction)
def create_agent(request: BearerRequest, new: NewAgent) -> Any:
    """Create an agent."""
    return Status(201, agents.create_agent(request.user.id, new.model_dump()))


@agent_router.get("agents/{uuid:agent_id}", response=Agent)
def get_agent(request: BearerRequest, agent_id: UUID) -> Any:
    """Get an agent."""
    return agents.get_agent(request.user.id, agent_id)


@agent_router.patch("agents/{uuid:agent_id}", response=Edits, auth=CHAT)
def update_agent(request: BearerRequest, agent_id: UUID, change: AgentUpdate) -> Any:
    """Change an agent from the next message on."""
    found = agents.get_agent(request.user.id, agent_id)
    edit = edits.edit_agent(found, change.model_dump(exclude_none=True), timezone.now())
    return {"id": agent_id, "edits": [edit.batch_id] if edit else []}


@agent_router.delete("agents/{uuid:agent_id}", response=Id, auth=CHAT)
def delete_agent(request: BearerRequest, agent_id: UUID) -> Any:
    """Delete an agent.

    Its conversations continue with the default agent. It can be restored for 30 days."""
    agents.remove_agent(agents.get_agent(request.user.id, agent_id), timezone.now())
    return {"id": agent_id}


@agent_router.post("agents/{uuid:agent_id}/restore", response=Id, auth=CHAT)
def restore_agent(request: BearerRequest, agent_id: UUID) -> Any:
    """Restore a deleted agent."""
    with suppress(NotFound):
        agents.undelete_agent(request.user.id, agent_id)
    return agents.get_agent(request.user.id, agent_id)


@agent_router.post("agents/{uuid:agent_id}/default", response=Id, auth=CHAT)
def make_agent_default(request: BearerRequest, agent_id: UUID) -> Any:
    """Make an agent the default for new conversations."""
    found = agents.get_agent(request.user.id, agent_id)
    agents.make_default(found)
    return found


def _found(request: BearerRequest, conversation_id: UUID) -> models.Conversation:
    return conversations.find(request.user.id, conversation_id)


def _apply(
    conversation: models.Conversation, agent: models.Agent | None, change: ConversationUpdate, now: datetime
) -> list[UUID]:
    """Update a conversation; returns the ids that undo the new title and the move to another wing."""
    switches = {
        "agent": agent,
        "recall_memory": conversation.recall_memory if change.recall_memory is None else change.recall_memory,
        "mine": conversation.mine if change.mine is None else change.mine,
    }
    with transaction.atomic():
        edit = None if change.title is None else titles.rename(conversation, change.title, now)
        conversations.update_settings(conversation, switches)
        moved = None if change.project is None else change_project(conversation, change.project, now)
        if change.pinned is not None and change.pinned != bool(conversation.pinned_at):
            conversations.pin(conversation, now if change.pinned else None)
    return [each.batch_id for each in (edit, moved) if each]
