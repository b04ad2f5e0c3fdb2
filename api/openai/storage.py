"""Keeps what was said in a request and its answer: in the ledger, and on the books."""

from dataclasses import dataclass, replace
from datetime import datetime

import structlog
from django.db import transaction
from uuid_utils.compat import uuid7

from api.openai.access import Json
from api.openai.answers import replies_of
from api.openai.recall import Recollection, project_of
from api.openai.request import Ask
from api.openai.turns import turns_of
from chat.conversations import MessageRefused, NewMessage
from chat.external_threads import History, Kept, keep
from chat.models import MEMORY_ONLY, Message
from llm.types import Usage as ModelUsage
from memory.models import Usage
from memory.search.time_limit import TimeLimit, TooSlow
from memory.usage.records import Purpose, record_usage

KEEPING_MS = 8_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Said:
    """A reply: the message of the endpoint, whether it came to its end, and what it took. Without
    `usage` it was made of memory alone."""

    message: Json
    status: str = Message.Status.COMPLETE
    notice: str = ""
    usage: ModelUsage | None = None


def keep_said(ask: Ask, messages: list[Json], found: Recollection, said: Said, now: datetime) -> Kept | None:
    """Write down what the answer took, and keep what was said unless the request wants otherwise."""
    if said.usage is not None:
        record_usage(Purpose(ask.user_id, Usage.Source.CHAT, now, uuid7()), said.usage)
    replies = _replies(said, found)
    if not ask.config.stores or (not replies and said.status == Message.Status.FAILED):
        return None
    project = project_of(ask.user_id, ask.project)
    history = History(
        said=(*turns_of(messages), *replies),
        external_id=ask.external_id,
        project=project.name if project else ask.project,
    )
    try:
        with TimeLimit(KEEPING_MS).stage(), transaction.atomic():
            if found.trace is not None:
                found.trace.save(force_insert=True)
            return keep(ask.user_id, history, now)
    except (MessageRefused, TooSlow) as error:
        log.warning("conversation not kept", error=type(error).__name__)
        return None


def _replies(said: Said, found: Recollection) -> tuple[NewMessage, ...]:
    turns = replies_of(said.message)
    usage = said.usage
    return tuple(
        replace(
            turn,
            status=said.status,
            notice=said.notice[:300],
            model=(usage.model if usage else MEMORY_ONLY)[:120],
            input_tokens=usage.input_tokens if usage and not place else None,
            output_tokens=usage.output_tokens if usage and not place else None,
            trace_id=found.trace.id if found.trace and not place else None,
        )
        for place, turn in enumerate(turns)
    )
