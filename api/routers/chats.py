"""Conversations and their messages: reading, keeping, closing and deleting them."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router, Status

from accounts.http import BearerRequest
from api.arranging import change_chat as changed
from api.doors import CHAT
from api.paging import Asked, Paged, paged
from api.problems import Refused
from api.schemas import chats as told
from api.schemas.values import Made
from chat import conversation_lists, conversations, removal
from chat.agents import found_agent
from chat.branches import message_at
from chat.conversations import Choices, MessageRefused, NewMessage, ToolUse
from chat.edits import ChangedSince, take_back
from chat.models import Conversation

router = Router(tags=["Conversations"])


@router.get("conversations", response=Paged[told.Conversation], summary="Chats, newest first")
def chats(request: BearerRequest, asked: Query[told.WantedChats]) -> Any:
    """Every chat that is kept."""
    found = conversation_lists.conversations(request.user.id, asked.q, asked.after, asked.limit)
    return paged(found)


@router.post("conversations", response={201: Made}, auth=CHAT, summary="Begin a chat")
def begin_chat(request: BearerRequest, new: told.NewChat) -> Any:
    """An empty chat, which is remembered like any other."""
    choices = Choices(
        agent=found_agent(request.user.id, new.agent) if new.agent else None,
        use_memory=new.use_memory,
        learn=new.learn,
        source=Conversation.Source.API,
        project=new.project,
        title=new.title,
    )
    return Status(201, conversations.start(request.user.id, choices, timezone.now()))


@router.get("conversations/{uuid:conversation_id}", response=told.Conversation, summary="One chat")
def chat(request: BearerRequest, conversation_id: UUID) -> Any:
    """A chat without its messages."""
    return conversations.find(request.user.id, conversation_id)


@router.patch(
    "conversations/{uuid:conversation_id}",
    response=told.ChatEdited,
    auth=CHAT,
    summary="Change a chat",
)
def change_chat(request: BearerRequest, conversation_id: UUID, change: told.ChatChange) -> Any:
    """Another title, another agent, or what memory may do there."""
    found = conversations.find(request.user.id, conversation_id)
    agent = found_agent(request.user.id, change.agent) if change.agent else None
    edits = changed(found, agent, change, timezone.now())
    return {"id": conversation_id, "edits": edits}


@router.post(
    "edits/{uuid:own_edit_id}/undo", response=told.ChatEdited, auth=CHAT, summary="Take it back"
)
def undo_chat_edit(request: BearerRequest, own_edit_id: UUID) -> Any:
    """Put back what a chat was called, or what stood in an agent, unless it was changed since."""
    try:
        edit = take_back(request.user.id, own_edit_id, timezone.now())
    except ChangedSince as error:
        sentence = "It was changed again since, so nothing was taken back."
        raise Refused(409, sentence) from error
    return {"id": edit.agent_id or edit.conversation_id, "edits": [edit.id]}


@router.delete(
    "conversations/{uuid:conversation_id}", response=told.Removed, auth=CHAT, summary="Delete it"
)
def delete_chat(request: BearerRequest, conversation_id: UUID, asked: Query[told.ForgetToo]) -> Any:
    """Delete a chat, which can be restored for 30 days; with `forget`, put what was remembered from
    it into the trash too."""
    found = conversations.find(request.user.id, conversation_id)
    return {"drawers": removal.remove(found, timezone.now(), forget_too=asked.forget)}


@router.get("conversations/deleted", response=Paged[told.Conversation], summary="Deleted chats")
def deleted_chats(request: BearerRequest, asked: Query[Asked]) -> Any:
    """Those that can be restored, the latest deleted first."""
    return paged(conversation_lists.deleted(request.user.id, asked.after, asked.limit))


@router.post(
    "conversations/{uuid:conversation_id}/restore", response=Made, auth=CHAT, summary="Restore it"
)
def restore_chat(request: BearerRequest, conversation_id: UUID) -> Any:
    """Bring a deleted chat back, and what was forgotten with it."""
    return removal.restore(request.user.id, conversation_id, timezone.now())


@router.get(
    "conversations/{uuid:conversation_id}/messages",
    response=Paged[told.Message],
    summary="Messages of a chat",
)
def messages(request: BearerRequest, conversation_id: UUID, asked: Query[Asked]) -> Any:
    """The messages of every branch, in the order they came."""
    found = conversations.find(request.user.id, conversation_id)
    return paged(conversation_lists.messages(found, asked.after, asked.limit))


@router.post(
    "conversations/{uuid:conversation_id}/messages",
    response={201: told.Kept},
    auth=CHAT,
    summary="Add a message",
)
def add_message(request: BearerRequest, conversation_id: UUID, new: told.NewMessage) -> Any:
    """Keep a message word for word. Nobody replies; `/v1/chat/completions` is for that."""
    found = conversations.find(request.user.id, conversation_id)
    message = NewMessage(
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
    response=told.Message,
    summary="One message",
)
def message(request: BearerRequest, conversation_id: UUID, sequence: told.Sequence) -> Any:
    """One message of a chat, by its number."""
    return message_at(conversations.find(request.user.id, conversation_id), sequence)


@router.post(
    "conversations/{uuid:conversation_id}/messages/{sequence}/show",
    response=Made,
    auth=CHAT,
    summary="Show a branch",
)
def show_branch(request: BearerRequest, conversation_id: UUID, sequence: told.Sequence) -> Any:
    """Show the newest branch of a chat that goes through this message."""
    found = conversations.find(request.user.id, conversation_id)
    conversations.show_branch(found, sequence)
    return found


@router.post(
    "conversations/{uuid:conversation_id}/close", response=Made, auth=CHAT, summary="Close a chat"
)
def close_chat(request: BearerRequest, conversation_id: UUID) -> Any:
    """Say that a chat is over, so that it is remembered without waiting."""
    found = conversations.find(request.user.id, conversation_id)
    conversations.close(found, timezone.now())
    return found


@router.post(
    "conversations/{uuid:conversation_id}/mine", response=Made, auth=CHAT, summary="Remember it now"
)
def mine_chat(request: BearerRequest, conversation_id: UUID) -> Any:
    """Have a chat remembered without waiting for it to fall quiet."""
    found = conversations.find(request.user.id, conversation_id)
    conversations.remember_now(found, timezone.now())
    return found
