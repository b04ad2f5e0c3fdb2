"""Passes spans of the ledger to memory as frozen transcripts."""

from collections.abc import Iterable
from dataclasses import replace

from chat.branches import messages_of
from chat.models import MEMORY_ONLY, Conversation, Message
from llm.openai_format import without_thoughts
from memory.mining.transcripts import CONVERSATION, Transcript, Turn

EARLIER_TURNS = 2


def transcript(conversation: Conversation, after: int, most: int) -> Transcript:
    """Up to `most` messages after a sequence number, in order, and the two before them."""
    messages = messages_of(conversation).filter(sequence__gt=after - EARLIER_TURNS)
    read = tuple(turns(messages.order_by("sequence")[: most + EARLIER_TURNS]))
    following = [turn for turn in read if turn.sequence > after]
    return replace(
        transcript_of(conversation),
        turns=tuple(following[:most]),
        earlier=tuple(turn for turn in read if turn.sequence <= after),
    )


def transcript_of(conversation: Conversation) -> Transcript:
    """The title, dates and source of a whole chat, without turns."""
    return Transcript(
        user_id=conversation.user_id,
        source_kind=CONVERSATION,
        source_id=conversation.id,
        title=conversation.title,
        started_at=conversation.started_at,
        turns=(),
        project=conversation.project,
    )


def turns(messages: Iterable[Message]) -> Iterable[Turn]:
    """Messages as turns.

    A reply quoting drawers repeats memory and is no evidence, so it becomes a system turn, which is never
    mined. What an assistant thought before it replied is left out: messages of programs and imports have it.
    A tool result without a tool name gets that of the call it answers.
    """
    called: dict[str, str] = {}
    for message in messages:
        if message.call_id and message.tool_name:
            called[message.call_id] = message.tool_name
        yield Turn(
            message_id=message.id,
            sequence=message.sequence,
            role="system" if message.model == MEMORY_ONLY else message.role,  # type: ignore[arg-type]
            content=_said(message),
            said_at=message.said_at,
            tool_name=message.tool_name or called.get(message.call_id, ""),
            tool_arguments=message.tool_arguments,
            call_id=message.call_id,
        )


def _said(message: Message) -> str:
    if message.role != Message.Role.ASSISTANT:
        return message.content
    return without_thoughts(message.content, ended=False)
