"""Conversations and their messages: creating, appending, branching, closing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from accounts.hooks import enqueue
from accounts.owned import NotFound
from chat.agents import default_agent
from chat.branches import message_at, newest_leaf
from chat.incognito import erase, is_open_in
from chat.models import Agent, Conversation, Message
from chat.titles import normalise_title, title_of
from memory.models import RecallTrace
from memory.text.sanitizing import storable

MAX_NAME_LENGTH, MAX_MODEL_LENGTH = 200, 120
MAX_MESSAGE_LENGTH = 2_000_000
BATCH_SIZE = 500
ROOT = 0
_STATE = ("last_sequence", "head_sequence", "last_message_at", "closed_at", "title")
"""The fields of a conversation that a new message changes."""


class MessageTooLong(ValueError):
    """The message is too long to store; the text is shown to its author."""


class ConversationNotFound(NotFound):
    """The conversation was deleted, or is not this user's."""


class ParentNotFound(NotFound):
    """The message to continue from is not in the conversation."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The tool that a message calls, with its arguments as written, or whose result it is.

    Both have the same `call_id`.
    """

    name: str = ""
    arguments: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to add.

    A tool call is an assistant's message with a `tool`, its result a message of role `tool`; parallel calls
    are separate messages. `parent` is the sequence of the message it follows, `ROOT` for none; by default the
    newest of the selected branch. `said_at` defaults to now.
    """

    role: str
    content: str
    parent: int | None = None
    said_at: datetime | None = None
    status: str = Message.Status.COMPLETE
    notice: str = ""
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: Decimal | None = None
    trace_id: UUID | None = None
    tool: ToolUse = ToolUse()


@dataclass(frozen=True, slots=True)
class Choices:
    """Settings of a new chat; without an agent it uses the default one."""

    agent: Agent | None = None
    recall_memory: bool = True
    mine: bool = True
    model: str = ""
    source: str = Conversation.Source.CHAT
    project: str = ""
    title: str = ""


def conversations_of(user_id: UUID, wanted: str = "") -> QuerySet[Conversation]:
    """The user's conversations, newest first; with `wanted`, those whose title contains its words."""
    found = Conversation.objects.filter(user_id=user_id, deleted_at=None, incognito=False)
    for word in wanted.split():
        found = found.filter(title__icontains=word)
    return found.order_by("-last_message_at", "-id")


def find(user_id: UUID, conversation_id: UUID, session: str = "") -> Conversation:
    """One of the user's conversations. Raises ConversationNotFound.

    An incognito chat only exists for the session that opened it.
    """
    found = find_for_reply(user_id, conversation_id)
    if found.incognito and not is_open_in(found, session):
        raise ConversationNotFound
    return found


def find_for_reply(user_id: UUID, conversation_id: UUID, *, locked: bool = False) -> Conversation:
    """The conversation to write a reply in, whichever session opened it. Raises ConversationNotFound."""
    rows = Conversation.objects.filter(user_id=user_id, id=conversation_id, deleted_at=None)
    found = (rows.select_for_update() if locked else rows).first()
    if found is None:
        raise ConversationNotFound
    return found


def is_expired(user_id: UUID, conversation_id: UUID) -> bool:
    """Whether this conversation existed and has expired, rather than been deleted."""
    expired = Conversation.objects.filter(user_id=user_id, expired_at=F("deleted_at"))
    return expired.filter(id=conversation_id).exists()


def start(user_id: UUID, choices: Choices, now: datetime) -> Conversation:
    """Create an empty conversation."""
    return Conversation.objects.create(
        user_id=user_id,
        agent_id=(choices.agent or default_agent(user_id)).id,
        title=normalise_title(choices.title),
        model=choices.model,
        source=choices.source,
        project=choices.project,
        recall_memory=choices.recall_memory,
        mine=choices.mine,
        started_at=now,
        last_message_at=now,
    )


def append(conversation: Conversation, new: NewMessage, now: datetime) -> Message:
    """Append a message to the ledger and select its branch.

    Sequences have no gaps, however many writers there are. The given `conversation` is updated in place.
    Raises MessageTooLong if the text is too long, ConversationNotFound, and ParentNotFound.
    """
    (message,) = extend(conversation, (new,), now)
    return message


def extend(conversation: Conversation, new_messages: Sequence[NewMessage], now: datetime) -> list[Message]:
    """Append consecutive messages to the ledger and select their branch.

    The first one's `parent` says where the branch starts; the others' are ignored. Raises what `append`
    raises, without adding any.
    """
    for new in new_messages:
        _check_length(new.content)
        _check_length(new.tool.arguments)
    with transaction.atomic():
        locked = lock(conversation)
        before, parent = locked.last_sequence, _resolve_parent(locked, new_messages[0].parent)
        messages = [
            _build_message(locked, new, (before + place, before + place - 1 if place > 1 else parent), now)
            for place, new in enumerate(new_messages, 1)
        ]
        Message.objects.bulk_create(messages, batch_size=BATCH_SIZE)
        _attach_traces(messages)
        _advance(locked, messages, now)
    _copy_state(locked, conversation)
    return messages


