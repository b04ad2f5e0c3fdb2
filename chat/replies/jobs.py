"""Replies in progress: requested, claimed by one writer, followed, stopped, added to the ledger.

The row is authoritative for every process; it is deleted when the reply reaches the ledger.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from accounts.owned import NotFound
from chat.branches import is_newest, message_at, messages_of
from chat.conversations import ConversationNotFound, NewMessage, append, extend, lock
from chat.models import Conversation, Generation, Message
from chat.replies.compaction import history
from chat.replies.prompts import taking_turns
from llm import current
from llm.gateway import ChatRequest
from llm.types import Usage
from memory.models import Usage as UsageRow
from memory.usage.records import Purpose, is_recorded, record_usage

HEARTBEAT_S = 20.0
MAX_STEPS = 100
UNWATCHED_TIMEOUT = timedelta(minutes=2)

INTERRUPTED = gettext_noop("The reply was interrupted.")
NO_FOLLOWERS = gettext_noop("No page was open any more, so the reply was stopped here.")
STOPPED = gettext_noop("You stopped this reply.")
STOPPED_BEFORE = gettext_noop("You stopped this reply before it began.")


class ReplyInProgress(Exception):
    """A reply in this conversation is being written."""


class ConversationMovedOn(Exception):
    """The conversation has newer messages than the writer of a message has seen."""


def request_reply(conversation: Conversation, sequence: int, now: datetime) -> Generation:
    """Request a reply to a user's message.

    Raises ReplyInProgress while another reply is being written, and NotFound if the message is not one of
    the user's.
    """
    if message_at(conversation, sequence).role != Message.Role.USER:
        raise NotFound
    settle_interrupted(conversation, now)
    waiting = pending(conversation)
    if waiting is not None and waiting.state == Generation.State.WAITING:
        _rows(waiting).filter(state=Generation.State.WAITING).delete()
    try:
        with transaction.atomic():
            return Generation.objects.create(
                user_id=conversation.user_id,
                conversation_id=conversation.id,
                parent_sequence=sequence,
                requested_at=now,
                last_polled_at=now,
            )
    except IntegrityError as error:
        raise ReplyInProgress from error


def send_message(
    conversation: Conversation,
    content: str,
    now: datetime,
    *,
    parent: int | None = None,
    seen: int | None = None,
) -> tuple[Message, Generation]:
    """Add a user's message and request a reply to it: both or neither.

    `seen` is the newest message its writer knows of; raises ConversationMovedOn if anything but a reply to it
    has followed, and what `append` and `request_reply` raise.
    """
    new = NewMessage(role=Message.Role.USER, content=content, parent=parent)
    settle_interrupted(conversation, now)
    with transaction.atomic():
        lock(conversation)
        if seen is not None and not is_newest(conversation, seen):
            raise ConversationMovedOn
        message = append(conversation, new, now)
        return message, request_reply(conversation, message.sequence, now)


def pending(conversation: Conversation) -> Generation | None:
    """The requested or running reply in a conversation, if any."""
    return Generation.objects.filter(user_id=conversation.user_id, conversation_id=conversation.id).first()


def claim(generation: Generation, now: datetime, *, watched: bool = True) -> bool:
    """Become the only writer of a reply; False if there already is one.

    The writer has to send a heartbeat within `HEARTBEAT_S`. A reply that is not `watched` is finished even if
    no page follows it.
    """
    waiting = _rows(generation).filter(state=Generation.State.WAITING)
    until = now + timedelta(seconds=HEARTBEAT_S)
    since = now if watched else None
    return bool(waiting.update(state=Generation.State.RUNNING, alive_until=until, last_polled_at=since))


def heartbeat(
    generation: Generation,
    text: str,
    now: datetime,
    tools: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """Send a heartbeat with the text so far and the running tools. Returns why to stop, empty to continue."""
    until = now + timedelta(seconds=HEARTBEAT_S)
    _rows(generation).update(text=text, tools=dict(tools), alive_until=until)
    row = _rows(generation).values_list("stop_requested", "last_polled_at").first()
    stop_requested, last_polled_at = row or (True, None)  # without a row, the chat is gone
    if stop_requested:
        return STOPPED
    return NO_FOLLOWERS if last_polled_at and last_polled_at < now - UNWATCHED_TIMEOUT else ""


def record_recall(generation: Generation, trace_id: UUID | None) -> None:
    """Tell followers what was recalled."""
    _rows(generation).update(trace_id=trace_id)


def follow(generation: Generation, now: datetime) -> Generation | None:
    """The progress of a reply; also tells its writer that somebody is following."""
    if not _rows(generation).update(last_polled_at=now):
        return None
    return _rows(generation).first()


def finish(
    generation: Generation,
    new: NewMessage,
    usage: Usage | None,
    now: datetime,
    steps: Sequence[NewMessage] = (),
) -> Message | None:
    """Move the reply to the ledger, after the `steps` that led to it.

    Returns None if that was done before or the chat is gone.
    """
    conversation = Conversation(user_id=generation.user_id, id=generation.conversation_id)
    purpose = Purpose(generation.user_id, UsageRow.Source.CHAT, now, generation.id)
    with transaction.atomic():
        taken, _ = _rows(generation).delete()
        if usage is not None and (taken or not is_recorded(purpose)):
            record_usage(purpose, usage)
        if not taken:
            return None
        try:
            first, *rest = (*steps, new)
            first = replace(first, parent=generation.parent_sequence)
            return extend(conversation, (first, *rest), now)[-1]
        except ConversationNotFound:
            return None


def request_stop(conversation: Conversation, now: datetime) -> None:
    """Ask the writer to stop; a reply that has no writer yet ends at once."""
    generation = pending(conversation)
    if generation is None:
        return
    if claim(generation, now):
        finish(generation, _partial_reply(generation, Message.Status.STOPPED, STOPPED_BEFORE), None, now)
    else:
        _rows(generation).update(stop_requested=True)


def settle_interrupted(conversation: Conversation, now: datetime) -> bool:
    """Add the unfinished reply of a dead writer to the ledger, with a notice; False if there is none."""
    generation = pending(conversation)
    if generation is None or not is_interrupted(generation, now):
        return False
    ended = _partial_reply(generation, Message.Status.FAILED, INTERRUPTED)
    return finish(generation, ended, _abandoned_usage(conversation, generation), now) is not None


def is_interrupted(generation: Generation, now: datetime) -> bool:
    """Whether the writer missed its heartbeat."""
    running = generation.state == Generation.State.RUNNING
    return running and generation.alive_until is not None and generation.alive_until < now


def steps_to_reply(conversation: Conversation, sequence: int) -> list[Message]:
    """The newest reply to a message, after the tool calls and results that led to it."""
    found: list[Message] = []
    spoken = messages_of(conversation).exclude(role=Message.Role.USER).order_by("-sequence")
    while len(found) < MAX_STEPS:
        following = spoken.filter(parent_sequence=sequence).first()
        if following is None:
            break
        found.append(following)
        sequence = following.sequence
    return found


def _abandoned_usage(conversation: Conversation, generation: Generation) -> Usage | None:
    """The cost of a dead writer's reply: the chat before it and what was written."""
    if not generation.text:
        return None
    before = history(conversation, generation.parent_sequence)
    request = ChatRequest(tuple(taking_turns(before.turns)))
    return current.estimated_usage(request, generation.text, 0)


def _partial_reply(generation: Generation, status: str, notice: str) -> NewMessage:
    return NewMessage(
        role=Message.Role.ASSISTANT,
        content=generation.text,
        parent=generation.parent_sequence,
        status=status,
        notice=notice,
        trace_id=generation.trace_id,
    )


def _rows(generation: Generation) -> QuerySet[Generation]:
    return Generation.objects.filter(user_id=generation.user_id, id=generation.id)
