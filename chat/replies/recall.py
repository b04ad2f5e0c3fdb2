"""Recall for a chat: the recalled drawers, the stored trace, and what went wrong."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import structlog
from django.db import DatabaseError
from django.utils.translation import gettext_noop

from chat.models import Message
from llm.errors import ModelError
from memory.models import RecallTrace
from memory.recall.pipeline import recall
from memory.recall.trace import new_trace
from memory.recall.types import Hit, Recall, RecallRequest, RecallSettings
from memory.search.time_limit import TimeLimit, TooSlow

EARLIER_TURNS = 6
TRACE_MS = 1_000

MEMORY_FAILED = gettext_noop("Memory was unavailable, so this reply does not use it.")
NO_TRACE = gettext_noop("The recall trace could not be saved.")
MEMORY_OFF = gettext_noop("Memory is off, so nothing was searched.")
NOT_SEARCHED = gettext_noop("Memory was not searched for this message.")
NOTHING_FOUND = gettext_noop("Nothing said before matches this message.")
NOTHING_ELSEWHERE = gettext_noop("Nothing said in your other chats matches this message.")

Source = RecallTrace.Source
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RecallOutcome:
    """The block for a model, its drawers, the trace, and a sentence about what failed.

    `nothing` says what it means if there are no drawers.
    """

    block: str = ""
    hits: tuple[Hit, ...] = ()
    trace_id: UUID | None = None
    notice: str = ""
    nothing: str = MEMORY_OFF


def recall_request(
    message: Message,
    history: list[Message],
    settings: RecallSettings,
    wing_id: UUID | None,
    now: datetime,
    *,
    quoted: bool = False,
) -> RecallRequest:
    """The recall request of a reply: the message and the turns before it; drawers of the wing of its project
    are preferred. The chat itself is only searched if the drawers are `quoted`, because models read it."""
    earlier = [turn.content for turn in history[:-1] if turn.role == Message.Role.USER]
    return RecallRequest(
        user_id=message.user_id,
        message=message.content,
        now=now,
        history=tuple(earlier[-EARLIER_TURNS:]),
        settings=settings,
        exclude_source_id=None if quoted else message.conversation_id,
        quoted=quoted,
        called_at=now,
        wing_id=wing_id,
    )


def try_recall(request: RecallRequest, source: Source = Source.CHAT) -> RecallOutcome:
    """Recall and store the trace; failures are described and never raised."""
    try:
        found = recall(request)
    except (DatabaseError, ModelError) as failure:
        log.warning("memory failed", error=type(failure).__name__)
        return RecallOutcome(notice=MEMORY_FAILED, nothing=NOT_SEARCHED)
    trace_id = store_trace(request, found, source)
    notices = [lost.words for lost in found.trace.degraded]
    notices += [] if trace_id else [NO_TRACE]
    notice = " ".join(dict.fromkeys(notices))
    return RecallOutcome(found.block, found.hits, trace_id, notice, nothing_found(request, found))


def nothing_found(request: RecallRequest, found: Recall) -> str:
    """What it means if a recall has no hits."""
    if not found.trace.decision.search:
        return NOT_SEARCHED
    return NOTHING_ELSEWHERE if request.exclude_source_id else NOTHING_FOUND


def store_trace(request: RecallRequest, found: Recall, source: Source) -> UUID | None:
    """The id of the stored trace; None if the database did not accept it in time."""
    trace = new_trace(request, found, source)
    try:
        with TimeLimit(TRACE_MS).stage():
            trace.save(force_insert=True)
    except (DatabaseError, TooSlow) as failure:
        log.warning("trace not kept", error=type(failure).__name__)
        return None
    return trace.id