def lock(conversation: Conversation) -> Conversation:
    """Lock the conversation until the transaction ends and refresh the given one; returns the locked row.

    Raises ConversationNotFound.
    """
    locked = find_for_reply(conversation.user_id, conversation.id, locked=True)
    _copy_state(locked, conversation)
    return locked


def show_branch(conversation: Conversation, sequence: int) -> None:
    """Select the newest branch through this message. Raises NotFound."""
    message_at(conversation, sequence)
    with transaction.atomic():
        locked = lock(conversation)
        locked.head_sequence = newest_leaf(locked, sequence)
        locked.save(update_fields=("head_sequence",))
    _copy_state(locked, conversation)


def choose_model(conversation: Conversation, model: str) -> None:
    """Use this model from now on; an empty name means the agent's. Ignores invalid names."""
    if model == conversation.model or len(model) > MAX_MODEL_LENGTH or not model.isprintable():
        return
    conversation.model = model
    conversation.save(update_fields=("model",))


def pin(conversation: Conversation, now: datetime | None) -> None:
    """Pin the chat to the top of the list; None unpins it."""
    conversation.pinned_at = now
    conversation.save(update_fields=("pinned_at",))


def update_settings(conversation: Conversation, chosen: Mapping[str, Any]) -> None:
    """Set `agent`, `recall_memory` and `mine`; an agent of None changes nothing."""
    if chosen["agent"] is not None:
        conversation.agent_id = chosen["agent"].id
    conversation.recall_memory = chosen["recall_memory"]
    conversation.mine = chosen["mine"]
    conversation.save(update_fields=("agent_id", "recall_memory", "mine"))


def close(conversation: Conversation, now: datetime) -> None:
    """Close the chat, so that it is mined without waiting; an incognito one is erased."""
    if conversation.incognito:
        erase(conversation)
        return
    conversation.closed_at = now
    conversation.save(update_fields=("closed_at",))
    _queue_mining(conversation)


def request_conversation_mining(conversation: Conversation, now: datetime) -> None:
    """Request mining without waiting for the chat to be idle; an incognito one is never mined."""
    if conversation.incognito:
        return
    conversation.mine_requested_at = now
    conversation.save(update_fields=("mine_requested_at",))
    _queue_mining(conversation)


def _check_length(content: str) -> None:
    if len(content) > MAX_MESSAGE_LENGTH:
        sentence = _(
            "A message can have at most %(most)s characters; this one has %(count)s. Split it into several "
            "messages."
        )
        numbers = {"most": f"{MAX_MESSAGE_LENGTH:,}", "count": f"{len(content):,}"}
        raise MessageTooLong(sentence % numbers)


def _resolve_parent(conversation: Conversation, wanted: int | None) -> int | None:
    if wanted is None:
        return conversation.head_sequence or None
    if wanted > conversation.last_sequence:
        raise ParentNotFound
    return wanted or None


def _build_message(
    conversation: Conversation, new: NewMessage, place: tuple[int, int | None], now: datetime
) -> Message:
    sequence, parent = place
    return Message(
        user_id=conversation.user_id,
        conversation_id=conversation.id,
        sequence=sequence,
        parent_sequence=parent,
        role=new.role,
        content=storable(new.content).text,
        tool_name=storable(new.tool.name).text[:MAX_NAME_LENGTH],
        tool_arguments=storable(new.tool.arguments).text,
        call_id=storable(new.tool.call_id).text[:MAX_NAME_LENGTH],
        status=new.status,
        notice=new.notice,
        model=new.model,
        input_tokens=new.input_tokens,
        output_tokens=new.output_tokens,
        cost_usd=new.cost_usd,
        trace_id=new.trace_id,
        said_at=new.said_at or now,
        created_at=now,
    )


def _attach_traces(messages: Sequence[Message]) -> None:
    """Keep the traces of these messages for as long as the messages."""
    ids = [message.trace_id for message in messages if message.trace_id]
    if ids:
        traces = RecallTrace.objects.filter(user_id=messages[0].user_id, id__in=ids, without_reply=True)
        traces.update(without_reply=False)


def _advance(conversation: Conversation, messages: Sequence[Message], now: datetime) -> None:
    conversation.last_sequence = conversation.head_sequence = messages[-1].sequence
    latest = max(conversation.last_message_at, *(message.said_at for message in messages))
    conversation.last_message_at = min(latest, now)
    conversation.closed_at = None
    spoken = (message.content for message in messages if message.role == Message.Role.USER)
    conversation.title = conversation.title or title_of(next(spoken, ""))
    conversation.save(update_fields=_STATE)


def _copy_state(fresh: Conversation, conversation: Conversation) -> None:
    for name in _STATE:
        setattr(conversation, name, getattr(fresh, name))


def _queue_mining(conversation: Conversation) -> None:
    user_id = conversation.user_id
    transaction.on_commit(lambda: enqueue("mine", user_id))
